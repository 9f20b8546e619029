-- split_k.lua: a product of few rows and columns and many terms: several programs share a tile of
-- it, and each adds its part.
local cuda = require "luacuda"

local M, N, K, PARTS = 64, 64, 64, 4

local product = cuda.tiled(function(c, a, b)
  local i, j, part = program(1), program(2), program(3)
  local sum = zeros("float32", M, N)
  for k = part, tiles(a, 2, K), PARTS do
    sum = dot(load(a, { i, k }, { M, K }), load(b, { k, j }, { K, N }), sum)
  end
  atomic_add(c, { i, j }, sum)
end)

local a = cuda.random.normal({ 70, 2000 }):astype "float16"
local b = cuda.random.normal({ 2000, 90 }):astype "float16"
local c = cuda.zeros({ 70, 90 }, "float32")
product({ programs = { 2, 2, PARTS } }, c, a, b)

local expected = cuda.matmul(a:astype "float64", b:astype "float64")
print(("split-k: largest error %.4f"):format(cuda.abs(c - expected):max()))

return c, expected
