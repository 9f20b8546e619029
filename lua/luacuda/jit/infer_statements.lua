-- infer_statements.lua: blocks, branches, loops and returns. infer_assign.lua has assignments.

local infer = require "luacuda.jit.infer"
local nodes = require "luacuda.jit.nodes"
local report = require "luacuda.jit.report"
local types = require "luacuda.jit.types"

local statements = infer.statements
local fail = report.fail

-- Conditions --------------------------------------------------------------------------------------

local NUMBER = "a condition is a boolean, and this is %s: in Lua every number is true, also 0; "
  .. "write %s ~= 0 if that is meant"

-- The condition of a branch or loop: a bool.
function infer.condition(ctx, node)
  local e = infer.expression(ctx, node)
  if e.type == "bool" then return e end
  if e.static then
    return nodes.const("bool", e.value ~= nil and e.value ~= false)
  end
  if types.is_number(e.type) then fail(ctx, node, NUMBER, types.name(e.type), "x") end
  fail(ctx, node, "a condition is a boolean, and this is %s", report.described(e))
end

-- The value of a condition that is known when the kernel is made, or nil.
local function known(cond)
  if cond.op == "const" then return cond.value end
end

-- A block in which variables may be given values that hold only inside.
local function branch(ctx, given, list)
  ctx.given = given
  local body = infer.block(ctx, list)
  return body, ctx.given
end

statements["do"] = function(ctx, node)
  infer.add(ctx, { op = "do", body = infer.block(ctx, node.body) }, node)
end

-- Branches that are known not to run are not read: they need not fit the types.
statements["if"] = function(ctx, node)
  local clauses, ends, complete = {}, {}, false
  local result = { op = "if", clauses = clauses }
  for _, clause in ipairs(node.clauses) do
    local cond = infer.condition(ctx, clause.cond)
    if known(cond) ~= false then
      local before = infer.snapshot(ctx)
      local body, after = branch(ctx, infer.snapshot(ctx), clause.body)
      clauses[#clauses + 1] = { cond = cond, body = body, line = clause.line or clause.cond.line }
      ends[#ends + 1], ctx.given = after, before
      if known(cond) then
        complete = true
        break
      end
    end
  end
  if not complete then
    if node.orelse then
      local before = infer.snapshot(ctx)
      local body, after = branch(ctx, before, node.orelse)
      result.orelse, ends[#ends + 1] = body, after
    else
      ends[#ends + 1] = infer.snapshot(ctx)
    end
  end
  ctx.given = infer.common(ends)
  infer.add(ctx, result, node)
end

-- Loops -------------------------------------------------------------------------------------------

-- The statements of a loop's body; what it gives values to is known inside only.
local function loop_body(ctx, list)
  local loop = { breaks = {} }
  ctx.loops[#ctx.loops + 1] = loop
  local body = infer.block(ctx, list)
  ctx.loops[#ctx.loops] = nil
  return body, loop
end

statements["while"] = function(ctx, node)
  local cond = infer.condition(ctx, node.cond)
  local after = infer.snapshot(ctx)
  local body, loop = loop_body(ctx, node.body)
  if known(cond) == true then after = infer.common(loop.breaks) end
  ctx.given = after
  infer.add(ctx, { op = "while", cond = cond, body = body }, node)
end

statements["repeat"] = function(ctx, node)
  local loop = { breaks = {} }
  ctx.loops[#ctx.loops + 1] = loop
  local outer = ctx.block
  local own = infer.block(ctx, node.body)
  ctx.block = own
  local reached = ctx.given
  if not reached then ctx.given = {} end      -- the condition is never evaluated
  local cond = reached and infer.condition(ctx, node.cond) or nodes.const("bool", false)
  ctx.given, ctx.block = reached, outer
  ctx.loops[#ctx.loops] = nil
  loop.breaks[#loop.breaks + 1] = infer.snapshot(ctx)
  ctx.given = infer.common(loop.breaks)
  infer.add(ctx, { op = "repeat", body = own, cond = cond }, node)
end

statements["break"] = function(ctx, node)
  local loop = ctx.loops[#ctx.loops]
  if not loop then fail(ctx, node, "'break' is outside of a loop") end
  loop.breaks[#loop.breaks + 1] = infer.snapshot(ctx)
  infer.add(ctx, { op = "break" }, node)
  ctx.given = false
end

local function number_of(ctx, node, what)
  local e = infer.expression(ctx, node)
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

statements.fornum = function(ctx, node)
  local first, last = number_of(ctx, node.first, "start"), number_of(ctx, node.last, "limit")
  local step = node.step and number_of(ctx, node.step, "step") or nodes.literal(1)
  if step.op == "const" and step.value == 0 then
    fail(ctx, node.step, "the step of a for loop is 0")
  end
  local t = loop_type(first, step)
  first, step = nodes.convert(first, t), nodes.convert(step, t)
  last = types.is_integer(t) and types.is_float(last.type) and float_limit(last, step)
    or nodes.convert(last, t)
  local after = infer.snapshot(ctx)
  infer.bind(ctx, node.var, { type = t, op = "text", text = "" }, node)
  infer.give(ctx, node.var)
  local slot = infer.slot(ctx, node.var)
  set_range(slot, first, last, step)
  local body = loop_body(ctx, node.body)
  ctx.given = after
  infer.add(ctx, { op = "fornum", slot = slot, first = first, last = last, step = step,
    body = body }, node)
end

-- `for i, j in grid(n, m)`: every thread of the launch takes its part of 1 ... n and 1 ... m.
local function grid_loop(ctx, node, call)
  local extents = call.extents
  if #node.vars ~= #extents then
    fail(ctx, node, "grid of %d extents gives %d indices, and %d variables are given", #extents,
      #extents, #node.vars)
  end
  local after, slots = infer.snapshot(ctx), {}
  for k, var in ipairs(node.vars) do
    infer.bind(ctx, var, { type = "int", op = "text", text = "" }, node)
    infer.give(ctx, var)
    slots[k] = infer.slot(ctx, var)
    local _, hi = nodes.range(extents[k])
    slots[k].lo, slots[k].hi = 1.0, math.max(hi, 1.0)
    if slots[k].assigned then slots[k].lo, slots[k].hi = nil, nil end
  end
  local body = loop_body(ctx, node.body)
  ctx.given = after
  infer.add(ctx, { op = "grid", slots = slots, extents = extents, body = body }, node)
end

statements.forin = function(ctx, node)
  local source = node.exprs[1]
  if #node.exprs == 1 and source.kind == "call" then
    local call = infer.expression(ctx, source)
    if call.op == "grid" then return grid_loop(ctx, node, call) end
  end
  fail(ctx, node, "only 'for ... in grid(n)' runs on a device: pairs, ipairs and other iterators "
    .. "need Lua; write for i = 1, #x")
end

-- Functions ---------------------------------------------------------------------------------------

local function join_result(ctx, k, e, node)
  local old, new = ctx.results[k], e.type == "int!" and "int" or e.type
  if e.type == "int!" and ctx.weak_results then new = "int!" end
  local joined = old == nil and new or types.join(old, new)
  if not joined then
    fail(ctx, node, "result %d is %s here, and %s at %s", k, types.name(new), types.name(old),
      ctx.results_place)
  end
  if joined ~= old then
    ctx.results[k] = joined
    ctx.unit.changed = true
  end
  ctx.results_place = ctx.results_place or report.place(ctx, node)
end

-- The values as the caller wants them: ctx.wanted has their dtypes.
local function as_wanted(ctx, values, node)
  local wanted = ctx.wanted
  if #values ~= #wanted then
    fail(ctx, node, "the function returns %d %s here, and %s", #values,
      #values == 1 and "value" or "values", wanted.words)
  end
  for k, e in ipairs(values) do
    values[k] = infer.stored(ctx, e, wanted[k], node.values[k] or node)
  end
  return values
end

statements["return"] = function(ctx, node)
  local values = infer.values(ctx, node.values)
  if ctx.wanted then values = as_wanted(ctx, values, node) end
  if ctx.is_kernel and #values > 0 then
    fail(ctx, node, "a kernel returns nothing: write results to arrays")
  end
  if ctx.result_count and ctx.result_count ~= #values then
    fail(ctx, node, "the function returns %d values here, and %d at %s", #values, ctx.result_count,
      ctx.results_place)
  end
  if not ctx.result_count then
    ctx.result_count, ctx.results_place = #values, report.place(ctx, node)
  end
  for k, e in ipairs(values) do
    if type(e.type) ~= "string" and not (e.type and e.type.kind == "struct") or e.type == "string"
    then
      fail(ctx, node, "%s cannot be a result: return numbers or booleans", report.described(e))
    end
    join_result(ctx, k, e, node)
  end
  infer.add(ctx, { op = "return", values = values, context = ctx }, node)
  ctx.given = false
end

-- Jumps -------------------------------------------------------------------------------------------

statements["goto"] = function(ctx, node)
  local marks = ctx.labels[node.label]
  if not marks then fail(ctx, node, "there is no label '%s' for this goto", node.label) end
  ctx.has_goto = true
  marks[#marks + 1] = infer.snapshot(ctx)
  infer.add(ctx, { op = "goto", id = marks.id }, node)
  ctx.given = false
end

function statements.label(ctx, node)
  local marks = ctx.labels[node.name]
  marks[#marks + 1] = infer.snapshot(ctx)
  ctx.given = infer.common(marks)
  infer.add(ctx, { op = "label", id = marks.id }, node)
end

return infer
