-- A product by wgmma with as many blocks as the device holds. Each block computes several tiles, in
-- bands of eight rows of tiles. The copy engine stores a tile while the next one is computed.
local products = require "spec.support.products"

return products.program {
  small = { BN = 64, STAGES = 3 }, large = { BN = 192, STAGES = 4 },
  sizes = { { 128, 64, 64 }, { 384, 192, 256 } },
  source = [[
#include "hopper.h"
enum { BM = 128, BK = 64, A_BYTES = BM * BK * 2, BYTES = A_BYTES + BN * BK * 2, BAND = 8 };

struct Tile { int m, n; };
INLINE Tile tile_of(int i, int tiles_m, int tiles_n) {
  int band = i / (BAND * tiles_n), first = band * BAND, rows = min(BAND, tiles_m - first);
  int j = i - first * tiles_n;
  return { (first + j % rows) * BM, j / rows * BN };
}
// The sums of a warp group as f16 to shared memory, in boxes of 64 rows of 128 bytes.
INLINE void write_boxes(byte *to, float (&d)[BN / 2]) {
#pragma unroll
  for (int i = 0; i < BN / 4; i++) {
    int row = sum_row() + i % 2 * 8, unit = i / 2 % 8;
    *(u32 *)(to + i / 16 * 8192 + row * 128 + (unit ^ row & 7) * 16 + sum_column() * 2) =
      halves(d[2 * i], d[2 * i + 1]);
  }
}
extern "C" __global__ void __launch_bounds__(384, 1)
gemm(const __grid_constant__ Map a, const __grid_constant__ Map b, const __grid_constant__ Map c,
     int m, int n, int k) {
  extern __shared__ __align__(1024) byte s[];
  __shared__ u64 full[STAGES], empty[STAGES];
  int tiles_m = m / BM, tiles_n = n / BN, tiles = tiles_m * tiles_n, steps = k / BK;
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
    if (threadIdx.x == 0) {
      int used = 0;
      for (int i = blockIdx.x; i < tiles; i += gridDim.x) {
        Tile tile = tile_of(i, tiles_m, tiles_n);
        for (int step = 0; step < steps; step++, used++) {
          byte *slot = s + used % STAGES * BYTES;
          u64 *bar = full + used % STAGES;
          wait(empty + used % STAGES, used / STAGES & 1 ^ 1);
          expect(bar, BYTES);
          load(slot, &a, step * BK, tile.m, bar);
          load(slot + A_BYTES, &b, step * BK, tile.n, bar);
        }
      }
    }
  } else {
    many_registers();
    int group = threadIdx.x / 128 - 1, used = 0;
    bool leader = threadIdx.x % 128 == 0;
    byte *result = s + STAGES * BYTES + group * 64 * BN * 2;
    for (int i = blockIdx.x; i < tiles; i += gridDim.x) {
      Tile tile = tile_of(i, tiles_m, tiles_n);
      float d[BN / 2];
      for (int step = 0; step < steps; step++, used++) {
        byte *slot = s + used % STAGES * BYTES;
        wait(full + used % STAGES, used / STAGES & 1);
        mma_fence();
#pragma unroll
        for (int q = 0; q < BK / 16; q++)
          Mma<BN>::f16(d, rows(slot + group * 8192) + 2 * q, rows(slot + A_BYTES) + 2 * q,
                       step + q);
        mma_commit();
        if (step == 0) continue;
        mma_wait<1>();
        if (leader) arrive(empty + (used - 1) % STAGES);
      }
      mma_wait<0>();
      pin(d);
      if (leader) {
        arrive(empty + (used - 1) % STAGES);
        sources_read<0>();  // of the stores of the tile before
      }
      sync(1 + group, 128);
      write_boxes(result, d);
      proxy_fence();
      sync(1 + group, 128);
      if (leader) {
        for (int box = 0; box < BN / 64; box++)
          store(&c, tile.n + box * 64, tile.m + group * 64, result + box * 8192);
        commit();
      }
    }
    if (leader) stored<0>();
  }
}]],
  launch = function(kernels, x)
    local c = x.config
    kernels.gemm({ grid = products.resident(x, x.m // 128 * (x.n // c.BN)), block = 384,
      shared = c.STAGES * (128 + c.BN) * 128 + 128 * c.BN * 2 }, x.map(x.a, 128), x.map(x.b, c.BN),
      x.map(x.c, 64), x.m, x.n, x.k)
  end,
}
