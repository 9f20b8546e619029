-- Double-double arithmetic: error-free sums and products keep 100 bits; compared with integers.
local N = 64

return {
  source = [[
    struct dd { double high, low; };
    __device__ dd two_sum(double a, double b) {
      double s = __dadd_rn(a, b), t = __dsub_rn(s, a);
      return { s, __dadd_rn(__dsub_rn(a, __dsub_rn(s, t)), __dsub_rn(b, t)) };
    }
    __device__ dd two_product(double a, double b) {
      double p = __dmul_rn(a, b);
      return { p, __fma_rn(a, b, -p) };
    }
    __device__ dd add(dd a, dd b) {
      dd s = two_sum(a.high, b.high), t = two_sum(a.low, b.low);
      s = two_sum(s.high, s.low + t.high);
      return two_sum(s.high, s.low + t.low);
    }
    __device__ dd multiply(dd a, dd b) {
      dd p = two_product(a.high, b.high);
      return two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
    }
    __global__ void products(const long long *a, const long long *b, long long *low,
                             double *high) {
      int i = threadIdx.x;
      // a and b have 50 bits, so the product has 100: exact as the sum of two doubles.
      dd p = two_product((double)a[i], (double)b[i]);
      high[i] = p.high;
      low[i] = (long long)p.low;
    }
    __global__ void series(double *out) { // e and the square of its half
      dd sum = { 1, 0 }, term = { 1, 0 };
      for (int n = 1; n < 30; n++) {
        // term / n by one step of Newton's iteration from the double quotient
        double q = term.high / n;
        dd back = two_product(q, n);
        double r = ((term.high - back.high) - back.low + term.low) / n;
        term = two_sum(q, r);
        sum = add(sum, term);
      }
      dd square = multiply(sum, sum);
      out[0] = sum.high;
      out[1] = sum.low;
      out[2] = square.high;
      out[3] = square.low;
    }]],
  run = function(kernels, t)
    local function number() return t.random(1 << 25) << 25 | t.random(1 << 25) end
    local a, b = t.list(N, number), t.list(N, number)
    local low, high = t.cuda.empty(N, "int64"), t.cuda.empty(N, "float64")
    kernels.products({ grid = 1, block = N }, t.cuda.array(a, "int64"), t.cuda.array(b, "int64"),
      low, high)
    low, high = low:totable(), high:totable()
    for i = 1, N do
      -- a * b modulo 2^64 is known; the high part modulo 2^64 comes from its bits.
      local fraction, exponent = math.abs(high[i]), 0
      while fraction >= 2.0 ^ 53 do fraction, exponent = fraction / 2, exponent + 1 end
      local bits = math.tointeger(fraction) << exponent
      t.same(a[i] * b[i], bits + low[i], "product " .. i)
      t.same(a[i] * 1.0 * b[i], high[i], "rounded product " .. i)
    end
    local out = t.cuda.empty(4, "float64")
    kernels.series({ grid = 1, block = 1 }, out)
    -- e = 2.71828182845904523536028747135266249775724709369995...
    -- e^2 = 7.38905609893065022723042746057500781318031557055184...
    t.same(2.718281828459045, out[1], "e")
    t.close({ 1.4456468917292502e-16 * 1e16 }, { out[2] * 1e16 }, 1e-12, 1e-12, "the rest of e")
    t.same(7.38905609893065, out[3], "square")
    t.close({ -1.7971139497839148e-16 * 1e16 }, { out[4] * 1e16 }, 1e-11, 1e-11,
      "the rest of the square")
  end,
}
