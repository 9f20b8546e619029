-- A grid-wide barrier: Jacobi's iteration in one cooperative launch, and the sum of squares by one
-- block after it.
local N, STEPS = 256, 9

return {
  heavy = true,
  source = [[
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void jacobi(float *a, float *b, int n, int steps, float *norm) {
      cg::grid_group grid = cg::this_grid();
      for (int step = 0; step < steps; step++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
          float left = i > 0 ? a[i - 1] : 0, right = i + 1 < n ? a[i + 1] : 0;
          b[i] = (left + right) * 0.5f;
        }
        grid.sync();
        float *t = a;
        a = b;
        b = t;
      }
      if (grid.block_rank() == 0) {
        cg::thread_block block = cg::this_thread_block();
        __shared__ float sum[64];
        float s = 0;
        for (int i = block.thread_rank(); i < n; i += block.size()) s += a[i] * a[i];
        sum[block.thread_rank()] = s;
        for (int d = 32; d > 0; d /= 2) {
          block.sync();
          if (block.thread_rank() < d) sum[block.thread_rank()] += sum[block.thread_rank() + d];
        }
        if (block.thread_rank() == 0) *norm = sum[0];
      }
    }]],
  run = function(kernels, t)
    local x = t.floats(N)
    local a, b, norm = t.cuda.array(x), t.cuda.empty(N), t.cuda.empty(1)
    kernels.jacobi({ grid = 3, block = 64, cooperative = true }, a, b, N, STEPS, norm)
    for _ = 1, STEPS do
      x = t.list(N, function(i) return ((x[i - 1] or 0) + (x[i + 1] or 0)) / 2 end)
    end
    t.close(x, b, 1e-6)
    local sum = 0
    for _, v in ipairs(x) do sum = sum + v * v end
    t.close({ sum }, norm, 1e-5)
  end,
}
