-- blocks.lua: blocks, branches, loops with a condition, and returns. for_loops.lua has
-- `for`, assignments.lua has assignments.

local walk = require "luacuda.jit.infer.walk"
local access = require "luacuda.jit.typed.access"
local arithmetic = require "luacuda.jit.typed.arithmetic"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local statements = {}

-- The value of a condition that is known when the kernel is made, or nil.
local function known(cond)
  if cond.op == "const" then return cond.value end
end

-- A block in which variables may be given values that hold only inside.
local function branch(ctx, given, list)
  ctx.given = given
  local body = walk.block(ctx, list)
  return body, ctx.given
end

statements["do"] = function(ctx, node)
  walk.add(ctx, { op = "do", body = walk.block(ctx, node.body) }, node)
end

-- Branches that are known not to run are not read: they need not fit the types.
statements["if"] = function(ctx, node)
  local clauses, ends, complete = {}, {}, false
  local result = { op = "if", clauses = clauses }
  for _, clause in ipairs(node.clauses) do
    local cond = #clauses == 0 and walk.condition(ctx, clause.cond)
      or walk.at_times(ctx, clause.cond, walk.condition)
    if known(cond) ~= false then
      local before = slots.snapshot(ctx)
      local body, after = branch(ctx, slots.snapshot(ctx), clause.body)
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
      local before = slots.snapshot(ctx)
      local body, after = branch(ctx, before, node.orelse)
      result.orelse, ends[#ends + 1] = body, after
    else
      ends[#ends + 1] = slots.snapshot(ctx)
    end
  end
  ctx.given = slots.common(ends)
  walk.add(ctx, result, node)
end

-- Loops -------------------------------------------------------------------------------------------

statements["while"] = function(ctx, node)
  local cond = walk.at_times(ctx, node.cond, walk.condition)
  local after = slots.snapshot(ctx)
  local body, loop = walk.loop_body(ctx, node.body)
  if known(cond) == true then after = slots.common(loop.breaks) end
  ctx.given = after
  walk.add(ctx, { op = "while", cond = cond, body = body }, node)
end

statements["repeat"] = function(ctx, node)
  local loop = { breaks = {} }
  ctx.loops[#ctx.loops + 1] = loop
  local outer = ctx.block
  local own = walk.block(ctx, node.body)
  ctx.block = own
  local reached = ctx.given
  if not reached then ctx.given = {} end      -- the condition is never evaluated
  local cond = reached and walk.condition(ctx, node.cond) or nodes.const("bool", false)
  ctx.given, ctx.block = reached, outer
  ctx.loops[#ctx.loops] = nil
  loop.breaks[#loop.breaks + 1] = slots.snapshot(ctx)
  ctx.given = slots.common(loop.breaks)
  walk.add(ctx, { op = "repeat", body = own, cond = cond }, node)
end

statements["break"] = function(ctx, node)
  local loop = ctx.loops[#ctx.loops]
  loop.breaks[#loop.breaks + 1] = slots.snapshot(ctx)
  walk.add(ctx, { op = "break" }, node)
  ctx.given = false
end

-- Functions ---------------------------------------------------------------------------------------

-- A result that is a reference shares its origin with the others in its place.
local function note_reference(ctx, k, e, node)
  local origin = slots.origin(e.origin)
  if origin.homes and origin.homes[ctx] then
    fail(ctx, node, "an array that the function makes ends with it and cannot be a result: make it "
      .. "in the caller and pass it")
  end
  origin.returned = true
  local others = ctx.result_origins[k]
  ctx.result_origins[k] = others and slots.unite(others, origin) or origin
end

local function can_be_result(t)
  return type(t) == "string" and t ~= "string" or types.is_reference(t)
end

local function join_result(ctx, k, e, node)
  local weak = ctx.weak_results or ctx.unit.of_arrays
  local old, new = ctx.results[k], e.type == "int!" and not weak and "int" or e.type
  local joined = old == nil and new or slots.join(ctx, old, new)
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
    values[k] = access.stored(ctx, e, wanted[k], node.values[k] or node)
  end
  return values
end

statements["return"] = function(ctx, node)
  local values = walk.values(ctx, node.values)
  if ctx.on_return then return ctx.on_return(ctx, values, node) end
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
      arithmetic.check_constant(ctx, node, e, ctx.results[k])
    end
  end
  walk.add(ctx, { op = "return", values = values, context = ctx }, node)
  ctx.given = false
end

-- Jumps -------------------------------------------------------------------------------------------

statements["goto"] = function(ctx, node)
  local marks = ctx.labels[node.label]
  ctx.has_goto = true
  marks[#marks + 1] = slots.snapshot(ctx)
  walk.add(ctx, { op = "goto", id = marks.id }, node)
  ctx.given = false
end

function statements.label(ctx, node)
  local marks = ctx.labels[node.name]
  marks[#marks + 1] = slots.snapshot(ctx)
  ctx.given = slots.common(marks)
  walk.add(ctx, { op = "label", id = marks.id }, node)
end

return { statements = statements }
