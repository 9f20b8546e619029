-- Dynamic parallelism: quicksort in which each block partitions a range with scans and launches a
-- kernel for each side, small ranges sorted directly.
local N = 3000

return {
  options = { rdc = true },
  source = [[
    #define SMALL 64
    __global__ void small_sort(unsigned *x, int from, int to) {
      __shared__ unsigned s[SMALL];
      int i = threadIdx.x, n = to - from;
      if (i < n) s[i] = x[from + i];
      __syncthreads();
      if (i >= n) return;
      unsigned v = s[i];
      int rank = 0;
      for (int k = 0; k < n; k++) rank += s[k] < v || (s[k] == v && k < i);
      x[from + rank] = v;
    }
    __global__ void quicksort(unsigned *x, unsigned *other, int from, int to) {
      __shared__ int less, more;
      __shared__ unsigned pivot;
      if (threadIdx.x == 0) {
        unsigned a = x[from], b = x[(from + to) / 2], c = x[to - 1];
        pivot = max(min(a, b), min(max(a, b), c));
        less = from;
        more = to;
      }
      __syncthreads();
      for (int base = from; base < to; base += blockDim.x) {
        int i = base + threadIdx.x;
        if (i < to) {
          unsigned v = x[i];
          if (v < pivot) other[atomicAdd(&less, 1)] = v;
          else if (v > pivot) other[atomicSub(&more, 1) - 1] = v;
        }
      }
      __syncthreads();
      for (int i = from + threadIdx.x; i < to; i += blockDim.x)
        x[i] = i < less || i >= more ? other[i] : pivot;
      __threadfence();
      __syncthreads();
      if (threadIdx.x < 2) {
        int a = threadIdx.x == 0 ? from : more, b = threadIdx.x == 0 ? less : to;
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        if (b - a > SMALL) quicksort<<<1, 128, 0, s>>>(x, other, a, b);
        else if (b - a > 1) small_sort<<<1, SMALL, 0, s>>>(x, a, b);
        cudaStreamDestroy(s);
      }
    }]],
  run = function(kernels, t)
    local x = t.list(N, function(i) return i % 3 == 0 and 77 or t.random(1 << 32) end)
    local a = t.cuda.array(x, "uint32")
    kernels.quicksort({ grid = 1, block = 128 }, a, t.cuda.empty(N, "uint32"), 0, N)
    table.sort(x)
    t.same(x, a)
  end,
}
