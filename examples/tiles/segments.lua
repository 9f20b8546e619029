-- segments.lua: sums of rows by the number of their segment, as a product with ones and zeros.
local cuda = require "luacuda"

local S, M, N = 32, 64, 64

local segments = cuda.tiled(function(sums, x, number)
  local j = program(2)
  local total = zeros("float32", S, N)
  for i = 1, tiles(x, 1, M) do
    local own = load(number, { i }, { M }) == transpose(iota(S))
    total = dot(where(own, float32(1), 0), load(x, { i, j }, { M, N }), total)
  end
  store(sums, { 1, j }, total)
end)

local x = cuda.random.normal{ 1000, 100 }
local number = cuda.random.integers(1, 21, 1000):astype "int32"
local sums = cuda.empty{ 20, 100 }
segments({ tiles = sums }, sums, x, number)

local own = number:reshape(1, 1000):eq(cuda.arange(1, 21, "int32"):reshape(20, 1))
local expected = cuda.matmul(own:astype "float64", x:astype "float64")
print(("segments: largest error %.2e"):format(cuda.abs(sums - expected):max()))

return sums, expected
