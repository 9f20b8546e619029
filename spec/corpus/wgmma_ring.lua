-- A product by wgmma whose tiles the copy engine loads: a ring of slots, each with a barrier object
-- that counts bytes (full) and one that counts warp groups (empty). One of the multiplying threads
-- starts the copies.
local products = require "spec.support.products"

return products.program {
  small = { BM = 128, BN = 64, STAGES = 3 }, large = { BM = 128, BN = 128, STAGES = 4 },
  sizes = { { 128, 64, 64 }, { 128, 128, 448 } },
  source = [[
#include "hopper.h"
enum { BK = 64, A_BYTES = BM * BK * 2, BYTES = A_BYTES + BN * BK * 2, THREADS = BM * 2 };

extern "C" __global__ void __launch_bounds__(THREADS)
gemm(const __grid_constant__ Map a, const __grid_constant__ Map b, void *c, int n, int k) {
  extern __shared__ __align__(1024) byte s[];
  __shared__ u64 full[STAGES], empty[STAGES];
  int group = threadIdx.x / 128, m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, steps = k / BK;
  bool leader = threadIdx.x == 0;
  auto fill = [&](int step) {
    byte *slot = s + step % STAGES * BYTES;
    u64 *bar = full + step % STAGES;
    expect(bar, BYTES);
    load(slot, &a, step * BK, m0, bar);
    load(slot + A_BYTES, &b, step * BK, n0, bar);
  };
  if (leader) {
    for (int i = 0; i < STAGES; i++) {
      init(full + i, 1);
      init(empty + i, BM / 64);
    }
    init_fence();
  }
  __syncthreads();
  if (leader)
    for (int i = 0; i < STAGES && i < steps; i++) fill(i);
  __syncwarp();
  float d[BN / 2] = {};
  pin(d);
  for (int step = 0; step < steps; step++) {
    byte *slot = s + step % STAGES * BYTES;
    wait(full + step % STAGES, step / STAGES & 1);
    mma_fence();
#pragma unroll
    for (int i = 0; i < BK / 16; i++)
      Mma<BN>::f16(d, rows(slot + group * 8192) + 2 * i, rows(slot + A_BYTES) + 2 * i);
    mma_commit();
    if (step == 0) continue;
    // The product before this one is complete, so its slot is free.
    mma_wait<1>();
    int before = step - 1, next = before + STAGES;
    if (threadIdx.x % 128 == 0) arrive(empty + before % STAGES);
    if (leader && next < steps) {
      wait(empty + before % STAGES, before / STAGES & 1);
      fill(next);
    }
    __syncwarp();
  }
  mma_wait<0>();
  pin(d);
  write_sums(c, n, m0 + group * 64, n0, d);
}]],
  launch = function(kernels, x)
    local c = x.config
    kernels.gemm({ grid = { x.n // c.BN, x.m // c.BM }, block = c.BM * 2,
      shared = c.STAGES * (c.BM + c.BN) * 128 }, x.map(x.a, c.BM), x.map(x.b, c.BN), x.c, x.n, x.k)
  end,
}
