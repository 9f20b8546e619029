-- layer_norm.lua: rows with mean 0 and variance 1, scaled and shifted. One program takes 4 rows.
local cuda = require "luacuda"

local M, N = 4, 512

local normalize = cuda.tiled(function(y, x, weight, bias)
  local i, n = program(1), x.shape[2]
  local rows = load(x, { i, 1 }, { M, N })
  local mean = sum(rows, 2) / n
  local d = where(iota(N) <= n, rows - mean, 0)
  local scale = cuda.reciprocal(math.sqrt(sum(d * d, 2) / n + 1e-5))
  store(y, { i, 1 }, d * scale * load(weight, { 1 }, { N }) + load(bias, { 1 }, { N }))
end)

local x = cuda.random.normal{ 99, 500 } * 3 + 7
local weight, bias = cuda.random.normal(500), cuda.random.normal(500)
local y = cuda.empty_like(x)
normalize({ programs = { 25 } }, y, x, weight, bias)

local d = x:astype "float64"
d = d - d:mean{ axis = 2, keepdims = true }
local expected = d / cuda.sqrt((d * d):mean{ axis = 2, keepdims = true } + 1e-5) * weight + bias
print(("layer norm: largest error %.2e"):format(cuda.abs(y - expected):max()))

return y, expected
