-- A product by wgmma in which several blocks share the sums of a tile. The first block stores its
-- part; the others wait for their turn and add theirs by bulk reductions.
local products = require "spec.support.products"

return products.program {
  small = { BN = 64, STAGES = 2, SPLITS = 3 }, large = { BN = 128, STAGES = 4, SPLITS = 4 },
  sizes = { { 128, 64, 192 }, { 256, 128, 576 } },
  result = "float32",
  source = [[
#include "hopper.h"
enum { BM = 128, BK = 64, A_BYTES = BM * BK * 2, BYTES = A_BYTES + BN * BK * 2 };

INLINE int acquire(const int *p) {
  int v;
  ASM("ld.acquire.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
INLINE void release(int *p, int v) { ASM("st.release.gpu.b32 [%0], %1;" :: "l"(p), "r"(v)); }

// The sums of a warp group, to 64 rows of BN floats.
INLINE void write_floats(float *to, float (&d)[BN / 2]) {
#pragma unroll
  for (int i = 0; i < BN / 4; i++)
    *(float2 *)(to + (sum_row() + i % 2 * 8) * BN + i / 2 * 8 + sum_column()) =
      make_float2(d[2 * i], d[2 * i + 1]);
}
// turns: one for each tile, 0 before and after
extern "C" __global__ void __launch_bounds__(384, 1)
gemm(const __grid_constant__ Map a, const __grid_constant__ Map b, float *c, int *turns, int n,
     int k) {
  extern __shared__ __align__(1024) byte s[];
  __shared__ u64 full[STAGES], empty[STAGES];
  int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, steps = k / BK / SPLITS, part = blockIdx.z;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      init(full + i, 1);
      init(empty + i, 2);
    }
    init_fence();
  }
  __syncthreads();
  float *result = (float *)(s + STAGES * BYTES);
  if (threadIdx.x < 128) {
    few_registers();
    if (threadIdx.x == 0)
      for (int step = 0; step < steps; step++) {
        int i = step % STAGES;
        wait(empty + i, step / STAGES & 1 ^ 1);
        expect(full + i, BYTES);
        load(s + i * BYTES, &a, (part * steps + step) * BK, m0, full + i);
        load(s + i * BYTES + A_BYTES, &b, (part * steps + step) * BK, n0, full + i);
      }
  } else {
    many_registers();
    int group = threadIdx.x / 128 - 1;
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
      mma_wait<0>();
      pin(d);
      if (threadIdx.x % 128 == 0) arrive(empty + step % STAGES);
    }
    write_floats(result + group * 64 * BN, d);
    proxy_fence();
  }
  __syncthreads();
  if (threadIdx.x >= 32) return;
  int *turn = turns + blockIdx.y * gridDim.x + blockIdx.x;
  if (threadIdx.x == 0)
    while (acquire(turn) != part);
  __syncwarp();
  proxy_fence();  // these reductions come after the stores of the block before
  for (int row = threadIdx.x; row < BM; row += 32) {
    float *to = c + (size_t)(m0 + row) * n + n0;
    if (part == 0) bulk_store(to, result + row * BN, BN * 4);
    else bulk_add(to, result + row * BN, BN * 4);
  }
  commit();
  stored<0>();
  __syncwarp();
  if (threadIdx.x == 0) {
    __threadfence();
    release(turn, part + 1 == SPLITS ? 0 : part + 1);
  }
}]],
  launch = function(kernels, x)
    local c = x.config
    local grid = { x.n // c.BN, x.m // 128, c.SPLITS }
    x.turns = x.turns or x.cuda.zeros(grid[1] * grid[2], "int32")
    kernels.gemm({ grid = grid, block = 384,
      shared = c.STAGES * (128 + c.BN) * 128 + 128 * c.BN * 4 }, x.map(x.a, 128), x.map(x.b, c.BN),
      x.c, x.turns, x.n, x.k)
  end,
}
