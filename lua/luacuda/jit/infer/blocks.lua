-- blocks.lua: blocks, branches, loops with a condition, and returns. for_loops.lua has
-- `for`, assignments.lua has assignments.

local infer = require "luacuda.jit.infer.walk"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

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
  if types.is_number(e.type) then
    if ctx.unit.of_arrays then return nodes.const("bool", true) end
    fail(ctx, node, NUMBER, types.name(e.type), "x")
  end
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
function infer.loop_body(ctx, list)
  local loop = { breaks = {} }
  ctx.loops[#ctx.loops + 1] = loop
  local body = infer.block(ctx, list)
  ctx.loops[#ctx.loops] = nil
  return body, loop
end

statements["while"] = function(ctx, node)
  local cond = infer.condition(ctx, node.cond)
  local after = infer.snapshot(ctx)
  local body, loop = infer.loop_body(ctx, node.body)
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
  loop.breaks[#loop.breaks + 1] = infer.snapshot(ctx)
  infer.add(ctx, { op = "break" }, node)
  ctx.given = false
end

-- Functions ---------------------------------------------------------------------------------------

-- A result that is a reference shares its origin with the others in its place.
local function note_reference(ctx, k, e, node)
  local origin = infer.origin(e.origin)
  if origin.homes and origin.homes[ctx] then
    fail(ctx, node, "an array that the function makes ends with it and cannot be a result: make it "
      .. "in the caller and pass it")
  end
  origin.returned = true
  local others = ctx.result_origins[k]
  ctx.result_origins[k] = others and infer.unite(others, origin) or origin
end

local function can_be_result(t)
  return type(t) == "string" and t ~= "string" or types.is_reference(t)
end

local function join_result(ctx, k, e, node)
  local weak = ctx.weak_results or ctx.unit.of_arrays
  local old, new = ctx.results[k], e.type == "int!" and not weak and "int" or e.type
  local joined = old == nil and new or infer.join(ctx, old, new)
  if not can_be_result(joined) then
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
    if not can_be_result(e.type) then
      fail(ctx, node, "%s cannot be a result: return numbers, booleans or parts of structs",
        report.described(e))
    end
    join_result(ctx, k, e, node)
    if e.origin then note_reference(ctx, k, e, node) end
    if ctx.unit.of_arrays and e.op == "const" then
      infer.check_constant(ctx, node, e, ctx.results[k])
    end
  end
  infer.add(ctx, { op = "return", values = values, context = ctx }, node)
  ctx.given = false
end

-- Jumps -------------------------------------------------------------------------------------------

statements["goto"] = function(ctx, node)
  local marks = ctx.labels[node.label]
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
