-- Adds two vectors, and launches the kernel in two ways.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 100000)

local add = cuda.jit(function(c, a, b)
  for i in grid(#c) do c[i] = a[i] + b[i] end
end)

local rng = cuda.random.generator(1)
local a, b = rng:uniform(n), rng:uniform(n)
local c, again = cuda.empty_like(a), cuda.empty_like(a)

add({ threads = n }, c, a, b) -- as many threads as elements, in blocks of a good size
-- The sizes by hand. The loop over the grid fits any of them, also fewer threads than elements.
add({ grid = n // 1000 + 1, block = 256 }, again, a, b)

assert(cuda.array_equal(c, a + b) and cuda.array_equal(again, c))
print(c)

return c, a, b
