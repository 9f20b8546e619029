-- Warps with roles: one loads tiles, one multiplies, one adds up, with named barriers of two warps
-- each between them (bar.sync and bar.arrive with a count).
local TILES = 10

return {
  source = [[
    __device__ void sync(int id) { asm volatile("bar.sync %0, 64;" :: "r"(id) : "memory"); }
    __device__ void arrive(int id) { asm volatile("bar.arrive %0, 64;" :: "r"(id) : "memory"); }
    // Barriers 1 and 2: a tile is full; 3 and 4: it is free again; 5: a product is there; 6: taken.
    __global__ void roles(const int *x, int *y, int tiles) {
      __shared__ int tile[2][32], product[32];
      int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
      if (warp == 0) {
        for (int k = 0; k < tiles; k++) {
          if (k >= 2) sync(3 + k % 2);
          tile[k % 2][lane] = x[k * 32 + lane];
          __threadfence_block();
          arrive(1 + k % 2);
        }
      } else if (warp == 1) {
        for (int k = 0; k < tiles; k++) {
          sync(1 + k % 2);
          int v = tile[k % 2][lane] * tile[k % 2][31 - lane];
          if (k + 2 < tiles) arrive(3 + k % 2);
          if (k > 0) sync(6);
          product[lane] = v + k;
          __threadfence_block();
          arrive(5);
        }
      } else {
        int sum = 0;
        for (int k = 0; k < tiles; k++) {
          sync(5);
          sum += product[(lane + k) % 32];
          if (k + 1 < tiles) arrive(6);
        }
        y[lane] = sum;
      }
    }]],
  run = function(kernels, t)
    local x, y = t.integers(32 * TILES, 50), t.cuda.empty(32, "int32")
    kernels.roles({ grid = 1, block = 96 }, t.cuda.array(x, "int32"), y, TILES)
    t.same(t.list(32, function(i)
      local sum = 0
      for k = 0, TILES - 1 do
        local lane = (i - 1 + k) % 32
        sum = sum + x[k * 32 + lane + 1] * x[k * 32 + 32 - lane] + k
      end
      return sum
    end), y)
  end,
}
