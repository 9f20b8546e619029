-- Monte Carlo: pi and the price of an option with a generator of its own for each thread, sums by
-- shuffles and atomics on doubles; the same numbers in Lua.
local THREADS, EACH = 192, 20

return {
  source = [[
    struct lcg {
      unsigned long long state;
      __device__ double next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (state >> 11) * (1.0 / 9007199254740992.0);
      }
    };
    __device__ double warp_sum(double v) {
      for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
      return v;
    }
    __device__ int total(int v) {
    #if __CUDA_ARCH__ >= 800
      return __reduce_add_sync(~0u, v);
    #else
      for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
      return v;
    #endif
    }
    __global__ void simulate(int each, int *hits, double *sum, double *square) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      lcg g = { (unsigned long long)i * 7919 + 1 };
      int inside = 0;
      double s = 0, q = 0;
      for (int k = 0; k < each; k++) {
        double x = g.next(), y = g.next();
        inside += x * x + y * y < 1;
        double z = sqrt(-2 * log(1 - x)) * cospi(2 * y);
        double payoff = fmax(100 * exp(0.2 * z + 0.03) - 105, 0.0);
        s += payoff;
        q += payoff * payoff;
      }
      inside = total(inside);
      s = warp_sum(s);
      q = warp_sum(q);
      if (threadIdx.x % 32 == 0) {
        atomicAdd(hits, inside);
        atomicAdd(sum, s);
        atomicAdd(square, q);
      }
    }]],
  run = function(kernels, t)
    local hits, sum, square = t.cuda.zeros(1, "int32"), t.cuda.zeros(1, "float64"),
      t.cuda.zeros(1, "float64")
    kernels.simulate({ grid = THREADS // 64, block = 64 }, EACH, hits, sum, square)
    local want_hits, want_sum, want_square = 0, 0, 0
    for i = 0, THREADS - 1 do
      local state = i * 7919 + 1
      local function next_number()
        state = state * 6364136223846793005 + 1442695040888963407
        return (state >> 11) / 2.0 ^ 53
      end
      for _ = 1, EACH do
        local x, y = next_number(), next_number()
        if x * x + y * y < 1 then want_hits = want_hits + 1 end
        local z = math.sqrt(-2 * math.log(1 - x)) * math.cos(2 * math.pi * y)
        local payoff = math.max(100 * math.exp(0.2 * z + 0.03) - 105, 0)
        want_sum, want_square = want_sum + payoff, want_square + payoff * payoff
      end
    end
    t.same({ want_hits }, hits, "hits")
    t.close({ want_sum }, sum, 1e-11, 1e-11, "sum")
    t.close({ want_square }, square, 1e-11, 1e-11, "square")
  end,
}
