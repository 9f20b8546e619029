-- Systems of tridiagonal equations, one per block: parallel cyclic reduction in shared memory,
-- checked by substitution.
local N, SYSTEMS = 128, 3

return {
  source = [[
    #define N 128
    __global__ void solve(const double *a, const double *b, const double *c, const double *d,
                          double *x) {
      __shared__ double sa[N], sb[N], sc[N], sd[N];
      int i = threadIdx.x, at = blockIdx.x * N + i;
      sa[i] = i == 0 ? 0 : a[at];
      sb[i] = b[at];
      sc[i] = i == N - 1 ? 0 : c[at];
      sd[i] = d[at];
      for (int step = 1; step < N; step *= 2) {
        __syncthreads();
        double na = 0, nb = sb[i], nc = 0, nd = sd[i];
        if (i >= step) {
          double k = sa[i] / sb[i - step];
          na = -sa[i - step] * k;
          nb -= sc[i - step] * k;
          nd -= sd[i - step] * k;
        }
        if (i + step < N) {
          double k = sc[i] / sb[i + step];
          nc = -sc[i + step] * k;
          nb -= sa[i + step] * k;
          nd -= sd[i + step] * k;
        }
        __syncthreads();
        sa[i] = na;
        sb[i] = nb;
        sc[i] = nc;
        sd[i] = nd;
      }
      x[at] = sd[i] / sb[i];
    }]],
  run = function(kernels, t)
    local n = N * SYSTEMS
    local a, c, d = t.floats(n), t.floats(n), t.floats(n)
    local b = t.list(n, function(i) return math.abs(a[i]) + math.abs(c[i]) + 1 + t.random(4) end)
    local function f64(list) return t.cuda.array(list, "float64") end
    local x = t.cuda.empty(n, "float64")
    kernels.solve({ grid = SYSTEMS, block = N }, f64(a), f64(b), f64(c), f64(d), x)
    x = x:totable()
    t.close(d, t.list(n, function(i)
      local k, sum = (i - 1) % N, b[i] * x[i]
      if k > 0 then sum = sum + a[i] * x[i - 1] end
      if k < N - 1 then sum = sum + c[i] * x[i + 1] end
      return sum
    end), 1e-12, 1e-12)
  end,
}
