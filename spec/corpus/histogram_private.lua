-- Histograms: one per warp in shared memory, added up with atomics in global memory.
local N, BINS = 8000, 64

return {
  source = [[
    #define BINS 64
    __global__ void histogram(const unsigned char *x, int n, unsigned *bins) {
      __shared__ unsigned own[4][BINS];
      for (int i = threadIdx.x; i < 4 * BINS; i += blockDim.x) own[i / BINS][i % BINS] = 0;
      __syncthreads();
      const uchar4 *x4 = (const uchar4 *)x;
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        uchar4 v = x4[i];
        unsigned *mine = own[threadIdx.x / 32];
        atomicAdd(&mine[v.x >> 2], 1);
        atomicAdd(&mine[v.y >> 2], 1);
        atomicAdd(&mine[v.z >> 2], 1);
        atomicInc(&mine[v.w >> 2], ~0u);
      }
      __syncthreads();
      for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned sum = own[0][b] + own[1][b] + own[2][b] + own[3][b];
        if (sum != 0) atomicAdd(&bins[b], sum);
      }
    }]],
  run = function(kernels, t)
    local x, want = t.integers(N, 256), t.list(BINS, function() return 0 end)
    for i, v in ipairs(x) do
      if i % 3 == 0 then v = v // 5; x[i] = v end
      want[v // 4 + 1] = want[v // 4 + 1] + 1
    end
    local bins = t.cuda.zeros(BINS, "uint32")
    kernels.histogram({ grid = 5, block = 128 }, t.cuda.array(x, "uint8"), N, bins)
    t.same(want, bins)
  end,
}
