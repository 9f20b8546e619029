-- A product of 8-bit floats (e4m3) by wgmma, with roles as in wgmma_roles.lua. A row of 128 bytes
-- holds 128 of them.
local products = require "spec.support.products"

return products.program {
  small = { BN = 64, STAGES = 3 }, large = { BN = 256, STAGES = 4 },
  sizes = { { 128, 64, 128 }, { 128, 192, 512 } },
  fp8 = true,
  source = [[
#include "hopper.h"
enum { BM = 128, BK = 128, A_BYTES = BM * BK, BYTES = A_BYTES + BN * BK };

extern "C" __global__ void __launch_bounds__(384, 1)
gemm(const __grid_constant__ Map a, const __grid_constant__ Map b, void *c, int n, int k) {
  extern __shared__ __align__(1024) byte s[];
  __shared__ u64 full[STAGES], empty[STAGES];
  int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, steps = k / BK;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      init(full + i, 1);
      init(empty + i, 2);
    }
    init_fence();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    few_registers();
    if (threadIdx.x == 0)
      for (int step = 0; step < steps; step++) {
        int i = step % STAGES;
        wait(empty + i, step / STAGES & 1 ^ 1);
        expect(full + i, BYTES);
        load(s + i * BYTES, &a, step * BK, m0, full + i);
        load(s + i * BYTES + A_BYTES, &b, step * BK, n0, full + i);
      }
  } else {
    many_registers();
    int group = threadIdx.x / 128 - 1;
    float d[BN / 2];
    for (int step = 0; step < steps; step++) {
      byte *slot = s + step % STAGES * BYTES;
      wait(full + step % STAGES, step / STAGES & 1);
      mma_fence();
#pragma unroll
      for (int i = 0; i < BK / 32; i++)
        Mma<BN>::e4m3(d, rows(slot + group * 8192) + 2 * i, rows(slot + A_BYTES) + 2 * i, step + i);
      mma_commit();
      if (step == 0) continue;
      mma_wait<1>();
      if (threadIdx.x % 128 == 0) arrive(empty + (step - 1) % STAGES);
    }
    mma_wait<0>();
    pin(d);
    write_sums(c, n, m0 + group * 64, n0, d);
  }
}]],
  launch = function(kernels, x)
    local c = x.config
    kernels.gemm({ grid = { x.n // c.BN, x.m // 128 }, block = 384,
      shared = c.STAGES * (128 + c.BN) * 128 }, x.map(x.a, 128), x.map(x.b, c.BN), x.c, x.n, x.k)
  end,
}
