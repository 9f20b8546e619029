-- Functions with any number of arguments: integers, floats and structs of several sizes, a copy of
-- the list, calls without any and calls from calls.
return {
  source = [[
    struct triple { double a; int b; char c; };
    __device__ __noinline__ double total(const char *kinds, ...) {
      va_list list, rest;
      double sum = 0;
      va_start(list, kinds);
      va_copy(rest, list);
      for (const char *k = kinds; *k != 0; k++)
        if (*k == 'i') sum += va_arg(list, int);
        else if (*k == 'd') sum += va_arg(list, double);
        else if (*k == 'l') sum += va_arg(list, long long);
        else {
          triple t = va_arg(list, triple);
          sum += t.a + t.b * 10 + t.c * 100;
        }
      va_end(list);
      if (*kinds == 'i') sum += 0.25 * va_arg(rest, int);
      va_end(rest);
      return sum;
    }
    __device__ __noinline__ int last(int n, ...) {
      va_list list;
      int v = -1;
      va_start(list, n);
      while (n-- > 0) v = va_arg(list, int);
      va_end(list);
      return v;
    }
    __global__ void sums(double *y) {
      int i = threadIdx.x;
      triple t = { i * 0.5, i, (char)(i % 3) };
      y[4 * i] = total("idtli", i, i * 1.5, t, (long long)i << 20, 7);
      y[4 * i + 1] = total("") + last(i % 5, 10, 20, 30, 40);
      y[4 * i + 2] = total("dd", 1.0 * last(2, i, i + 1), total("t", t));
      y[4 * i + 3] = last(20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, i);
    }]],
  run = function(kernels, t)
    local y, want = t.cuda.empty(256, "float64"), {}
    kernels.sums({ grid = 1, block = 64 }, y)
    for i = 0, 63 do
      local triple = i * 0.5 + i * 10 + i % 3 * 100
      want[4 * i + 1] = i + i * 1.5 + triple + (i << 20) + 7 + 0.25 * i
      want[4 * i + 2] = i % 5 == 0 and -1 or i % 5 * 10
      want[4 * i + 3] = i + 1 + triple
      want[4 * i + 4] = i
    end
    t.same(want, y)
  end,
}
