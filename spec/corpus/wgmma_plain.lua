-- A product by wgmma without copy engine: threads copy tiles into swizzled shared memory, and make
-- them visible to the tensor cores by a proxy fence.
local products = require "spec.support.products"

return products.program {
  small = { BM = 128, BN = 64 }, large = { BM = 128, BN = 128 },
  sizes = { { 128, 64, 64 }, { 256, 128, 192 } },
  source = [[
#include "hopper.h"
enum { BK = 64, A_BYTES = BM * BK * 2, THREADS = BM * 2 };

// A unit of 16 bytes changes its place in the row of 128 bytes with the row's number.
INLINE void copy_tile(byte *to, const uint4 *from, int rows, int stride) {
  for (int i = threadIdx.x; i < rows * 8; i += THREADS)
    ((uint4 *)to)[i ^ (i >> 3 & 7)] = from[(i >> 3) * stride + (i & 7)];
}
extern "C" __global__ void __launch_bounds__(THREADS)
gemm(const void *a, const void *b, void *c, int n, int k) {
  extern __shared__ __align__(1024) byte s[];
  int group = threadIdx.x / 128, m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, units = k / 8;
  float d[BN / 2] = {};
  pin(d);
  for (int step = 0; step < k / BK; step++) {
    copy_tile(s, (const uint4 *)a + (size_t)m0 * units + step * 8, BM, units);
    copy_tile(s + A_BYTES, (const uint4 *)b + (size_t)n0 * units + step * 8, BN, units);
    proxy_fence();
    __syncthreads();
    mma_fence();
#pragma unroll
    for (int i = 0; i < BK / 16; i++)
      Mma<BN>::f16(d, rows(s + group * 8192) + 2 * i, rows(s + A_BYTES) + 2 * i);
    mma_commit();
    mma_wait<0>();
    pin(d);
    __syncthreads();
  }
  write_sums(c, n, m0 + group * 64, n0, d);
}]],
  launch = function(kernels, x)
    local c = x.config
    kernels.gemm({ grid = { x.n // c.BN, x.m // c.BM }, block = c.BM * 2,
      shared = (c.BM + c.BN) * 128 }, x.a, x.b, x.c, x.n, x.k)
  end,
}
