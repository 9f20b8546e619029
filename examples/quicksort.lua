-- Sorts numbers with kernels that launch kernels for the two sides.   Arguments: [N [SEED]]
local cuda = require "luacuda"

local n, seed = ...
n, seed = math.tointeger(tonumber(n) or 100000), math.tointeger(tonumber(seed) or 1)

local m = cuda.module([==[
  // Sorts a short range with one block: a bitonic sort whose steps all go upwards, so that it works
  // for any length.
  __global__ void sort_short(unsigned *x, int n) {
    auto order = [&](int i, int j) {
      if (i < j && j < n && x[i] > x[j]) {
        unsigned t = x[i];
        x[i] = x[j];
        x[j] = t;
      }
    };
    for (int size = 2; size / 2 < n; size *= 2) {
      for (int i = threadIdx.x; i < n; i += blockDim.x) order(i, i ^ (size - 1));
      __syncthreads();
      for (int step = size / 4; step > 0; step /= 2) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) order(i, i ^ step);
        __syncthreads();
      }
    }
  }

  __global__ void quicksort(unsigned *x, unsigned *other, int n, int depth) {
    __shared__ int less, more;
    __shared__ unsigned pivot;
    if (threadIdx.x == 0) {
      unsigned a = x[0], b = x[n / 2], c = x[n - 1];
      pivot = max(min(a, b), min(max(a, b), c));
      less = 0;
      more = n;
    }
    __syncthreads();
    // Smaller numbers go to the start, larger ones to the end.
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      if (x[i] < pivot) other[atomicAdd(&less, 1)] = x[i];
      else if (x[i] > pivot) other[atomicSub(&more, 1) - 1] = x[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      x[i] = i < less || i >= more ? other[i] : pivot;
    __threadfence();
    __syncthreads();
    if (threadIdx.x > 1) return;
    // In streams of their own, the two sides are sorted at the same time.
    int from = threadIdx.x == 0 ? 0 : more, count = (threadIdx.x == 0 ? less : n) - from;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (count > 1024 && depth > 1)
      quicksort<<<1, 256, 0, stream>>>(x + from, other + from, count, depth - 1);
    else if (count > 1)
      sort_short<<<1, 256, 0, stream>>>(x + from, count);
    cudaStreamDestroy(stream);
  }]==], { rdc = true })

local x = cuda.random.generator(seed):integers(0, 1000000, n, { dtype = "uint32" })
local sorted = x:copy()
m.kernels.quicksort({ grid = 1, block = 256 }, sorted, cuda.empty_like(x), n, 16)
print(("%d numbers from %d to %d, the middle one %d"):format(n, sorted[1], sorted[n],
  sorted[(n + 1) // 2]))

return x, sorted
