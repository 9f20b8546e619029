-- A product of matrices of halves on tensor cores: tiles through shared memory, four warps, float
-- sums, an epilogue on the fragments.
local M, N, K = 32, 48, 64

return {
  source = [[
    #include <mma.h>
    using namespace nvcuda;
    #define K 64
    __global__ void gemm(const half *a, const half *b, float *c, int n, float alpha) {
      __shared__ half sa[16][K + 8], sb[K][16 + 8];
      int row = blockIdx.y * 16, column = blockIdx.x * 16;
      for (int i = threadIdx.x; i < 16 * K; i += blockDim.x) {
        sa[i / K][i % K] = a[(row + i / K) * K + i % K];
        sb[i / 16][i % 16] = b[i / 16 * n + column + i % 16];
      }
      __syncthreads();
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
      wmma::fill_fragment(sum, 0.0f);
      for (int k = 0; k < K; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &sa[0][k], K + 8);
        wmma::load_matrix_sync(fb, &sb[k][0], 16 + 8);
        wmma::mma_sync(sum, fa, fb, sum);
      }
      for (int i = 0; i < sum.num_elements; i++) sum.x[i] = fmaxf(alpha * sum.x[i], 0.0f);
      wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
    }]],
  run = function(kernels, t)
    local function numbers(count)
      return t.list(count, function() return (t.random(65) - 32) / 16 end)
    end
    local a, b = numbers(M * K), numbers(K * N)
    local c = t.cuda.empty(M * N)
    kernels.gemm({ grid = { N // 16, M // 16 }, block = 32 }, t.cuda.array(a, "float16"),
      t.cuda.array(b, "float16"), c, N, 0.5)
    local want = {}
    for i = 0, M - 1 do
      for j = 0, N - 1 do
        local sum = 0
        for k = 0, K - 1 do sum = sum + a[i * K + k + 1] * b[k * N + j + 1] end
        want[#want + 1] = math.max(0.5 * sum, 0)
      end
    end
    t.close(want, c, 1e-6)
  end,
}
