-- loops.lua: unroll(first, last [, step [, factor]]) in `for ... in`: a numeric loop whose
-- rounds the compiler writes one after the other.

local gpu = require "luacuda.jit.names.gpu"
local infer = require "luacuda.jit.infer.walk"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"

local fail = report.fail

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

gpu.define("unroll", { call = function(ctx, node, args)
  infer.check_count(ctx, node, "unroll", args, 2, 4)
  for k = 1, math.min(#args, 3) do infer.integer_argument(ctx, node, "unroll", k, args[k]) end
  local first, last, step = args[1], args[2], args[3] or nodes.literal(1)
  local factor = args[4] and factor_of(ctx, node, args[4]) or all_of(ctx, node, first, last, step)
  return { op = "unroll", first = first, last = last, step = step, factor = factor }
end })

return gpu
