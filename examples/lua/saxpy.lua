-- A kernel written in Lua: y = a * x + y.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1 << 20)

-- The device runs this function in many threads at once. `grid(#x)` gives each thread its share of
-- the indices 1 ... #x, so the loop reads like one over the whole array and fits any launch.
local saxpy = cuda.jit(function(a, x, y)
  for i in grid(#x) do y[i] = a * x[i] + y[i] end
end)

local x, y = cuda.arange(n, "float32"), cuda.ones(n, "float32")
saxpy({ threads = n }, 2, x, y) -- compiled here, for a number and two arrays of float32
assert(y:allclose(2 * x + 1))
print(y)

return x, y
