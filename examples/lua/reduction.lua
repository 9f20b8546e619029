-- Sums with shared memory, in three ways.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 100000)
local BLOCK = 256

-- Folds the block's numbers: in each round half as many threads add a number from the other half.
-- All threads reach each barrier, also those that add nothing.
local function fold(values, t)
  local half = BLOCK // 2
  while half > 0 do
    syncthreads()
    if t <= half then values[t] = values[t] + values[t + half] end
    half = half // 2
  end
end

-- The sum of what this thread takes of x.
local function part(x)
  local sum = 0 -- an integer of 64 bits: sums of int32 elements do not wrap around
  for i in grid(#x) do sum = sum + x[i] end
  return sum
end

-- One block. Its first thread has the sum.
local sum_of_block = cuda.jit(function(total, x)
  local values, t = shared("int64", BLOCK), threadIdx.x + 1
  values[t] = part(x)
  fold(values, t)
  if t == 1 then total[1] = values[1] end
end)

-- One block, and one thread that adds what the others have left in shared memory.
local sum_by_one = cuda.jit(function(total, x)
  local values, t = shared("int64", BLOCK), threadIdx.x + 1
  values[t] = part(x)
  syncthreads()
  if t > 1 then return end -- after the last barrier
  local sum = 0
  for k = 1, BLOCK do sum = sum + values[k] end
  total[1] = sum
end)

-- Many blocks, whose sums are added by atomic operations.
local sum_of_blocks = cuda.jit(function(total, x)
  local values, t = shared("int64", BLOCK), threadIdx.x + 1
  values[t] = part(x)
  fold(values, t)
  if t == 1 then atomic_add(total, 1, values[1]) end
end)

local x = cuda.arange(n, "int32") % 1009
local totals = cuda.zeros({ 3, 1 }, "int64")
sum_of_block({ grid = 1, block = BLOCK }, totals[1], x)
sum_by_one({ grid = 1, block = BLOCK }, totals[2], x)
sum_of_blocks({ grid = 24, block = BLOCK }, totals[3], x)
for way = 1, 3 do assert(totals[way][1] == x:sum()) end
print(("sum of %d numbers on %s: %d"):format(n, x.device.name, totals[3][1]))

return x, totals
