-- warp_sum: a sum whose threads pass values to each other within their warp.
local cuda = require "luacuda"

local ALL = 0xffffffff

local pair = { name = "warp_sum", gpu = 1 << 26, cpu = 1 << 19, tolerance = 1e-3 }

local function sum_of_warp(v)
  for k = 4, 0, -1 do v = v + shfl_down_sync(ALL, v, 1 << k) end
  return v
end

function pair.lua(total, x)
  local partial, v = shared("float32", 32), float32(0)
  for i in grid(#x) do v = v + x[i] end
  v = sum_of_warp(v)
  local warp = threadIdx.x // warpSize
  if laneid == 0 then partial[warp + 1] = v end
  syncthreads()
  if warp == 0 then
    v = laneid < blockDim.x // warpSize and partial[laneid + 1] or 0.0
    v = sum_of_warp(v)
    if laneid == 0 then atomic_add(total, 1, v) end
  end
end

pair.cuda = [==[
  __device__ float sum_of_warp(float v) {
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    return v;
  }
  __global__ void warp_sum(float *__restrict__ total, const float *__restrict__ x, int n) {
    __shared__ float partial[32];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      v += x[i];
    v = sum_of_warp(v);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    if (warp == 0) {
      v = lane < blockDim.x / 32 ? partial[lane] : 0;
      v = sum_of_warp(v);
      if (lane == 0) atomicAdd(total, v);
    }
  }]==]

function pair.arrays(n) return { x = cuda.random.uniform(n), out = cuda.zeros(1) } end
function pair.launch(n) return { grid = math.min(1024, (n + 1023) // 1024), block = 256 } end
function pair.for_lua(t) return t.out, t.x end
function pair.for_cuda(t, n) return t.out, t.x, n end

return pair
