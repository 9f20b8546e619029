-- Counts the bytes of a photograph by value, with atomic additions in shared memory.
--   Arguments: [PHOTO.png]
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local cuda = require "luacuda"

local histogram = cuda.kernel [==[
  __global__ void histogram(const unsigned char *bytes, int n, unsigned int *counts) {
    __shared__ unsigned int mine[256]; // this block's counts: additions wait for no other block
    for (int i = threadIdx.x; i < 256; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      atomicAdd(&mine[bytes[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
      if (mine[i]) atomicAdd(&counts[i], mine[i]);
  }]==]

local bytes = cuda.load_png(... or here .. "data/coffee.png")
local counts = cuda.zeros(256, "uint32")
histogram({ grid = 32, block = 256 }, bytes, bytes.size, counts)

local list = counts:totable()
local most = math.max(table.unpack(list))
for from = 1, 256, 16 do
  local sum = 0
  for i = from, from + 15 do sum = sum + list[i] end
  print(("%3d..%3d %8d %s"):format(from - 1, from + 14, sum, ("#"):rep(sum * 4 // most)))
end

return bytes, counts
