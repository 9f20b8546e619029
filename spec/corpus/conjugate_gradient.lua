-- Conjugate gradients in one cooperative launch: sparse products, dot products over the grid with
-- atomics, a barrier of the grid between the steps.
local SIDE = 12
local N = SIDE * SIDE

return {
  heavy = true,
  source = [[
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __device__ double sums[3];
    __device__ void add_dot(double *to, const double *a, const double *b, int n, cg::grid_group g) {
      double s = 0;
      for (int i = g.thread_rank(); i < n; i += g.size()) s += a[i] * b[i];
      auto warp = cg::tiled_partition<32>(cg::this_thread_block());
      for (int d = 16; d > 0; d /= 2) s += warp.shfl_down(s, d);
      if (warp.thread_rank() == 0) atomicAdd(to, s);
    }
    // The Laplacian of a square with a fixed rim.
    __device__ double laplace(const double *p, int i, int side) {
      int x = i % side, y = i / side;
      double v = 4 * p[i];
      if (x > 0) v -= p[i - 1];
      if (x < side - 1) v -= p[i + 1];
      if (y > 0) v -= p[i - side];
      if (y < side - 1) v -= p[i + side];
      return v;
    }
    __global__ void solve(const double *b, double *x, double *r, double *p, double *ap, int side,
                          int most, int *steps) {
      cg::grid_group g = cg::this_grid();
      int n = side * side;
      for (int i = g.thread_rank(); i < n; i += g.size()) {
        x[i] = 0;
        r[i] = p[i] = b[i];
      }
      if (g.thread_rank() == 0) sums[0] = sums[1] = sums[2] = 0;
      g.sync();
      add_dot(&sums[0], r, r, n, g);
      g.sync();
      double rr = *(volatile double *)&sums[0];
      int step = 0;
      for (; step < most && rr > 1e-20; step++) {
        for (int i = g.thread_rank(); i < n; i += g.size()) ap[i] = laplace(p, i, side);
        g.sync();
        add_dot(&sums[1], p, ap, n, g);
        g.sync();
        double alpha = rr / *(volatile double *)&sums[1];
        for (int i = g.thread_rank(); i < n; i += g.size()) {
          x[i] += alpha * p[i];
          r[i] -= alpha * ap[i];
        }
        if (g.thread_rank() == 0) sums[0] = 0;
        g.sync();
        add_dot(&sums[0], r, r, n, g);
        if (g.thread_rank() == 0) sums[1] = 0;
        g.sync();
        double next = *(volatile double *)&sums[0];
        for (int i = g.thread_rank(); i < n; i += g.size()) p[i] = r[i] + next / rr * p[i];
        rr = next;
        g.sync();
      }
      if (g.thread_rank() == 0) *steps = step;
    }]],
  run = function(kernels, t)
    local b = t.floats(N)
    local function empty() return t.cuda.empty(N, "float64") end
    local x, steps = empty(), t.cuda.empty(1, "int32")
    kernels.solve({ grid = 3, block = 64, cooperative = true }, t.cuda.array(b, "float64"), x,
      empty(), empty(), empty(), SIDE, 200, steps)
    assert(steps[1] < 100, "it does not converge")
    x = x:totable()
    t.close(b, t.list(N, function(i)
      local column, row, v = (i - 1) % SIDE, (i - 1) // SIDE, 4 * x[i]
      if column > 0 then v = v - x[i - 1] end
      if column < SIDE - 1 then v = v - x[i + 1] end
      if row > 0 then v = v - x[i - SIDE] end
      if row < SIDE - 1 then v = v - x[i + SIDE] end
      return v
    end), 1e-9, 1e-9)
  end,
}
