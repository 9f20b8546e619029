-- math_source.lua: CUDA text of the mathematical functions that need more than an expression; rows
-- of math.lua call them.

local texts = {}

texts._lcu_exp2_complex = [[
template <class T> __device__ __forceinline__ complex<T> _lcu_exp2_complex(complex<T> z) {
  return exp(z * T(0.69314718055994530942));
}
]]

-- cos(y) - 1 is -2 sin(y / 2)^2, which keeps its digits near 0.
texts._lcu_expm1_complex = [[
template <class T> __device__ __forceinline__ complex<T> _lcu_expm1_complex(complex<T> z) {
  T x = z.real(), y = z.imag(), e = exp(x), s = sin(y / T(2));
  if (!isfinite(e) || !isfinite(y)) return exp(z) - T(1);
  return complex<T>(expm1(x) * cos(y) - T(2) * s * s, e * sin(y));
}
]]

-- |1 + z|^2 - 1 is x (2 + x) + y^2.
texts._lcu_log1p_complex = [[
template <class T> __device__ __forceinline__ complex<T> _lcu_log1p_complex(complex<T> z) {
  T x = z.real(), y = z.imag();
  if (fabs(x) > T(0.5) || fabs(y) > T(0.5)) return log(complex<T>(T(1) + x, y));
  return complex<T>(log1p(x * (T(2) + x) + y * y) / T(2), atan2(y, T(1) + x));
}
]]

texts._lcu_sign_complex = [[
template <class T> __device__ __forceinline__ complex<T> _lcu_sign_complex(complex<T> z) {
  T f = _lcu_scale(z), x = z.real() * f, y = z.imag() * f, r = hypot(x, y);
  if (r == T(0)) return complex<T>(T(0), T(0));
  if (isinf(x) != isinf(y))
    return isinf(x) ? complex<T>(copysign(T(1), x), T(0)) : complex<T>(T(0), copysign(T(1), y));
  return complex<T>(x / r, y / r);
}
]]

texts._lcu_angle = [[
template <class T> __device__ __forceinline__ T _lcu_angle(T a) {
  return a != a ? a : signbit(a) ? T(3.14159265358979323846) : T(0);
}
]]

-- Division by zero gives 0. The smallest integer divided by -1 would trap.
texts._lcu_fmod_int = [[
template <class T> __device__ __forceinline__ T _lcu_fmod_int(T a, T b) {
  return b == T(0) || (T(-1) < T(0) && b == T(-1)) ? T(0) : T(a % b);
}
]]

-- A number that is too large to be scaled has no decimals.
texts._lcu_round_fraction = [[
template <class T> __device__ __forceinline__ T _lcu_round_fraction(T a, T power) {
  T scaled = a * power;
  return isfinite(scaled) ? rint(scaled) / power : a;
}
]]

texts._lcu_round_fraction_complex = [[
template <class T> __device__ __forceinline__ complex<T> _lcu_round_fraction_complex(complex<T> z,
    double power) {
  return complex<T>(_lcu_round_fraction(z.real(), T(power)),
      _lcu_round_fraction(z.imag(), T(power)));
}
]]

texts._lcu_round_tens_complex = [[
template <class T> __device__ __forceinline__ complex<T> _lcu_round_tens_complex(complex<T> z,
    double power) {
  return complex<T>(rint(z.real() / T(power)) * T(power), rint(z.imag() / T(power)) * T(power));
}
]]

texts._lcu_round_tens_int = [[
template <class W> __device__ __forceinline__ W _lcu_round_wide(W a, W power) {
  W q = a / power, r = a - q * power, size = _lcu_is_negative(r) ? W(0) - r : r,
      rest = power - size;
  if (size > rest || (size == rest && (q & W(1)) != W(0)))
    q = _lcu_is_negative(r) ? W(q - W(1)) : W(q + W(1));
  return (W)((unsigned long long)q * (unsigned long long)power);
}
template <class T> __device__ __forceinline__ T _lcu_round_tens_int(T a, long long power) {
  return T(-1) < T(0) ? T(_lcu_round_wide<long long>(a, power))
      : T(_lcu_round_wide<unsigned long long>(a, power));
}
]]

return texts
