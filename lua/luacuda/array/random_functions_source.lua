-- random_functions_source.lua: CUDA text of the functions that distributions share. Those of the
-- CUDA toolkit take any number; these take what is drawn, which saves half of the instructions.

-- Taylor's series from the second term on, as long as terms count: log((1 + s) / (1 - s)) negated,
-- for up to 0.172; sin and cos for up to pi / 4.
local LOG, SIN, COS = {}, {}, {}
for k = 1, 9 do LOG[k] = -2 / (2 * k + 1) end
local term = 1.0
for k = 1, 8 do
  term = -term / (2 * k - 1) / (2 * k)
  COS[k] = term
  if k < 8 then SIN[k] = term / (2 * k + 1) end
end

-- The polynomial of least greatest relative error for f from -1/3 to 1/3 (Remez):
-- log(1 + f) = f - f^2 * (0.5 - 0.333 f + ...).
local LOG_FLOAT = { 0.5, -0.33333209, 0.24999717, -0.20010747, 0.16682306, -0.14001161, 0.12167156,
  -0.14004758, 0.12948957 }

-- c1 + c2 x + c3 x^2 + ... by Horner's rule, as an expression.
local function horner(x, list, suffix)
  local text = ("%.17g%s"):format(list[#list], suffix)
  for i = #list - 1, 1, -1 do
    text = ("fma%s(%s, %s, %.17g%s)"):format(suffix, text, x, list[i], suffix)
  end
  return text
end

local FUNCTIONS = [[
// -log(u) for u from 2^-33 to 1, within a unit in the last place: u = 2^e (1 + f). e is in the bits
// of the exponent, so 2^23 times too large.
__device__ __forceinline__ float _lcu_minus_log(float u) {
  const int e = (__float_as_int(u) - 0x3f2aaaab) & 0xff800000;
  const float f = __int_as_float(__float_as_int(u) - e) - 1.0f;
  const float q = LOG_FLOAT;
  return fmaf((float)e, -0x1.62e43p-24f, fmaf(f * f, q, -f));
}
// -log(u) for u = 2^-53 v, v from 1 to 2^53, within 3 units: u = 2^e m, m from sqrt(1/2) to
// sqrt(2), log(m) = log((1 + s) / (1 - s)).
__device__ __forceinline__ double _lcu_minus_log(unsigned long long v) {
  const double u = (double)v;
  const int e = (__double2hiint(u) - 0x3fe6a09e) >> 20;
  const double m = __hiloint2double(__double2hiint(u) - (e << 20), __double2loint(u));
  const double f = m - 1.0, g = m + 1.0;
  double inverse;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(g));
  inverse = fma(fma(-g, inverse, 1.0), inverse, inverse);
  double s = f * inverse;
  s = fma(fma(-g, s, f), inverse, s);
  const double z = s * s;
  return fma((double)(e - 53), -0x1.62e42fefa39efp-1, fma(s * z, LOG, -2.0 * s));
}
// Sine and cosine of pi 2^-63 times a signed integer, of which two bits are the quadrant.
__device__ __forceinline__ void _lcu_sincos(unsigned lo, unsigned hi, double *sine,
    double *cosine) {
  const unsigned turn = hi + 0x20000000u, sign = (turn ^ turn << 1) & 0x80000000u;
  const double x = (double)(long long)_lcu_pair(lo, (turn & 0x3fffffffu) - 0x20000000u)
    * 0x1.921fb54442d18p-62;
  const double y = x * x, s = fma(x * y, SIN, x), c = fma(y, COS, 1.0);
  const double a = turn & 0x40000000u ? c : s, b = turn & 0x40000000u ? s : c;
  *sine = __hiloint2double(__double2hiint(a) ^ (turn & 0x80000000u), __double2loint(a));
  *cosine = __hiloint2double(__double2hiint(b) ^ sign, __double2loint(b));
}
]]

return (FUNCTIONS:gsub("%f[%w_][%u_]+%f[^%w_]", { LOG_FLOAT = horner("f", LOG_FLOAT, "f"),
  LOG = horner("z", LOG, ""), SIN = horner("y", SIN, ""), COS = horner("y", COS, "") }))
