-- ufunc_source.lua: CUDA text that functions of more than one file call.

local texts = {}

-- `v < 0` that no compiler warns about where T has no sign.
texts._lcu_is_negative = [[
template <class T> __device__ __forceinline__ bool _lcu_is_negative(T v) {
  return T(-1) < T(0) && (long long)v < 0;
}
]]

-- fmod, which is exact. CUDA's own goes bit by bit. Where the quotient is a number whose fraction
-- can be told, rounding makes it too large by one at most, so that one fused step leaves the
-- remainder, or that less |b|; both are representable.
texts._lcu_fmod = [[
template <class T> __device__ __forceinline__ T _lcu_fmod(T a, T b) {
  T q = trunc(a / b);
  if (q == T(0)) return a;
  if (!(fabs(q) < (sizeof(T) == 4 ? T(8388608) : T(4503599627370496)))) return fmod(a, b);
  T r = fma(-q, b, a);
  if (r != T(0) && (r < T(0)) != (a < T(0))) r += copysign(b, a);
  return copysign(r, a);
}
]]

return texts
