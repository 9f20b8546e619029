-- A product of matrices with two tiles in shared memory: cp.async by the primitives of
-- cuda_pipeline.h fills one while the other is used, four results per thread.
local N = 64

return {
  arch = 80,
  source = [[
    #include <cuda_pipeline_primitives.h>
    #define T 32
    __global__ void product(const float *a, const float *b, float *c, int n) {
      __shared__ __align__(16) float sa[2][T][T], sb[2][T][T];
      int tx = threadIdx.x, ty = threadIdx.y; // 32 x 8
      int row = blockIdx.y * T, column = blockIdx.x * T, id = ty * 32 + tx;
      int y = id / 8, x = id % 8 * 4;
      auto load = [&](int k, int stage) {
        __pipeline_memcpy_async(&sa[stage][y][x], &a[(row + y) * n + k + x], 16);
        __pipeline_memcpy_async(&sb[stage][y][x], &b[(k + y) * n + column + x], 16);
        __pipeline_commit();
      };
      float sum[4] = { 0, 0, 0, 0 };
      load(0, 0);
      for (int k = 0, stage = 0; k < n; k += T, stage ^= 1) {
        if (k + T < n) {
          load(k + T, stage ^ 1);
          __pipeline_wait_prior(1);
        } else {
          __pipeline_wait_prior(0);
        }
        __syncthreads();
        #pragma unroll
        for (int j = 0; j < T; j++)
          for (int r = 0; r < 4; r++) sum[r] += sa[stage][ty + 8 * r][j] * sb[stage][j][tx];
        __syncthreads();
      }
      for (int r = 0; r < 4; r++) c[(row + ty + 8 * r) * n + column + tx] = sum[r];
    }]],
  run = function(kernels, t)
    local function numbers() return t.list(N * N, function() return (t.random(33) - 16) / 4 end) end
    local a, b, c = numbers(), numbers(), t.cuda.empty(N * N)
    kernels.product({ grid = { N // 32, N // 32 }, block = { 32, 8 } }, t.cuda.array(a),
      t.cuda.array(b), c, N)
    t.same(t.list(N * N, function(i)
      local row, column, sum = (i - 1) // N, (i - 1) % N, 0
      for k = 0, N - 1 do sum = sum + a[row * N + k + 1] * b[k * N + column + 1] end
      return sum
    end), c)
  end,
}
