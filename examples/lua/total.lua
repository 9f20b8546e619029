-- Reductions made of Lua functions.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1234)

local function same(v) return v end

-- The parts: what is taken of an element, how two values become one, what is done at the end.
local sum = cuda.reduction("T x", "T y", same, function(a, b) return a + b end, same, 0)
local length = cuda.reduction("T x", "T y", function(x) return x * x end,
  function(a, b) return a + b end, function(a) return math.sqrt(a) end, 0)
-- Any function will do that may take its values in any order and in any groups.
local nearest = cuda.reduction("T x, T goal", "T y",
  function(x, goal) return math.abs(x - goal) end, function(a, b) return math.min(a, b) end, same,
  math.huge)

local x = cuda.arange(1, n + 1, "float64")
-- The result of all elements is an array without axes.
local total, norm, distance = sum(x):item(), length(x):item(), nearest(x, n // 2 + 0.25):item()
local rows = sum(x:slice { 1, n - n % 2 }:reshape { 2, n // 2 }, { axis = 2 }) -- two sums

assert(total == x:sum() and total == n * (n + 1) / 2)
assert(math.abs(norm - x:norm()) <= 1e-12 * norm)
assert(distance == 0.25)
assert(rows[1] + rows[2] == total - (n % 2) * n)
print(("sum of 1 ... %d on %s: %.0f, length %.3f"):format(n, x.device.name, total, norm))

return x, total, norm, distance, rows
