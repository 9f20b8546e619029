-- walk.lua: from the tree of a Lua function to its typed tree. The function is read again until no
-- variable changes its type. rules.lua has what is done with each kind of node.
--
-- A context (ctx) is one function for one set of argument types:
--   unit      what is shared by all functions of a kernel (unit.lua)
--   source    the function's text, file and line, as text.of gives it
--   slots     VAR -> slot { name, type, place, assigned, const, static, origin, lo, hi }
--   given     VAR -> true: variables that have a value here; false after a jump
--   block     the list that statements are added to
--   statement the one that is read
--   loops     the loops around the statement, innermost last
--   results   types of what it returns
--   parent    the context of the caller, whose variables a local function may use (outer)

local counters = require "luacuda.jit.typed.counters"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

-- Kind of node -> function(ctx, node). A rule of expressions gives the node of the typed tree.
local M = { expressions = {}, statements = {} }

local MOST_PASSES = 60

local GIVES_NOTHING = { call = true, device = true, text = true, tile_store = true }

local NUMBER = "a condition is a boolean, and this is %s: in Lua every number is true, also 0; "
  .. "write %s ~= 0 if that is meant"

-- Walking -----------------------------------------------------------------------------------------

-- The value of an expression, its first one.
function M.expression(ctx, node)
  local fn = M.expressions[node.kind]
  if not fn then fail(ctx, node, "'%s' cannot run on a device", node.kind) end
  return fn(ctx, node)
end

-- elementwise(ctx, node, args, fn) -> fn of the arguments; if some of them are tiles, a tile of fn
-- of their elements
function M.elementwise(ctx, node, args, fn)
  local tiles = ctx.unit.of_tiles
  if tiles and tiles.has(args) then return tiles.map(ctx, node, args, fn) end
  return fn(table.unpack(args))
end

-- at_times(ctx, node, read) -> read(ctx, node) of an expression that is not evaluated once: it must
-- add no statements
function M.at_times(ctx, node, read)
  local n = #ctx.block
  local e = read(ctx, node)
  if #ctx.block == n then return e end
  fail(ctx, node, "a function of whole tiles is called here, which must not depend on a condition "
    .. "in the same statement: call it in a statement of its own")
end

-- Raises where a tile is a condition.
local function no_tile(ctx, node, e)
  if not types.is_tile(e.type) then return end
  fail(ctx, node, "a condition is a boolean, and this is %s: write any(t) or all(t), or "
    .. "where(t, a, b)", types.name(e.type))
end

-- The condition of a branch or loop: a bool. `e`: the value of the node, if it is known.
function M.condition(ctx, node, e)
  e = e or M.expression(ctx, node)
  if e.type == "bool" then return e end
  if e.static then
    return nodes.const("bool", e.value ~= nil and e.value ~= false)
  end
  if types.is_number(e.type) then
    if ctx.unit.of_arrays then return nodes.const("bool", true) end
    fail(ctx, node, NUMBER, types.name(e.type), "x")
  end
  no_tile(ctx, node, e)
  fail(ctx, node, "a condition is a boolean, and this is %s", report.described(e))
end

-- check_tile(ctx, node, e) raises for an operand of `and` or `or` that is a tile of numbers.
function M.check_tile(ctx, node, e)
  if e.type.dtype == "bool" then return end
  fail(ctx, node, "'and' and 'or' take tiles of booleans, and this is %s: compare it, as in "
    .. "t ~= 0, or write where(c, a, b)", types.name(e.type))
end

-- An operand of `and` and `or`: a boolean, or a tile of booleans.
function M.operand(ctx, node)
  local e = M.expression(ctx, node)
  if not types.is_tile(e.type) then return M.condition(ctx, node, e) end
  M.check_tile(ctx, node, e)
  return e
end

-- check_indices(ctx, node, e) raises where elements that a tile chooses lack an index.
function M.check_indices(ctx, node, e)
  if e.of_tile then
    fail(ctx, node, "x[t] with a tile of indices is not a row: write all indices, as in x[t][j]")
  end
end

-- The values of a list of expressions; those of a call at its end all count, but not if it stands
-- in parentheses or in another expression that gives its first value.
function M.values(ctx, list)
  local values = {}
  for k, node in ipairs(list) do
    local e = M.expression(ctx, node)
    M.check_indices(ctx, node, e)
    if k == #list and e.all and e.from == node then
      table.move(e.all, 1, #e.all, #values + 1, values)
    elseif e.type == nil and GIVES_NOTHING[e.op] then
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
    ctx.statement = node
    fn(ctx, node)
  end
  ctx.block, ctx.labels = outer, outer_labels
  return own
end

-- The statements of a loop's body; what it gives values to is known inside only.
function M.loop_body(ctx, list)
  local loop = { breaks = {} }
  ctx.loops[#ctx.loops + 1] = loop
  local body = M.block(ctx, list)
  ctx.loops[#ctx.loops] = nil
  return body, loop
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
