-- ufunc_source.lua: CUDA text of functions that texts of more than one file call.

local texts = {}

-- `v < 0` without compiler warnings where T is unsigned.
texts._lcu_is_negative = [[
template <class T> __device__ __forceinline__ bool _lcu_is_negative(T v) {
  return T(-1) < T(0) && (long long)v < 0;
}
]]

-- bits as a T. ptxas 13.0 takes it that neg.s16 cannot overflow: where its result becomes 32 or 64
-- bits wide, or is compared, -32768 gives 32768. The compiler makes neg.s16 of `0 - a`, `a * -1`
-- and `~a + 1`, too, unless it cannot see that only 16 bits of the result are used.
texts._lcu_wrapped = [[
template <class T, class U> struct _lcu_wrapping {
  static __device__ __forceinline__ T of(U bits) { return T(bits); }
};
template <class T> struct _lcu_wrapping_16 {
  static __device__ __forceinline__ T of(unsigned int bits) {
    asm("" : "+r"(bits));
    return T(bits);
  }
};
template <class U> struct _lcu_wrapping<short, U> : _lcu_wrapping_16<short> {};
template <class U> struct _lcu_wrapping<unsigned short, U> : _lcu_wrapping_16<unsigned short> {};
template <class T, class U> __device__ __forceinline__ T _lcu_wrapped(U bits) {
  return _lcu_wrapping<T, U>::of(bits);
}
]]

-- -a, which wraps around. ptxas 13.0 takes it that abs.s32 and abs.s64 are never negative, and
-- drops comparisons with 0. The compiler makes abs of any choice between a and -a, unless it cannot
-- see that it is -a.
texts._lcu_negated = [[
template <class T> __device__ __forceinline__ T _lcu_negated(T a) {
  if (sizeof(T) == 8) {
    unsigned long long bits = 0ull - (unsigned long long)a;
    asm("" : "+l"(bits));
    return T(bits);
  }
  unsigned int bits = 0u - (unsigned int)a;
  asm("" : "+r"(bits));
  return T(bits);
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
  if (r != T(0) && signbit(r) != signbit(a)) r += copysign(b, a);
  return copysign(r, a);
}
]]

-- The greater (lesser) of two floats, as IEEE 754-2019 has it: 0.0 is greater than -0.0, and a NaN
-- is the result. No instruction does that for doubles.
local EXTREME = [[
__device__ __forceinline__ double _lcu_$Nimum(double a, double b) {
  return (a != a) | (b != b) ? __longlong_as_double(0x7ff8000000000000LL) : f$N(a, b);
}
__device__ __forceinline__ float _lcu_$Nimum(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float y;
  asm("$N.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return (a != a) | (b != b) ? __int_as_float(0x7fc00000) : fmaxf(a, b);
#endif
}
]]
for name in ("max min"):gmatch "%S+" do
  texts["_lcu_" .. name .. "imum"] = EXTREME:gsub("%$N", name):gsub("fmaxf", "f" .. name .. "f")
end

return texts
