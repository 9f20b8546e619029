-- Producers and consumers in different blocks over a ring in global memory, with fences and flags;
-- and "the last block done" that adds up the partial sums of all.
local ITEMS, N = 50, 5000

return {
  source = [[
    #define RING 4
    __device__ int ring[RING][32];
    __device__ volatile unsigned head, tail;
    __global__ void ring_of(int *out, int items) {
      int i = threadIdx.x;
      for (unsigned k = 0; k < items; k++) {
        int *slot = ring[k % RING];
        if (blockIdx.x == 0) {
          if (i == 0) while (head - tail == RING) ;
          __syncthreads();
          slot[i] = k * 100 + i;
          __threadfence();
          __syncthreads();
          if (i == 0) head = k + 1;
        } else {
          if (i == 0) {
            while (head == k) ;
            __threadfence();
          }
          __syncthreads();
          out[k * 32 + i] = *(volatile int *)&slot[31 - i];
          __syncthreads();
          if (i == 0) tail = k + 1;
        }
      }
    }
    __device__ unsigned done;
    __global__ void sum(const int *x, int n, int *partial, int *total) {
      __shared__ int s;
      __shared__ bool last;
      if (threadIdx.x == 0) s = 0;
      __syncthreads();
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s, x[i]);
      __syncthreads();
      if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        __threadfence();
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
      }
      __syncthreads();
      if (last && threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; b++) all += *(volatile int *)&partial[b];
        *total = all;
      }
    }]],
  run = function(kernels, t)
    local out = t.cuda.empty(ITEMS * 32, "int32")
    kernels.ring_of({ grid = 2, block = 32, cooperative = true }, out, ITEMS)
    t.same(t.list(ITEMS * 32, function(i)
      return (i - 1) // 32 * 100 + 31 - (i - 1) % 32
    end), out, "ring")
    local x, sum = t.integers(N, 1000), 0
    for _, v in ipairs(x) do sum = sum + v end
    local a, partial, total = t.cuda.array(x, "int32"), t.cuda.empty(6, "int32"),
      t.cuda.empty(1, "int32")
    for _ = 1, 2 do
      kernels.sum({ grid = 6, block = 64 }, a, N, partial, total)
      t.same({ sum }, total, "sum")
    end
  end,
}
