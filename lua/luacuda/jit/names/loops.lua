-- loops.lua: what stands in `for ... in`: grid(n), the indices of a thread, and unroll(first, last
-- [, step [, factor]]), a numeric loop whose rounds the compiler writes one after the other.

local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"

local fail = report.fail

local rows = {}

-- The extents in place of a shape: grid(x.shape).
local function extents_of(args)
  local shape = args[1]
  if #args ~= 1 or shape.op ~= "shape" then return args end
  local list = {}
  for axis = 1, shape.array.type.ndim do list[axis] = nodes.extent(shape.array, axis) end
  return list
end

rows.grid = { of_threads = true, call = function(ctx, node, args)
  args = extents_of(args)
  checks.count(ctx, node, "grid", args, 1, 3)
  local extents = {}
  for k, e in ipairs(args) do
    extents[k] = nodes.convert(checks.integer(ctx, node, "grid", k, e), "int")
  end
  return { op = "grid", extents = extents }
end }

-- Unrolled loops ----------------------------------------------------------------------------------

local MOST = 1024       -- rounds that are written out

-- The factor, a constant.
local function factor_of(ctx, node, e)
  local n = e.op == "const" and math.tointeger(e.value)
  if n and n >= 1 and n <= MOST then return n end
  fail(ctx, node, "unroll: argument 4: expected how many rounds to write out, 1 to %d, known when "
    .. "the kernel is made", MOST)
end

-- All rounds, of a loop whose bounds are known.
local function all_of(ctx, node, first, last, step)
  for _, e in ipairs{ first, last, step } do
    if e.op ~= "const" then
      fail(ctx, node, "unroll: the bounds are known when the kernel is made, or a factor is given, "
        .. "as in unroll(1, n, 1, 4)")
    end
  end
  local rounds = step.value ~= 0 and (last.value - first.value) // step.value + 1 or 0
  if rounds > MOST then
    fail(ctx, node, "unroll: the loop has %d rounds, and at most %d are written out: give a "
      .. "factor, as in unroll(1, n, 1, 4)", rounds, MOST)
  end
  return "all"
end

rows.unroll = { call = function(ctx, node, args)
  checks.count(ctx, node, "unroll", args, 2, 4)
  for k = 1, math.min(#args, 3) do checks.integer(ctx, node, "unroll", k, args[k]) end
  local first, last, step = args[1], args[2], args[3] or nodes.literal(1)
  local factor = args[4] and factor_of(ctx, node, args[4]) or all_of(ctx, node, first, last, step)
  return { op = "unroll", first = first, last = last, step = step, factor = factor }
end }

return { rows = rows }
