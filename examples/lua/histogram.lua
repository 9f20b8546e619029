-- A histogram of bytes with atomic operations.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 300000)

-- Threads that add to one counter at the same time would lose counts; atomic_add does not. To keep
-- the traffic off the array, each block counts in shared memory and adds its counts at the end.
local histogram = cuda.jit(function(counts, bytes)
  local mine = shared("int32", 256)
  for v = threadIdx.x + 1, 256, blockDim.x do mine[v] = 0 end -- shared memory begins undefined
  syncthreads()
  -- Elements compute in their dtype: as a uint8, 255 + 1 would be 0.
  for i in grid(#bytes) do atomic_add(mine, int32(bytes[i]) + 1, 1) end
  syncthreads()
  for v = threadIdx.x + 1, 256, blockDim.x do atomic_add(counts, v, mine[v]) end
end)

local numbers, want = {}, {}
for v = 1, 256 do want[v] = 0 end
for i = 1, n do
  local byte = (i * i // 7) % 256
  numbers[i], want[byte + 1] = byte, want[byte + 1] + 1
end

local bytes, counts = cuda.array(numbers, "uint8"), cuda.zeros(256, "int32")
histogram({ grid = 32, block = 256 }, counts, bytes)
for v, count in ipairs(counts:totable()) do assert(count == want[v]) end
print(("%d bytes on %s, the most frequent is %d"):format(n, counts.device.name,
  counts:argmax() - 1))

return bytes, counts
