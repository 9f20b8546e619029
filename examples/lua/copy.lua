-- The loop over the grid, and what it stands for.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1 << 18)

-- A thread knows its place: threadIdx in its block, blockIdx in the grid, both from 0. All threads
-- together step over the array, so any number of them copies any number of elements.
local copy = cuda.jit(function(y, x)
  local first = blockIdx.x * blockDim.x + threadIdx.x + 1 -- indices of arrays begin at 1
  local threads = gridDim.x * blockDim.x
  for i = first, #x, threads do y[i] = x[i] end
end)

-- The same in short.
local copy_in_short = cuda.jit(function(y, x)
  for i in grid(#x) do y[i] = x[i] end
end)

local x = cuda.random.generator(2):normal(n)
local y, z = cuda.empty_like(x), cuda.empty_like(x)
copy({ grid = 16, block = 256 }, y, x)
copy_in_short({ grid = 16, block = 256 }, z, x)
assert(cuda.array_equal(x, y) and cuda.array_equal(x, z))
print(("%d elements on %s, copied by %d threads"):format(n, x.device.name, 16 * 256))

return x, y, z
