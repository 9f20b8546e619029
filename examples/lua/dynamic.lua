-- Shared memory whose size the launch decides.   Arguments: [N [PIECE]]
local cuda = require "luacuda"

local n, piece = ...
n, piece = math.tointeger(tonumber(n) or 1000), math.tointeger(tonumber(piece) or 96)

-- Reverses each piece of the array, as long as the block is, and counts its negative elements. Both
-- arrays lie in the same memory, so the second one begins where the first one ends.
local reverse = cuda.jit(function(y, negative, x)
  local values, count = dynamic_shared "float32", dynamic_shared("int32", 4 * blockDim.x)
  local t, before = threadIdx.x + 1, blockIdx.x * blockDim.x
  local length = math.min(blockDim.x, #x - before) -- the last piece may be shorter
  if t == 1 then count[1] = 0 end
  syncthreads()
  if t <= length then
    values[t] = x[before + t]
    if values[t] < 0 then atomic_add(count, 1, 1) end
  end
  syncthreads()
  if t <= length then y[before + t] = values[length + 1 - t] end
  if t == 1 then negative[blockIdx.x + 1] = count[1] end
end)

local x = cuda.random.generator(6):normal(n)
local y = cuda.empty_like(x)
local blocks = (n + piece - 1) // piece
local negative = cuda.empty(blocks, "int32")
-- A float for each thread, and one integer.
reverse({ grid = blocks, block = piece, shared = 4 * piece + 4 }, y, negative, x)

assert(y[1] == x[math.min(piece, n)] and y[n] == x[(blocks - 1) * piece + 1])
assert(negative:sum() == x:lt(0):count_nonzero())
print(("%d pieces of %d on %s, %d elements are negative"):format(blocks, piece, x.device.name,
  negative:sum()))

return x, y, negative, piece
