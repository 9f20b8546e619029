-- A product by wgmma with roles: one warp group starts copies and releases registers, two multiply.
local products = require "spec.support.products"

return products.program {
  small = { BN = 64, STAGES = 3 }, large = { BN = 256, STAGES = 4 },
  sizes = { { 128, 64, 64 }, { 256, 128, 320 } },
  source = [[
#include "hopper.h"
enum { BM = 128, BK = 64, A_BYTES = BM * BK * 2, BYTES = A_BYTES + BN * BK * 2 };

INLINE void produce(byte *s, u64 *full, u64 *empty, const Map *a, const Map *b, int m0, int n0,
                    int steps) {
  for (int step = 0; step < steps; step++) {
    int i = step % STAGES;
    byte *slot = s + i * BYTES;
    wait(empty + i, step / STAGES & 1 ^ 1);  // passes at once in the first round
    expect(full + i, BYTES);
    load(slot, a, step * BK, m0, full + i);
    load(slot + A_BYTES, b, step * BK, n0, full + i);
  }
}
INLINE void consume(byte *s, u64 *full, u64 *empty, float (&d)[BN / 2], int group, int steps) {
  for (int step = 0; step < steps; step++) {
    byte *slot = s + step % STAGES * BYTES;
    wait(full + step % STAGES, step / STAGES & 1);
    mma_fence();
#pragma unroll
    for (int i = 0; i < BK / 16; i++)
      Mma<BN>::f16(d, rows(slot + group * 8192) + 2 * i, rows(slot + A_BYTES) + 2 * i);
    mma_commit();
    if (step == 0) continue;
    mma_wait<1>();
    if (threadIdx.x % 128 == 0) arrive(empty + (step - 1) % STAGES);
  }
  mma_wait<0>();
  pin(d);
}
extern "C" __global__ void __launch_bounds__(384, 1)
gemm(const __grid_constant__ Map a, const __grid_constant__ Map b, void *c, int n, int k) {
  extern __shared__ __align__(1024) byte s[];
  __shared__ u64 full[STAGES], empty[STAGES];
  int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
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
    if (threadIdx.x < 32 && elect()) produce(s, full, empty, &a, &b, m0, n0, k / BK);
  } else {
    many_registers();
    int group = threadIdx.x / 128 - 1;
    float d[BN / 2] = {};
    pin(d);
    consume(s, full, empty, d, group, k / BK);
    write_sums(c, n, m0 + group * 64, n0, d);
  }
}]],
  launch = function(kernels, x)
    local c = x.config
    kernels.gemm({ grid = { x.n // c.BN, x.m // 128 }, block = 384,
      shared = c.STAGES * (128 + c.BN) * 128 }, x.map(x.a, 128), x.map(x.b, c.BN), x.c, x.n, x.k)
  end,
}
