-- inline.lua: calls of Lua functions of whole tiles (whole_functions.lua). A call becomes the
-- statements of the function, before the one that calls it, with variables of its own.

local tree = require "luacuda.tiles.function_tree"
local whole = require "luacuda.tiles.whole_functions"
local calls = require "luacuda.jit.infer.calls"
local walk = require "luacuda.jit.infer.walk"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

-- Parameters --------------------------------------------------------------------------------------

-- Does the argument stand for the parameter wherever it is used? A row of an array does not in
-- functions within.
local function stays(var, e)
  if var.assigned > 0 then return false end
  if not e.type or e.type == "string" or e.op == "const" or e.op == "var" then return true end
  return types.is_array(e.type) and not e.effect and not var.captured
end

local function bind(own, var, e)
  local slot = slots.slot(own, var)
  own.given[var], slot.fixed = true, nil
  if stays(var, e) then
    slot.fixed = e
    return
  end
  if not e.type or e.type == "string" then
    fail(own, own.fn, "parameter '%s' is a function or a text and cannot be assigned", var.name)
  end
  local value = slots.bind(own, var, e, own.fn)
  walk.add(own, { op = "declare", slot = slot, value = value }, own.fn)
end

-- Results -----------------------------------------------------------------------------------------

-- Is the return the last statement of the function itself?
local function is_last(own, node) return own.list[#own.list] == node end

-- The variable for one result of several returns.
local function result_slot(own, k, e, node)
  if not e.type or e.type == "string" or types.is_array(e.type) then
    fail(own, node, "%s cannot be the result of one of several returns: return it at the end",
      report.described(e))
  end
  own.vars[k] = own.vars[k] or { name = "result", line = node.line, fn = own.fn, assigned = 1 }
  return slots.bind(own, own.vars[k], e, node), slots.slot(own, own.vars[k])
end

local function assigned(own, values, node)
  local pairs_of = {}
  for k, e in ipairs(values) do
    local value, slot = result_slot(own, k, e, node)
    pairs_of[k] = { slot = slot, value = value }
  end
  if #values > 0 then walk.add(own, { op = "assign", pairs = pairs_of }, node) end
end

-- What a return of the function does (blocks.lua).
local function returned(own, values, node)
  if own.count and own.count ~= #values then
    fail(own, node, "the function returns %d values here, and %d elsewhere", #values, own.count)
  end
  own.count = #values
  if own.returns == 1 and is_last(own, node) then own.direct = values
  else assigned(own, values, node) end
  own.given = false
end

-- Calls -------------------------------------------------------------------------------------------

-- The number of returns of a function, if they can be assignments.
local function count_returns(own)
  local count, loop, jump = tree.returns(own.fn)
  if loop then
    fail(own, loop, "'%s' works on whole tiles and returns within a loop: let it end the loop with "
      .. "break, and return at its end", own.name)
  elseif jump and count > 1 then
    fail(own, jump, "'%s' works on whole tiles, has a goto, and returns in several places: return "
      .. "at its end", own.name)
  end
  return count
end

-- The context of this call, which is read again with the caller.
local function context(ctx, node, callee, fn)
  ctx.inlined = ctx.inlined or {}
  local own = ctx.inlined[node]
  if not own or own.fn ~= fn or own.outer ~= callee.home then
    own = { unit = ctx.unit, source = whole.source_of(ctx, callee), fn = fn, name = callee.name,
      slots = {}, results = {}, result_origins = {}, vars = {}, outer = callee.home,
      is_inlined = true, on_return = returned }
    own.returns = count_returns(own)
    own.list = own.returns > 0 and tree.at_ends(fn.body) or fn.body
    ctx.inlined[node] = own
  end
  own.given, own.loops, own.labels, own.captured, own.block = {}, {}, {}, {}, {}
  own.direct, own.count, own.stores = nil, nil, nil
  return own
end

-- A function that stores is called where nothing else of the statement could come after it.
local function check_order(ctx, node, own)
  local s = ctx.statement
  local alone = s.call == node or s.values and #s.values == 1 and s.values[1] == node
  if alone then return end
  fail(ctx, node, "'%s' stores tiles: call it in a statement of its own, or as the only value of "
    .. "one", own.name)
end

-- Has each way through the function reached a return, or none?
local function check_end(own)
  if own.given and (own.count or 0) > 0 then
    fail(own, own.fn, "'%s' returns a value, and may also end without one", own.name)
  end
end

local function values_of(own)
  if own.direct then return own.direct end
  local list = {}
  for k = 1, own.count or 0 do
    local slot = slots.slot(own, own.vars[k])
    list[k] = { op = "var", type = slot.type, slot = slot }
  end
  return list
end

-- The variables of the results, then the statements.
local function add_all(ctx, own, body)
  if not own.direct then
    for k = 1, own.count or 0 do
      walk.add(ctx, { op = "declare", slot = slots.slot(own, own.vars[k]) }, own.fn)
    end
  end
  table.move(own.block, 1, #own.block, #ctx.block + 1, ctx.block)
  table.move(body, 1, #body, #ctx.block + 1, ctx.block)
end

-- call(ctx, node, callee, args) -> the first value, with the others in `all`, as those of calls.lua
local function call(ctx, node, callee, args)
  local fn, stack = callee.node or whole.source_of(ctx, callee).node, ctx.unit.stack
  calls.check_arguments(ctx, node, fn, callee, args)
  calls.check_recursion(ctx, node, fn)
  local own = context(ctx, node, callee, fn)
  stack[#stack + 1] = { node = fn, name = callee.name }
  for k, var in ipairs(fn.params) do bind(own, var, args[k]) end
  local body = walk.block(own, own.list)
  stack[#stack] = nil
  check_end(own)
  if own.stores then
    check_order(ctx, node, own)
    ctx.stores = true
  end
  ctx.effects, ctx.has_goto = ctx.effects or own.effects, ctx.has_goto or own.has_goto
  add_all(ctx, own, body)
  local values = values_of(own)
  if #values == 0 then return { op = "text", text = "" } end
  if #values == 1 then return values[1] end
  local first = setmetatable({ all = values, from = node }, { __index = values[1] })
  values[1] = first
  return first
end

return { call = call }
