-- The largest element and its place, with atomic operations.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 20000)
local LEAST = -1 << 31 -- of int32

-- atomic_max returns the old value, which is not needed here. An array of several axes takes all
-- its indices before the value.
local maximum = cuda.jit(function(most, x)
  for i in grid(#x) do atomic_max(most, 1, 2, 3, x[i]) end
end)

-- Fewer atomic operations: each thread finds its own largest element first. Then the value and its
-- index are compared as one integer of 64 bits, so the two stay together.
local place = cuda.jit(function(packed, x)
  local best, at = x[1], 1
  for i in grid(#x) do
    if x[i] > best then best, at = x[i], i end
  end
  atomic_max(packed, 1, int64(best) << 32 | #x - at) -- of equal ones the first
end)

local x = cuda.random.generator(3):integers(-1000000, 1000000, n, { dtype = "int32" })
local most = cuda.full({ 3, 3, 3 }, LEAST, "int32")
local packed = cuda.full(1, math.mininteger, "int64")
maximum({ threads = n }, most, x)
place({ grid = 4, block = 128 }, packed, x)

local value, index = packed[1] // (1 << 32), n - (packed[1] & 0xffffffff)
assert(most[1][2][3] == x:max() and most[3][2][1] == LEAST)
assert(value == x:max() and index == x:argmax())
print(("the largest of %d numbers on %s is %d, at %d"):format(n, x.device.name, value, index))

return x, most, packed
