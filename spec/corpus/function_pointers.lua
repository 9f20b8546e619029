-- Function pointers: a table of operators in constant memory, pointers chosen per thread, members,
-- lambdas, and recursion through a pointer.
local N = 128

return {
  source = [[
    typedef double (*op)(double, double);
    __device__ double add(double a, double b) { return a + b; }
    __device__ double sub(double a, double b) { return a - b; }
    __device__ __noinline__ double mul(double a, double b) { return a * b; }
    __device__ __noinline__ double most(double a, double b) { return a > b ? a : b; }
    __constant__ op table[4] = { add, sub, mul, most };
    __global__ void apply(const double *x, const int *code, double *y, int n) {
      int i = threadIdx.x;
      if (i >= n) return;
      double v = x[i];
      for (int k = 0; k < 4; k++) v = table[(code[i] >> 2 * k) & 3](v, x[(i + k + 1) % n]);
      y[i] = v;
    }
    struct counter {
      int value;
      __device__ __noinline__ int up(int by) { return value += by; }
      __device__ __noinline__ int times(int by) { return value *= by; }
    };
    __global__ void members(int *out) {
      int (counter::*method)(int) = threadIdx.x % 2 ? &counter::up : &counter::times;
      counter c = { (int)threadIdx.x };
      out[threadIdx.x] = (c.*method)(3) + (c.*method)(2);
    }
    template <class F> __device__ int fold(int n, F f) {
      int v = 1;
      for (int i = 1; i <= n; i++) v = f(v, i);
      return v;
    }
    __device__ __noinline__ int ackermann(int m, int n) {
      return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1)
        : ackermann(m - 1, ackermann(m, n - 1));
    }
    __global__ void calls(int *out) {
      int t = threadIdx.x;
      int (*deep)(int, int) = ackermann;
      out[t] = fold(t % 7, [t](int v, int i) { return (v * 31 + i) % (1000 + t); })
        + deep(t % 3, t % 5) * 10000;
    }]],
  run = function(kernels, t)
    local x, code = t.floats(N), t.integers(N, 256)
    local y = t.cuda.empty(N, "float64")
    kernels.apply({ grid = 1, block = N }, t.cuda.array(x, "float64"), t.cuda.array(code, "int32"),
      y, N)
    local ops = {
      [0] = function(a, b) return a + b end, function(a, b) return a - b end,
      function(a, b) return a * b end, math.max,
    }
    t.close(t.list(N, function(i)
      local v = x[i]
      for k = 0, 3 do v = ops[code[i] >> 2 * k & 3](v, x[(i + k) % N + 1]) end
      return v
    end), y, 1e-15)
    local out = t.cuda.empty(N, "int32")
    kernels.members({ grid = 1, block = N }, out)
    t.same(t.list(N, function(k)
      local i = k - 1
      return i % 2 == 1 and 2 * i + 8 or 3 * i + 6 * i
    end), out, "members")
    kernels.calls({ grid = 1, block = N }, out)
    local function ackermann(m, n)
      if m == 0 then return n + 1 end
      return ackermann(m - 1, n == 0 and 1 or ackermann(m, n - 1))
    end
    t.same(t.list(N, function(k)
      local i, v = k - 1, 1
      for j = 1, i % 7 do v = (v * 31 + j) % (1000 + i) end
      return v + ackermann(i % 3, i % 5) * 10000
    end), out, "calls")
  end,
}
