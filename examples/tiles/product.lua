-- product.lua: c = a * b on tensor cores. One program computes one tile of c.
local cuda = require "luacuda"

local M, N, K = 128, 128, 32

local product = cuda.tiled(function(c, a, b)
  local i, j = program(1), program(2)
  local sum = zeros("float32", M, N)
  for k = 1, tiles(a, 2, K) do
    sum = dot(load(a, { i, k }, { M, K }), load(b, { k, j }, { K, N }), sum)
  end
  store(c, { i, j }, sum)
end, { warps = 8 })

local a = cuda.random.normal({ 300, 200 }):astype "float16"
local b = cuda.random.normal({ 200, 260 }):astype "float16"
local c = cuda.empty({ 300, 260 }, "float16")
product({ tiles = c }, c, a, b)

local expected = cuda.matmul(a:astype "float64", b:astype "float64")
print(("product: largest error %.4f"):format(cuda.abs(c - expected):max()))

return c, expected
