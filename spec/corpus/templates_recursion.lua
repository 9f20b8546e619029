-- Templates: recursion at compile time, specialization, packs, constexpr tables; and recursion at
-- run time with different depths per lane (towers of Hanoi, quicksort on a private array).
local N = 64

return {
  source = [[
    template <int N> struct fib {
      static constexpr int value = fib<N - 1>::value + fib<N - 2>::value; };
    template <> struct fib<1> { static constexpr int value = 1; };
    template <> struct fib<0> { static constexpr int value = 0; };
    template <class... T> __device__ int sum(T... v) { return (0 + ... + v); }
    template <class T> struct size_name { static constexpr int value = sizeof(T); };
    template <class T> struct size_name<T *> { static constexpr int value = 100 + sizeof(T); };
    struct squares {
      int v[16];
      __device__ constexpr squares() : v() { for (int i = 0; i < 16; i++) v[i] = i * i; }
    };
    __constant__ constexpr squares table;
    __global__ void constants(int *out) {
      int i = threadIdx.x;
      out[i] = sum(fib<20>::value, i, size_name<double>::value, size_name<short *>::value,
                   table.v[i % 16]);
    }
    struct hanoi_state { int moves, sum; };
    __device__ void hanoi(int n, int from, int to, hanoi_state &s) {
      if (n == 0) return;
      hanoi(n - 1, from, 3 - from - to, s);
      s.moves++;
      s.sum += n * (from + 2 * to);
      hanoi(n - 1, 3 - from - to, to, s);
    }
    __device__ void quicksort(int *a, int low, int high) {
      if (low >= high) return;
      int pivot = a[(low + high) / 2], i = low, j = high;
      while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) { int t = a[i]; a[i++] = a[j]; a[j--] = t; }
      }
      quicksort(a, low, j);
      quicksort(a, i, high);
    }
    __global__ void recursion(int *out, const int *x, int *y) {
      int i = threadIdx.x, own[12];
      hanoi_state s = { 0, 0 };
      hanoi(i % 8, 0, 2, s);
      out[i] = s.moves * 100000 + s.sum;
      int n = 1 + i % 12;
      for (int k = 0; k < n; k++) own[k] = x[i * 12 + k];
      quicksort(own, 0, n - 1);
      for (int k = 0; k < 12; k++) y[i * 12 + k] = k < n ? own[k] : -1;
    }]],
  run = function(kernels, t)
    local out, one = t.cuda.empty(N, "int32"), { grid = 1, block = N }
    kernels.constants(one, out)
    t.same(t.list(N, function(k)
      return 6765 + k - 1 + 8 + 102 + ((k - 1) % 16) ^ 2 // 1 | 0
    end), out, "constants")
    local x, y, want, sorted = t.integers(12 * N, 100), t.cuda.empty(12 * N, "int32"), {}, {}
    kernels.recursion(one, out, t.cuda.array(x, "int32"), y)
    for i = 0, N - 1 do
      local moves, sum = 0, 0
      local function hanoi(n, from, to)
        if n == 0 then return end
        hanoi(n - 1, from, 3 - from - to)
        moves, sum = moves + 1, sum + n * (from + 2 * to)
        hanoi(n - 1, 3 - from - to, to)
      end
      hanoi(i % 8, 0, 2)
      want[i + 1] = moves * 100000 + sum
      local own = table.move(x, i * 12 + 1, i * 12 + 1 + i % 12, 1, {})
      table.sort(own)
      for k = 1, 12 do sorted[i * 12 + k] = own[k] or -1 end
    end
    t.same(want, out, "hanoi")
    t.same(sorted, y, "quicksort")
  end,
}
