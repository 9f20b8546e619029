-- A sum whose threads pass values to each other in their warp.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1000000)
local ALL = 0xffffffff -- a mask: all 32 lanes of the warp take part

-- After the steps 16, 8, 4, 2 and 1 lane 0 has the sum of the values of all lanes.
local function sum_of_warp(v)
  for k = 4, 0, -1 do v = v + shfl_down_sync(ALL, v, 1 << k) end
  return v
end

local sum = cuda.jit(function(total, x)
  local partial = shared("float64", 32)
  local v = 0.0
  for i in grid(#x) do v = v + float64(x[i]) end -- in float64, or the sum would be float32
  v = sum_of_warp(v)
  local warp = threadIdx.x // warpSize
  if laneid == 0 then partial[warp + 1] = v end
  syncthreads()
  if warp == 0 then -- the first warp adds up the warps' sums
    v = laneid < blockDim.x // warpSize and partial[laneid + 1] or 0.0
    v = sum_of_warp(v)
    if laneid == 0 then atomic_add(total, 1, v) end
  end
end)

local x = cuda.arange(n, "float32") % 1000
local total = cuda.zeros(1, "float64")
sum({ grid = 32, block = 256 }, total, x)
assert(total[1] == x:astype("float64"):sum())
print(("sum of %d numbers on %s: %.0f"):format(n, x.device.name, total[1]))

return x, total
