-- A product by wgmma in clusters of two blocks, which multiply different rows of a by the same rows
-- of b. Each block brings its rows of a, and one half of those of b to both.
local products = require "spec.support.products"

return products.program {
  small = { BN = 64, STAGES = 3 }, large = { BN = 256, STAGES = 4 },
  sizes = { { 256, 64, 64 }, { 512, 64, 320 } },
  source = [[
#include "hopper.h"
enum { BM = 128, BK = 64, A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2, BYTES = A_BYTES + B_BYTES };

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)
gemm(const __grid_constant__ Map a, const __grid_constant__ Map b, void *c, int n, int k) {
  extern __shared__ __align__(1024) byte s[];
  __shared__ u64 full[STAGES], empty[STAGES];
  int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN, steps = k / BK, half = rank();
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      init(full + i, 1);
      init(empty + i, 4);  // two warp groups of each block
    }
    init_fence();
  }
  cluster_sync();
  if (threadIdx.x < 128) {
    few_registers();
    if (threadIdx.x == 0)
      for (int step = 0; step < steps; step++) {
        int i = step % STAGES;
        byte *slot = s + i * BYTES;
        wait_cluster(empty + i, step / STAGES & 1 ^ 1);
        expect(full + i, BYTES);
        load(slot, &a, step * BK, m0, full + i);
        load_to(slot + A_BYTES + half * (B_BYTES / 2), &b, step * BK, n0 + half * (BN / 2),
                full + i, 3);
      }
  } else {
    many_registers();
    int group = threadIdx.x / 128 - 1, t = threadIdx.x % 128;
    float d[BN / 2] = {};
    pin(d);
    for (int step = 0; step < steps; step++) {
      byte *slot = s + step % STAGES * BYTES;
      wait_cluster(full + step % STAGES, step / STAGES & 1);
      mma_fence();
#pragma unroll
      for (int i = 0; i < BK / 16; i++)
        Mma<BN>::f16(d, rows(slot + group * 8192) + 2 * i, rows(slot + A_BYTES) + 2 * i);
      mma_commit();
      if (step == 0) continue;
      mma_wait<1>();
      if (t < 2) arrive_at(empty + (step - 1) % STAGES, t);
    }
    mma_wait<0>();
    pin(d);
    write_sums(c, n, m0 + group * 64, n0, d);
  }
  __syncwarp();
  cluster_sync();  // the other block may still arrive here
}]],
  launch = function(kernels, x)
    local c = x.config
    kernels.gemm({ grid = { x.m // 128, x.n // c.BN }, block = 384,
      shared = c.STAGES * (128 + c.BN) * 128 }, x.map(x.a, 128), x.map(x.b, c.BN // 2), x.c, x.n,
      x.k)
  end,
}
