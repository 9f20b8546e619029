-- tiles_epilogue.lua: a product, a bias and gelu in one kernel, beside the product alone by the
-- same kernel without them, and beside torch.
local cuda = require "luacuda"
local measure = require "tiles_measure"
local products = require("tiles_products").products

local K = 64
local EXTENTS = { { 64, 256, 4 }, { 128, 256, 8 }, { 64, 192, 4 }, { 128, 128, 4 },
  { 128, 192, 4 }, { 256, 128, 8 } }
local m, n, k = 8192, 4096, 4096
if measure.small then m, n, k = 256, 512, 128 end

local function gelu(x)
  local u = x * (0.7978845608 + 0.0356774081 * x * x)
  return 0.5 * x * (1 + cuda.tanh(u))
end

-- 0.5 * (1 + tanh(u)) is 1 / (1 + exp(-2 * u)), here without a division.
local function gelu_exp2(x)
  local root = rsqrt(1 + cuda.exp2(x * (-2.3022082 - 0.10294324 * x * x)))
  return x * root * root
end

local fast_tanh = cuda.device_function [[
__device__ float fast_tanh(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}]]

local function gelu_fast(x)
  local half = 0.5 * x
  return half + half * fast_tanh(x * (0.7978845608 + 0.0356774081 * x * x))
end

local function layer(M, N, warps, activation)
  return cuda.tiled(function(c, a, b, bias)
    local i, j = program(1), program(2)
    local sum = zeros("float32", M, N)
    for r = 1, tiles(a, 2, K) do
      sum = dot(load(a, { i, r }, { M, K }), load(b, { r, j }, { K, N }), sum)
    end
    store(c, { i, j }, activation(sum + load(bias, { j }, { N })))
  end, { warps = warps, name = "layer" })
end

local KINDS = { { "tanh", gelu }, { "exp2", gelu_exp2 }, { "tanh.approx", gelu_fast } }

-- The calls of all kernels: for each of the extents the product, then the kinds of gelu.
local function calls_of(c, a, b, bias)
  local list = {}
  for _, e in ipairs(EXTENTS) do
    local M, N, warps = table.unpack(e)
    local alone = products(M, N, K, warps).nn
    list[#list + 1] = function() alone({ tiles = c }, c, a, b) end
    for _, kind in ipairs(KINDS) do
      local kernel = layer(M, N, warps, kind[2])
      list[#list + 1] = function() kernel({ tiles = c }, c, a, b, bias) end
    end
  end
  return list
end

local function check(calls, c, a, b, bias)
  local sums = cuda.matmul(a:astype "float64", b:astype "float64")
  local x = sums + bias
  local expected = 0.5 * x * (1 + cuda.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))
  for at, call in ipairs(calls) do
    call()
    local kind = (at - 1) % (#KINDS + 1)
    print(("epilogue %-12s error %.2g"):format(kind == 0 and "none" or KINDS[kind][1],
      measure.off(c, kind == 0 and sums or expected)))
  end
end

-- The least time of a kind over all extents: its rate, and the extents.
local function best_of(times, kind)
  local which = 1
  local function at(e) return times[(e - 1) * (#KINDS + 1) + kind + 1] end
  for e = 2, #EXTENTS do if at(e) < at(which) then which = e end end
  local e = EXTENTS[which]
  return 2 * m * n * k / at(which) * 1e-9, ("%d x %d, %d warps"):format(e[1], e[2], e[3])
end

local function run()
  local a = cuda.random.normal({ m, k }):astype "bfloat16"
  local b = (cuda.random.normal({ k, n }) * k ^ -0.5):astype "bfloat16"
  local bias, c = cuda.random.normal(n):astype "bfloat16", cuda.empty({ m, n }, "bfloat16")
  local calls = calls_of(c, a, b, bias)
  if measure.small then return check(calls, c, a, b, bias) end
  local times = measure.medians(calls)
  local peers = measure.peers("peer_tiles.py", "epilogue")
  local alone, extents = best_of(times, 0)
  print(("epilogue bfloat16 %d x %d x %d: the product alone %.0f (%s)"):format(m, n, k, alone,
    extents))
  for at, kind in ipairs(KINDS) do
    local rate, own = best_of(times, at)
    print(("epilogue %-12s ours %5.0f  of the product alone %.3f  %s  %s  (%s)"):format(kind[1],
      rate, rate / alone, measure.beside("torch.compile", peers["epilogue compiled"], rate),
      measure.beside("torch", peers["epilogue eager"], rate), own))
  end
end

return { { name = "epilogue", run = run } }
