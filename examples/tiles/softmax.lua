-- softmax.lua: the softmax of each row. A row is one tile, and fits into registers.
local cuda = require "luacuda"

local N = 1024

local softmax = cuda.tiled(function(y, x)
  local i = program(1)
  local row = load(x, { i, 1 }, { 1, N }, -math.huge)
  local e = math.exp(row - max(row, 2))
  store(y, { i, 1 }, e / sum(e, 2))
end)

local x = cuda.random.normal{ 100, 1000 }
local y = cuda.empty_like(x)
softmax({ programs = { 100 } }, y, x)

local expected = cuda.softmax(x:astype "float64", { axis = 2 })
print(("softmax: largest error %.2e"):format(cuda.abs(y - expected):max()))

return y, expected
