-- Scan in one pass: a block publishes its total, then its prefix, in one 64-bit word of status and
-- value; later blocks look back over their predecessors. A counter gives blocks their numbers.
local N, TILE = 10000, 256

return {
  source = [[
    #define TILE 256
    typedef unsigned long long word;
    enum : unsigned { TOTAL = 1, PREFIX = 2 };
    __device__ void publish(word *slot, unsigned status, int value) {
      atomicExch(slot, (word)status << 32 | (unsigned)value);
    }
    __device__ int look_back(word *slots, int tile) {
      int sum = 0;
      for (int at = tile - 1; at >= 0; ) {
        word w = *(volatile word *)&slots[at];
        unsigned status = w >> 32;
        if (status == 0) continue;
        sum += (int)w;
        if (status == PREFIX) break;
        at--;
      }
      return sum;
    }
    __global__ void scan(const int *x, int *y, int n, word *slots, int *counter) {
      __shared__ int tile, before, sums[TILE / 32];
      if (threadIdx.x == 0) tile = atomicAdd(counter, 1);
      __syncthreads();
      int i = tile * TILE + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
      int v = i < n ? x[i] : 0;
      for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += u;
      }
      if (lane == 31) sums[warp] = v;
      __syncthreads();
      for (int w = 0; w < warp; w++) v += sums[w];
      if (threadIdx.x == TILE - 1) {
        publish(&slots[tile], tile == 0 ? PREFIX : TOTAL, v);
        before = look_back(slots, tile);
        if (tile > 0) publish(&slots[tile], PREFIX, before + v);
      }
      __syncthreads();
      if (i < n) y[i] = before + v;
    }]],
  run = function(kernels, t)
    local x = t.list(N, function() return t.random(2001) - 1000 end)
    local tiles = (N + TILE - 1) // TILE
    local y = t.cuda.empty(N, "int32")
    kernels.scan({ grid = tiles, block = TILE }, t.cuda.array(x, "int32"), y, N,
      t.cuda.zeros(tiles, "uint64"), t.cuda.zeros(1, "int32"))
    local sum = 0
    t.same(t.list(N, function(i) sum = sum + x[i] return sum end), y)
  end,
}
