-- calls.lua: calls of builtins and of Lua functions, which become device functions: one for each
-- set of argument types. Calls of methods, which values of some kinds have (language.methods).

local core = require "luacuda.core"
local walk = require "luacuda.jit.infer.walk"
local language = require "luacuda.jit.names.language"
local meanings = require "luacuda.jit.names.meanings"
local hints = require "luacuda.jit.names.replacements"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local expressions = {}

-- Parameters --------------------------------------------------------------------------------------

local function part_of_key(e)
  if e.op == "const" and e.type == "string" then return ("%q"):format(e.value) end
  if e.type then return types.key(e.type) end
  return tostring(e.fn or e.node or e.row or e.value)
end

-- Parameters that are functions or strings are known when the kernel is made.
local function bind_parameters(ctx, fn, args)
  for k, var in ipairs(fn.params) do
    local slot, e = slots.slot(ctx, var), args[k]
    if e.type and e.type ~= "string" then
      slot.place = slot.place or report.place(ctx, fn)
      slot.type = slot.type or (e.type == "int!" and slot.assigned and "int" or e.type)
      if types.is_array(e.type) then slot.origin = slot.origin or {} end
    elseif slot.assigned then
      fail(ctx, fn, "parameter '%s' is a function or a text and cannot be assigned", var.name)
    else
      slot.fixed = e
    end
  end
end

-- Recursion ---------------------------------------------------------------------------------------

local function check_recursion(ctx, node, fn)
  for k, one in ipairs(ctx.unit.stack) do
    if one.node == fn then
      local cycle = {}
      for i = k, #ctx.unit.stack do
        local at = ctx.unit.stack[i]
        cycle[#cycle + 1] = ("%s (line %d)"):format(at.name, at.node.line)
      end
      cycle[#cycle + 1] = ctx.unit.stack[k].name
      fail(ctx, node, "'%s' calls itself: %s; a device function cannot, so write a loop",
        ctx.unit.stack[k].name, table.concat(cycle, " calls "))
    end
  end
end

-- Instances ---------------------------------------------------------------------------------------

local function new_context(ctx, callee, source, fn)
  return { unit = ctx.unit, source = source, slots = {}, results = {}, result_origins = {},
    outer = callee.home, name = ctx.unit:name(callee.name:match "[%a_][%w_]*$" or "f"), fn = fn,
    captured = {} }
end

local function read(ctx, own, callee, args)
  local stack = ctx.unit.stack
  stack[#stack + 1] = { node = own.fn, name = callee.name }
  bind_parameters(own, own.fn, args)
  walk.body(own, own.fn)
  stack[#stack] = nil
  if own.falls and (own.result_count or 0) > 0 then
    fail(own, own.fn, "'%s' returns a value at %s, and may also end without one", callee.name,
      own.results_place)
  end
end

-- A local function keeps its instances with the function that declares it, which is read again.
local function instance_of(ctx, node, callee, args)
  local home = callee.home or ctx.unit
  local source = callee.home and callee.home.source or ctx.unit:source(callee.fn)
  local fn = callee.node or source.node
  check_recursion(ctx, node, fn)
  local parts = { tostring(fn) }
  for k, e in ipairs(args) do parts[k + 1] = part_of_key(e) end
  local key = table.concat(parts, "|")
  home.instances_by_key = home.instances_by_key or {}
  local own = home.instances_by_key[key]
  if not own then
    own = new_context(ctx, callee, source, fn)
    home.instances_by_key[key] = own
    read(ctx, own, callee, args)
    table.insert(ctx.unit.instances, own)
  elseif callee.home then
    read(ctx, own, callee, args)
  end
  return own
end

local function check_arguments(ctx, node, fn, callee, args)
  if fn.vararg then
    fail(ctx, node, "'%s' has '...', which cannot run on a device", callee.name)
  end
  if #args ~= #fn.params then
    fail(ctx, node, "'%s' takes %d %s, and got %d: kernels have no nil", callee.name,
      #fn.params, #fn.params == 1 and "argument" or "arguments", #args)
  end
end

-- The variables of functions around the callee that this one does not have either.
local function pass_captured(ctx, own)
  for slot in pairs(own.captured) do
    if ctx.slots[slot.var] ~= slot then ctx.captured[slot] = true end
  end
end

-- In fused functions an integer from a function does not adapt to dtypes: it was one of several.
local function result_type(ctx, t) return ctx.unit.of_arrays and t == "int!" and "int" or t end

-- The variables whose value a parameter has: what is checked of one is checked of the other.
local function note_sources(own, args)
  for k, var in ipairs(own.fn.params) do
    local slot, e = own.slots[var], args[k]
    if e.op == "var" and not slot.assigned then nodes.note_source(slot, e.slot) end
  end
end

-- What the function does with an array parameter, it does with the argument. If it may return the
-- array, its result refers to the argument as well.
local function note_arrays(ctx, node, own, args)
  for k, var in ipairs(own.fn.params) do
    local slot = own.slots[var]
    if slot.origin and ctx.unit.of_tiles then
      ctx.unit.of_tiles.note_access(ctx, args[k], node)
    end
    local origin = slot.origin and slots.origin(slot.origin)
    if origin and origin.returned then slots.unite(origin, args[k].origin) end
    if origin and origin.written then
      slots.mark_written(args[k])
      ctx.effects = true
    end
  end
end

-- The arguments that are known on the device only.
local function given_arguments(own, args)
  local given = {}
  for k, var in ipairs(own.fn.params) do
    local slot = own.slots[var]
    if not slot.fixed then given[#given + 1] = { slot = slot, value = args[k] } end
  end
  return given
end

-- The value of a call. A reference becomes a variable before the statement.
local function as_value(ctx, own, k, e)
  e.type = result_type(ctx, own.results[k])
  if not types.is_array(e.type) then return e end
  e.effect, e.origin = true, slots.origin(own.result_origins[k])
  e.slot = { name = ctx.unit:own_name "_t", type = e.type, origin = e.origin,
    var = { name = own.name } }
  return e
end

local function call_instance(ctx, node, callee, args)
  local source = callee.home and callee.home.source or ctx.unit:source(callee.fn)
  check_arguments(ctx, node, callee.node or source.node, callee, args)
  local own = instance_of(ctx, node, callee, args)
  note_arrays(ctx, node, own, args)
  if ctx.unit.of_arrays then note_sources(own, args) end
  pass_captured(ctx, own)
  if own.effects then ctx.effects = true end
  local call = { op = "device", instance = own, args = given_arguments(own, args),
    effect = own.effects or #own.results == 0 }
  for _, e in ipairs(args) do call.effect = call.effect or e.effect end
  if #own.results == 0 then return call end
  if #own.results == 1 then return as_value(ctx, own, 1, call) end
  local all = {}
  for k in ipairs(own.results) do
    all[k] = as_value(ctx, own, k, { op = "result", call = call, index = k, effect = true })
  end
  all[1].all, all[1].from = all, node
  return all[1]
end

local function fail_call(ctx, node, callee)
  local name = node.fn.kind == "free" and node.fn.name
  if (callee.op == "text" or callee.op == "const") and name then
    fail(ctx, node, "'%s' is a number, no function: write it without ()", name)
  end
  fail(ctx, node, "this cannot be called: it is %s", report.described(callee))
end

-- The arguments of a call with the items of a table in its place: shared("float32", { 16, 16 }).
local function flat(list)
  local all = {}
  for _, one in ipairs(list) do
    local items = one.kind == "table" and one.items or { { value = one } }
    for _, item in ipairs(items) do all[#all + 1] = item.key and one or item.value end
  end
  return all
end

-- The extents in place of a table around the kernel.
local function with_items(ctx, node, args)
  local last = args[#args]
  if #args ~= 2 or not last.static or type(last.value) ~= "table" then return args end
  local shape = last.value
  ctx.unit:guard(function() return #shape end, #shape)
  local list = { args[1] }
  for k = 1, #shape do list[k + 1] = meanings.field(ctx, node, last, k) end
  return list
end

-- The arguments of a call whose extents may stand in a table.
local function shape_arguments(ctx, node)
  return with_items(ctx, node, walk.values(ctx, flat(node.args)))
end

function expressions.call(ctx, node)
  local callee = walk.expression(ctx, node.fn)
  if callee.op == "builtin" and callee.row.read then return callee.row.read(ctx, node) end
  local shapes = callee.op == "builtin" and callee.row.takes_shape
  local args = shapes and shape_arguments(ctx, node) or walk.values(ctx, node.args)
  if callee.op == "function" then
    local tiles = ctx.unit.of_tiles
    if tiles and tiles.is_whole(ctx, callee, args) then
      return tiles.call(ctx, node, callee, args)
    end
    return walk.elementwise(ctx, node, args, function(...)
      return call_instance(ctx, node, callee, { ... })
    end)
  end
  if callee.op ~= "builtin" or not callee.row.call then fail_call(ctx, node, callee) end
  local e = callee.row.tiles and callee.row.call(ctx, node, args)
    or walk.elementwise(ctx, node, args, function(...)
      return callee.row.call(ctx, node, { ... })
    end)
  if e.effect then ctx.effects = true end
  return e
end

-- Methods -----------------------------------------------------------------------------------------

local function names_of(own)
  local list = {}
  for name in pairs(own.methods) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- The methods of a value, or nil.
local function methods_of(e)
  if types.is_tile(e.type) then return nil end
  return language.methods[e.kind or type(e.type) == "table" and e.type.kind] or nil
end

-- no_field(ctx, node, e, name) raises where e has methods only.
local function no_field(ctx, node, e, name)
  if types.is_tile(e.type) then
    fail(ctx, node, "%s has no fields, and its elements are spread over threads: write sum, max or "
      .. "where", types.name(e.type))
  end
  local own = methods_of(e)
  if not own then return end
  fail(ctx, node, "%s has no field '%s': call a method (%s)", own.name, tostring(name),
    table.concat(names_of(own), ", "))
end

-- What to write in place of a method that needs Lua.
local function instead(object, name)
  if object.type == "string" then return hints.TEXT end
  if types.is_array_field(name) then return ("it is a field, x.%s"):format(name) end
  if types.is_number(object.type) then return hints.name(name) or "numbers have no methods" end
  return hints.array(name) or "a kernel computes element by element"
end

function expressions.method(ctx, node)
  local object = walk.expression(ctx, node.object)
  local own = methods_of(object)
  if not own and ctx.unit.of_arrays then
    return ctx.unit.of_arrays.method(ctx, node, object, walk.values(ctx, node.args))
  end
  if not own then
    fail(ctx, node, "method '%s' cannot be called on a device: %s", node.name,
      instead(object, node.name))
  end
  local method = own.methods[node.name]
  if not method then
    fail(ctx, node, "%s has no method '%s'%s", own.name, node.name,
      core.near(node.name, names_of(own), "kernel"))
  end
  local e = method(ctx, node, object, walk.values(ctx, node.args))
  if e.effect then ctx.effects = true end
  return e
end

return { expressions = expressions, no_field = no_field, check_recursion = check_recursion,
  check_arguments = check_arguments }
