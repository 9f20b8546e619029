-- assignments.lua: declarations of variables and assignments.

local walk = require "luacuda.jit.infer.walk"
local access = require "luacuda.jit.typed.access"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local structs = require "luacuda.jit.typed.structs"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail
local stored = access.stored

local statements = {}

-- Is the value a function, which is known when the kernel is made?
local function is_callable(e) return e.op == "function" or e.op == "builtin" end

-- Can the value be that of a variable?
local function check_value(ctx, e, node)
  if e.type and e.type ~= "string" and not e.static then return e end
  if e.op == "const" or e.static or is_callable(e) then return e end
  fail(ctx, node, "a variable cannot be %s", report.described(e))
end

-- A variable that keeps one value known when the kernel is made, or nil.
local function fixed(var, e)
  if var.assigned > 0 then return nil end
  if e.static or e.op == "const" or is_callable(e) then return e end
end

local function declare(ctx, var, e, node)
  local slot = slots.slot(ctx, var)
  slots.give(ctx, var)
  slot.fixed = fixed(var, e)
  if slot.fixed then return end
  if e.static or e.type == "string" or is_callable(e) then
    fail(ctx, node, "'%s' is assigned more than once, so it can only be a number, a boolean or an "
      .. "array", var.name)
  end
  if e.type == types.generator and slot.assigned then
    fail(ctx, node, "'%s' is assigned more than once, and a generator is the value of one variable",
      var.name)
  end
  local value = slots.bind(ctx, var, e, node)
  slot.lo, slot.hi = nil, nil
  if not slot.assigned and types.is_integer(slot.type) then
    slot.lo, slot.hi = nodes.range(value)
  end
  slot.shared = (e.op == "shared" or e.op == "private") and not slot.assigned
  if ctx.unit.of_arrays and e.op == "var" and not slot.assigned then
    nodes.note_source(slot, e.slot)
  end
  walk.add(ctx, { op = "declare", slot = slot, value = value }, node)
end

statements["local"] = function(ctx, node)
  local values = walk.values(ctx, node.values)
  for k, var in ipairs(node.vars) do
    if var.attrib == "close" then
      fail(ctx, node, "'%s': variables that are closed need Lua", var.name)
    end
    local e = values[k]
    local at = node.values[k] or node
    if e and not (e.static and e.value == nil) then
      declare(ctx, var, check_value(ctx, e, at), at)
    else
      slots.slot(ctx, var)
      if ctx.given then ctx.given[var] = nil end
      walk.add(ctx, { op = "declare", slot = slots.slot(ctx, var) }, node)
    end
  end
end

statements.localfunction = function(ctx, node)
  local slot = slots.slot(ctx, node.var)
  if node.var.assigned > 0 then
    fail(ctx, node, "function '%s' is assigned more than once", node.var.name)
  end
  slot.fixed = { op = "function", node = node.fn, home = ctx, name = node.var.name }
  slots.give(ctx, node.var)
end

-- Targets -----------------------------------------------------------------------------------------

-- A copy of an array to a place of known extents: { array =, source = the node of one of its
-- elements, element = that node, converted as by a store }.
local function copied(ctx, e, t, node)
  if not types.is_array(e.type) then
    fail(ctx, node, "%s cannot be %s: assign its elements, with one more index",
      report.described(e), types.name(t))
  end
  if not types.same_shape(e.type, t) then
    fail(ctx, node, "%s of %s cannot be copied to one of %s: a copy needs equal extents that are "
      .. "known when the kernel is made; otherwise assign the elements", types.name(e.type),
      types.extents(e.type), types.extents(t))
  end
  local source = nodes.text(types.element(e.type.dtype), "")
  return { op = "copy", type = t, array = e, source = source, effect = e.effect,
    element = stored(ctx, source, types.element(t.dtype), node) }
end

local PLACES = { load = true, field = true, member = true, row = true }

-- What an assignment writes to: { slot =, var = } or { place = load }.
local function target(ctx, node)
  if node.kind == "local" then
    if ctx.is_inlined and node.var.fn ~= ctx.fn then
      fail(ctx, node, "'%s' is a variable of the function around, and this one works on whole "
        .. "tiles: return the new value", node.var.name)
    end
    return { var = node.var }
  end
  if node.kind == "free" then
    fail(ctx, node, "'%s' is not a variable of the kernel: a kernel can assign its own locals and "
      .. "elements of arrays", node.name)
  end
  if node.kind ~= "index" then fail(ctx, node, "this cannot be assigned") end
  local place = structs.value(walk.expression(ctx, node))
  if types.is_tile(place.type) then
    fail(ctx, node, "a tile of elements can be read, and not assigned: store and atomic_add write "
      .. "elements side by side")
  end
  if types.is_array(place.type) and not place.type.shape then
    fail(ctx, node, "a row cannot be assigned: assign its elements, with one more index")
  end
  if not PLACES[place.op] then fail(ctx, node, "this cannot be assigned") end
  if ctx.unit.of_tiles then
    fail(ctx, node, "a program has many threads, which would all write this element: write "
      .. "store(x, { i }, v)")
  end
  local load = place.op == "field" and place.a or place
  slots.mark_written(load.array or load)
  ctx.effects = true
  return { place = place }
end

local function value_for(ctx, to, e, node)
  if e.static and e.value == nil then fail(ctx, node, "kernels have no nil") end
  if is_callable(e) then
    fail(ctx, node, "a function is the value of one variable: declare it with local function")
  end
  if e.static or e.type == nil or e.type == "string" then
    fail(ctx, node, "this value cannot be assigned: a kernel assigns numbers, booleans and arrays")
  end
  if e.type == types.generator then
    fail(ctx, node, "a generator is the value of one variable: declare it with local r = random("
      .. "seed, sequence)")
  end
  if to.var then
    local value = slots.bind(ctx, to.var, e, node)
    slots.give(ctx, to.var)
    return value
  end
  if types.is_array(to.place.type) then return copied(ctx, e, to.place.type, node) end
  return stored(ctx, e, to.place.type, node)
end

function statements.assign(ctx, node)
  local targets = {}
  for k, item in ipairs(node.targets) do targets[k] = target(ctx, item) end
  local values = walk.values(ctx, node.values)
  if #values < #targets then
    fail(ctx, node, "there are %d variables and %d values, and a kernel has no nil", #targets,
      #values)
  end
  local pairs_of = {}
  for k, to in ipairs(targets) do
    local value = value_for(ctx, to, values[k], node.values[k] or node)
    pairs_of[k] = { slot = to.var and slots.slot(ctx, to.var), place = to.place, value = value }
  end
  walk.add(ctx, { op = "assign", pairs = pairs_of }, node)
end

function statements.callstat(ctx, node)
  local n = #ctx.block
  local e = walk.expression(ctx, node.call)
  if types.is_tile(e.type) then
    if #ctx.block > n then return end -- what a function of whole tiles does
    fail(ctx, node, "this call gives %s, which is not used", types.name(e.type))
  end
  walk.add(ctx, { op = "effect", value = e }, node)
end

return { statements = statements }
