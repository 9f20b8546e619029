-- ufunc_source.lua: CUDA text of functions that texts of more than one file call.

local texts = {}

-- `v < 0` without compiler warnings where T is unsigned.
texts._lcu_is_negative = [[
template <class T> __device__ __forceinline__ bool _lcu_is_negative(T v) {
  return T(-1) < T(0) && (long long)v < 0;
}
]]

-- ptxas 13.0 takes it that neg.s16 cannot overflow: where the result becomes 32 or 64 bits wide,
-- -32768 gives 32768. So 32 bits are negated, and in a way that the compiler does not narrow.
texts._lcu_negative = [[
template <class U, class T> __device__ __forceinline__ T _lcu_negative(T a) {
  return T(U(0) - U(a));
}
template <class U> __device__ __forceinline__ short _lcu_negative(short a) {
  int wide = a;
  asm("neg.s32 %0, %0;" : "+r"(wide));
  return (short)wide;
}
]]

-- An exact fmod; CUDA's own works bit by bit. Where the fraction of the quotient is representable,
-- rounding makes the quotient too large by at most one, so one fused step leaves the remainder, or
-- the remainder less |b|; both are representable.
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
