-- walk.lua: from the tree of a Lua function to its typed tree. The function is read again until no
-- variable changes its type; the other files of infer have a function for each kind of node.
--
-- A context (ctx) is one function for one set of argument types:
--   unit      what is shared by all functions of a kernel (unit.lua)
--   source    the function's text, file and line, as text.of gives it
--   slots     VAR -> slot { name, type, place, assigned, const, static, origin, lo, hi }
--   given     VAR -> true: variables that have a value here; false after a jump
--   block     the list that statements are added to
--   loops     the loops around the statement, innermost last
--   results   types of what it returns
--   parent    the context of the caller, whose variables a local function may use (outer)

local counters = require "luacuda.jit.typed.counters"
local types = require "luacuda.jit.typed.value_types"
local report = require "luacuda.jit.typed.report"
local nodes = require "luacuda.jit.typed.nodes"

local fail = report.fail

local M = { expressions = {}, statements = {}, methods = {} }

local MOST_PASSES = 60

-- Variables that have a value --------------------------------------------------------------------

local function copy(set)
  local own = {}
  for key, value in pairs(set) do own[key] = value end
  return own
end

-- The variables that are in all the sets; false stands for a place that is not reached.
function M.common(sets)
  local result = false
  for _, set in ipairs(sets) do
    if set and not result then result = copy(set)
    elseif set then
      for key in pairs(result) do
        if not set[key] then result[key] = nil end
      end
    end
  end
  return result
end

function M.snapshot(ctx) return ctx.given and copy(ctx.given) end

-- Slots -------------------------------------------------------------------------------------------

-- The context that has the variable: this one, or that of a function around it.
local function owner(ctx, var)
  local at = ctx
  while at do
    if at.slots[var] then return at end
    at = at.outer
  end
  return ctx
end

function M.slot(ctx, var)
  local home = owner(ctx, var)
  local slot = home.slots[var]
  if not slot then
    slot = { name = home.unit:name(var.name), var = var, assigned = var.assigned > 0 }
    home.slots[var] = slot
  end
  if home ~= ctx then ctx.captured[slot], slot.outside = true, true end
  return slot
end

-- The origin of an array value: the record of whether anything writes to its memory.
function M.origin(o)
  while o.into do o = o.into end
  return o
end

-- The memory of the origin ends with the function of this context.
function M.at_home(origin, ctx)
  origin.homes = origin.homes or {}
  origin.homes[ctx] = true
end

function M.unite(a, b)
  a, b = M.origin(a), M.origin(b)
  if a ~= b then
    a.written, a.returned = a.written or b.written, a.returned or b.returned
    for home in pairs(b.homes or {}) do M.at_home(a, home) end
    b.into = a
  end
  return a
end

function M.mark_written(array)
  if not array.origin then array = array.array end
  local o = M.origin(array.origin)
  o.written = true
end

-- The type of a value that is one of two: a selection, or a result. In fused functions Lua numbers
-- adapt to the other value, as those of cuda.where do.
function M.join(ctx, a, b)
  return ctx.unit.of_arrays and types.join_weak(a, b) or types.join(a, b)
end

local function conflict(ctx, slot, type, node)
  fail(ctx, node, "'%s' becomes %s here, and is %s at %s: a variable has one type; use another "
    .. "variable", slot.var.name, types.name(type), types.name(slot.type), slot.place)
end

-- The type that a variable takes from a value.
local function kept_type(slot, e)
  if e.type == "int!" and slot.assigned then return "int" end
  return e.type
end

-- Gives the variable the type of one more value, and returns the value converted to its type.
function M.bind(ctx, var, e, node)
  local slot = M.slot(ctx, var)
  if ctx.slots[var] == nil then ctx.effects = true end
  local new = kept_type(slot, e)
  local joined = slot.type == nil and new or types.join(slot.type, new)
  if not joined then conflict(ctx, slot, new, node) end
  if joined ~= slot.type then
    slot.type, slot.place = joined, slot.place or report.place(ctx, node)
    ctx.unit.changed = true
  end
  if types.is_array(joined) then
    slot.origin = slot.origin and M.unite(slot.origin, e.origin) or e.origin
    slot.small = slot.small ~= false and nodes.is_small(e)
    return e
  end
  return type(joined) == "string" and nodes.convert(e, joined) or e
end

-- May the variable be without a value?
function M.is_missing(ctx, var)
  local at = ctx
  while at and not at.slots[var] do at = at.outer end
  local given = at and at.given
  return given ~= nil and given ~= false and not given[var]
end

function M.give(ctx, var)
  if ctx.given then ctx.given[var] = true end
end

-- Walking -----------------------------------------------------------------------------------------

-- The value of an expression, its first one.
function M.expression(ctx, node)
  local fn = M.expressions[node.kind]
  if not fn then fail(ctx, node, "'%s' cannot run on a device", node.kind) end
  return fn(ctx, node)
end

-- The values of a list of expressions; those of a call at its end all count, but not if it stands
-- in parentheses or in another expression that gives its first value.
function M.values(ctx, list)
  local values = {}
  for k, node in ipairs(list) do
    local e = M.expression(ctx, node)
    if k == #list and e.all and e.from == node then
      table.move(e.all, 1, #e.all, #values + 1, values)
    elseif e.type == nil and (e.op == "call" or e.op == "device") then
      fail(ctx, node, "this call returns no value")
    else values[#values + 1] = e end
  end
  return values
end

function M.add(ctx, statement, node)
  statement.line, statement.source = node.line, ctx.source
  ctx.block[#ctx.block + 1] = statement
  return statement
end

-- The labels of a block, each a list of what has a value at its jumps, beside those around it.
local function labels_of(ctx, list)
  local scope = ctx.labels
  for _, node in ipairs(list) do
    if node.kind == "label" then
      if scope == ctx.labels then scope = setmetatable({}, { __index = scope }) end
      scope[node.name] = { id = ctx.unit:name(node.name) }
    end
  end
  return scope
end

-- The statements of a block, as a list.
function M.block(ctx, list)
  local outer, outer_labels, own = ctx.block, ctx.labels, {}
  ctx.block, ctx.labels = own, labels_of(ctx, list)
  for _, node in ipairs(list) do
    local fn = M.statements[node.kind]
    if not fn then fail(ctx, node, "'%s' cannot run on a device", node.kind) end
    fn(ctx, node)
  end
  ctx.block, ctx.labels = outer, outer_labels
  return own
end

-- The function ------------------------------------------------------------------------------------

-- One reading of the body, with the variables' types as they are known so far.
local function read(ctx, fn)
  ctx.given, ctx.loops, ctx.captured, ctx.labels = {}, {}, {}, {}
  for _, var in ipairs(fn.params) do ctx.given[var] = true end
  ctx.body = M.block(ctx, fn.body)
  ctx.falls = ctx.given ~= false
end

-- body(ctx, fn) reads until all types are known; ctx.body is then the list of statements.
function M.body(ctx, fn)
  local unit, outer = ctx.unit, ctx.unit.changed
  for pass = 1, MOST_PASSES + 1 do
    unit.changed = false
    read(ctx, fn)
    if not unit.changed then break end
    if pass > MOST_PASSES then
      fail(ctx, fn, "the types of the variables do not settle")
    end
    ctx.widened = true
  end
  -- a local function may have changed variables of the function around it
  unit.changed = outer or (ctx.outer ~= nil and ctx.widened == true)
  ctx.widened = false
  counters.note(ctx)
  return ctx.body
end

return M
