-- for_loops.lua: `for`: loops of numbers, over the grid, and unrolled ones.

local walk = require "luacuda.jit.infer.walk"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local statements = {}

local function number_of(ctx, node, what)
  local e = walk.expression(ctx, node)
  local kind = types.kind_of(e.type)
  if kind == "int" or kind == "uint" or kind == "float" then return e end
  fail(ctx, node, "the %s of a for loop is a number, and this is %s", what, report.described(e))
end

local function loop_type(first, step)
  if types.is_integer(first.type) and types.is_integer(step.type) then return "int" end
  local joined = types.join(first.type, step.type)
  return types.is_float(joined) and joined or "float"
end

-- The float limit of a loop of integers: an integer where that is known to be the same.
local function float_limit(last, step)
  local v = last.op == "const" and step.op == "const" and math.abs(last.value) < 2 ^ 53
    and last.value
  if not v then return nodes.convert(last, "float") end
  return nodes.literal(step.value > 0 and math.floor(v) or math.ceil(v))
end

-- The range of an integer loop's variable. One of 32 bits must be able to pass the limit by a step.
local function set_range(slot, first, last, step)
  slot.lo, slot.hi = nil, nil
  if slot.assigned or slot.type ~= "int" then return end
  local a, b = nodes.range(first)
  local c, d = nodes.range(last)
  local down, up = nodes.range(step)
  if up < 0 then a, d = c, b
  elseif down <= 0 then return end
  slot.lo, slot.hi = math.min(a, d), math.max(a, d)
  local wide = slot.lo + math.min(down, 0) < -2.0 ^ 31 or slot.hi + math.max(up, 0) >= 2.0 ^ 31
  if wide or slot.lo ~= slot.lo then slot.lo, slot.hi = math.min(slot.lo, -2.0 ^ 40), slot.hi end
  if slot.lo < -2.0 ^ 62 or slot.hi > 2.0 ^ 62 then slot.lo, slot.hi = nil, nil end
end

-- A loop of numbers. `factor`: "all", or how many rounds are written out, or nil.
local function numeric_loop(ctx, node, var, first, last, step, factor)
  if step.op == "const" and step.value == 0 then
    fail(ctx, node.step or node, "the step of a for loop is 0")
  end
  local t = loop_type(first, step)
  first, step = nodes.convert(first, t), nodes.convert(step, t)
  last = types.is_integer(t) and types.is_float(last.type) and float_limit(last, step)
    or nodes.convert(last, t)
  local after = slots.snapshot(ctx)
  slots.bind(ctx, var, { type = t, op = "text", text = "" }, node)
  slots.give(ctx, var)
  local slot = slots.slot(ctx, var)
  set_range(slot, first, last, step)
  local body = walk.loop_body(ctx, node.body)
  ctx.given = after
  walk.add(ctx, { op = "fornum", slot = slot, first = first, last = last, step = step,
    body = body, factor = factor }, node)
end

statements.fornum = function(ctx, node)
  local first, last = number_of(ctx, node.first, "start"), number_of(ctx, node.last, "limit")
  local step = node.step and number_of(ctx, node.step, "step") or nodes.literal(1)
  numeric_loop(ctx, node, node.var, first, last, step)
end

-- `for i, j in grid(n, m)`: every thread of the launch takes its part of 1 ... n and 1 ... m.
local function grid_loop(ctx, node, call)
  local extents = call.extents
  if #node.vars ~= #extents then
    fail(ctx, node, "grid of %d extents gives %d indices, and %d variables are given", #extents,
      #extents, #node.vars)
  end
  local after, own = slots.snapshot(ctx), {}
  for k, var in ipairs(node.vars) do
    slots.bind(ctx, var, { type = "int", op = "text", text = "" }, node)
    slots.give(ctx, var)
    local slot = slots.slot(ctx, var)
    own[k] = slot
    local _, hi = nodes.range(extents[k])
    slot.lo, slot.hi = 1.0, math.max(hi, 1.0)
    if slot.assigned then slot.lo, slot.hi = nil, nil end
  end
  local body = walk.loop_body(ctx, node.body)
  ctx.given = after
  walk.add(ctx, { op = "grid", slots = own, extents = extents, body = body }, node)
end

-- `for i in unroll(1, 8)`: a numeric loop that is written out.
local function unrolled_loop(ctx, node, call)
  if #node.vars ~= 1 then
    fail(ctx, node, "unroll gives one index, and %d variables are given", #node.vars)
  end
  numeric_loop(ctx, node, node.vars[1], call.first, call.last, call.step, call.factor)
end

statements.forin = function(ctx, node)
  local source = node.exprs[1]
  if #node.exprs == 1 and source.kind == "call" then
    local call = walk.expression(ctx, source)
    if call.op == "grid" then return grid_loop(ctx, node, call) end
    if call.op == "unroll" then
      return unrolled_loop(ctx, node, call)
    end
  end
  fail(ctx, node, "only 'for ... in grid(n)' and in unroll(1, n) run on a device: pairs, ipairs "
    .. "and other iterators need Lua; write for i = 1, #x")
end

return { statements = statements }
