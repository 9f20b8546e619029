-- k-means of points in the plane: sums per cluster in shared memory with integer atomics, centers
-- in a struct by value, until nothing changes.
local N, K = 600, 5

return {
  source = [[
    #define K 5
    struct centers { float x[K], y[K]; };
    __global__ void assign(const short2 *points, int n, centers c, int *cluster, int *sums,
                           int *changed) {
      __shared__ int s[3 * K];
      for (int i = threadIdx.x; i < 3 * K; i += blockDim.x) s[i] = 0;
      __syncthreads();
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      bool moved = false;
      if (i < n) {
        short2 p = points[i];
        int best = 0;
        float least = 1e30f;
        for (int k = 0; k < K; k++) {
          float dx = p.x - c.x[k], dy = p.y - c.y[k], d = dx * dx + dy * dy;
          if (d < least) least = d, best = k;
        }
        moved = cluster[i] != best;
        cluster[i] = best;
        atomicAdd(&s[3 * best], p.x);
        atomicAdd(&s[3 * best + 1], p.y);
        atomicAdd(&s[3 * best + 2], 1);
      }
      int count = __syncthreads_count(moved);
      if (threadIdx.x == 0) atomicAdd(changed, count);
      for (int k = threadIdx.x; k < 3 * K; k += blockDim.x) atomicAdd(&sums[k], s[k]);
    }]],
  run = function(kernels, t)
    local points = {}
    for i = 1, N do
      local c = i % K
      points[2 * i - 1] = c * 40 + t.random(31) - 15
      points[2 * i] = c * c * 25 % 90 + t.random(31) - 15
    end
    local x, y, own = {}, {}, {}
    for k = 1, K do x[k], y[k] = points[2 * k + 19] * 1.0, points[2 * k + 20] * 1.0 end
    local cuda = t.cuda
    local data, cluster = cuda.array(points, "int16"), cuda.full(N, -1, "int32")
    local moved, rounds = nil, 0
    repeat
      local sums, changed = cuda.zeros(3 * K, "int32"), cuda.zeros(1, "int32")
      kernels.assign({ threads = N, block = 128 }, data, N, { x = x, y = y }, cluster, sums,
        changed)
      local want = t.list(3 * K, function() return 0 end)
      local count = 0
      for i = 1, N do
        local best, least = nil, math.huge
        for k = 1, K do
          local d = (points[2 * i - 1] - x[k]) ^ 2 + (points[2 * i] - y[k]) ^ 2
          if d < least then best, least = k, d end
        end
        if own[i] ~= best then count = count + 1 end
        own[i] = best
        for j, v in ipairs { points[2 * i - 1], points[2 * i], 1 } do
          want[3 * best - 3 + j] = want[3 * best - 3 + j] + v
        end
      end
      t.same(want, sums, "sums")
      t.same({ count }, changed, "changed")
      moved = count > 0
      -- Halves, quarters, ... keep distances exact in both precisions.
      for k = 1, K do
        if want[3 * k] > 0 then
          x[k] = math.floor(want[3 * k - 2] / want[3 * k] * 8) / 8
          y[k] = math.floor(want[3 * k - 1] / want[3 * k] * 8) / 8
        end
      end
      rounds = rounds + 1
    until not moved or rounds == 20
    t.same(t.list(N, function(i) return own[i] - 1 end), cluster, "clusters")
  end,
}
