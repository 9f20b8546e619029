-- epilogue.lua: gelu(a * b + bias) in one kernel: what is done to the product is a Lua function.
local cuda = require "luacuda"

local M, N, K = 64, 64, 32

local function gelu(x)
  return 0.5 * x * (1 + cuda.erf(x * 0.70710678))
end

local layer = cuda.tiled(function(c, a, b, bias)
  local i, j = program(1), program(2)
  local sum = zeros("float32", M, N)
  for k = 1, tiles(a, 2, K) do
    sum = dot(load(a, { i, k }, { M, K }), load(b, { k, j }, { K, N }), sum)
  end
  store(c, { i, j }, gelu(sum + load(bias, { j }, { N })))
end)

local a = cuda.random.normal({ 150, 96 }):astype "bfloat16"
local b = cuda.random.normal({ 96, 130 }):astype "bfloat16"
local bias = cuda.random.normal(130)
local c = cuda.empty({ 150, 130 }, "float32")
layer({ tiles = c }, c, a, b, bias)

local x = cuda.matmul(a:astype "float64", b:astype "float64") + bias
local expected = 0.5 * x * (1 + cuda.erf(x * math.sqrt(0.5)))
print(("epilogue: largest error %.6f"):format(cuda.abs(c - expected):max()))

return c, expected
