-- Sums numbers by passing them between the lanes of a warp.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1000000)

local sum = cuda.kernel [==[
  // Adds up the values of the 32 lanes of a warp; lane 0 gets the total.
  __device__ double warp_sum(double v) {
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    return v;
  }

  __global__ void sum(const float *x, int n, double *total) {
    __shared__ double partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      v += x[i];
    v = warp_sum(v);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    if (warp == 0) {
      v = warp_sum(lane < blockDim.x / 32 ? partial[lane] : 0);
      if (lane == 0) atomicAdd(total, v);
    }
  }]==]

local numbers, expected = {}, 0
for i = 1, n do
  numbers[i] = i % 1000
  expected = expected + numbers[i]
end

local x = cuda.array(numbers, "float32")
local total = cuda.zeros(1, "float64")
sum({ grid = 64, block = 256 }, x, n, total)
local sums = ("%.0f (in Lua %.0f)"):format(total:item(1), expected)
print(("sum of %d numbers on %s: %s"):format(n, x.device.name, sums))

return x, total
