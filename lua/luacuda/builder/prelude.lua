-- prelude.lua: the CUDA text that every generated kernel begins with: the names of the dtypes,
-- light types for half precision and complex numbers, and aligned packs for vector accesses. CUDA's
-- own headers for these take up to a second to compile, this text takes milliseconds. Names that
-- are not for users begin with `_lcu_`.

local constants = require "luacuda.base.math_constants"
local dtypes = require "luacuda.base.dtypes"

local BASE = [[
typedef signed char int8; typedef short int16; typedef int int32; typedef long long int64;
typedef unsigned char uint8;
typedef unsigned short uint16;
typedef unsigned int uint32;
typedef unsigned long long uint64;
typedef float float32; typedef double float64;
template <class T, int N> struct alignas(N == 1 ? alignof(T)
    : N * sizeof(T) < 16 ? N * sizeof(T) : 16) _lcu_pack {
  T v[N];
};
]]

-- Narrowing to one or two bytes rounds to nearest even once. A wider value goes through a float
-- that keeps a sticky last bit (round to odd), so the second rounding is right.
local NARROW = [[
__device__ __forceinline__ float _lcu_odd(float f, bool exact) {
  return exact ? f : __uint_as_float(__float_as_uint(f) | 1u);
}
__device__ __forceinline__ float _lcu_narrow(float v) { return v; }
__device__ __forceinline__ float _lcu_narrow(double v) {
  float f = __double2float_rz(v);
  return _lcu_odd(f, f == v || v != v);
}
__device__ __forceinline__ float _lcu_narrow(long long v) {
  float f = __ll2float_rz(v);
  return _lcu_odd(f, __float2ll_rz(f) == v);
}
__device__ __forceinline__ float _lcu_narrow(unsigned long long v) {
  float f = __ull2float_rz(v);
  return _lcu_odd(f, __float2ull_rz(f) == v);
}
__device__ __forceinline__ float _lcu_narrow(int v) { return _lcu_narrow((long long)v); }
__device__ __forceinline__ float _lcu_narrow(unsigned v) { return _lcu_narrow((long long)v); }
__device__ __forceinline__ float _lcu_narrow(long v) { return _lcu_narrow((long long)v); }
__device__ __forceinline__ float _lcu_narrow(unsigned long v) {
  return _lcu_narrow((unsigned long long)v);
}
]]

-- A class of 8 or 16 bits around a pair of conversions: NAME, BITS (an unsigned type), DECODE (bits
-- to float) and ENCODE (float to bits).
local NARROW_CLASS = [[
struct NAME {
  BITS _bits;
  NAME() = default;
  template <class U, class = decltype(_lcu_narrow(*(U *)0))>
  __device__ __forceinline__ NAME(const U &v) : _bits(_encode(_lcu_narrow(v))) {}
  template <class U> __device__ __forceinline__ NAME &operator=(const U &v) {
    _bits = _encode(_lcu_narrow(v));
    return *this;
  }
  __device__ __forceinline__ operator float() const { return _decode(_bits); }
  __device__ __forceinline__ NAME &operator+=(float v) { return *this = float(*this) + v; }
  __device__ __forceinline__ NAME &operator-=(float v) { return *this = float(*this) - v; }
  __device__ __forceinline__ NAME &operator*=(float v) { return *this = float(*this) * v; }
  __device__ __forceinline__ NAME &operator/=(float v) { return *this = float(*this) / v; }
  static __device__ __forceinline__ float _decode(BITS bits) {
    DECODE
  }
  static __device__ __forceinline__ BITS _encode(float f) {
    ENCODE
  }
};
]]

local function narrow_class(name, bits, decode, encode)
  return (NARROW_CLASS:gsub("%u%u+", { NAME = name, BITS = bits, DECODE = decode,
    ENCODE = encode }))
end

local FLOAT16 = narrow_class("float16", "unsigned short",
  [[float f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits)); return f;]],
  [[unsigned short bits; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(f)); return bits;]])

local BFLOAT16 = narrow_class("bfloat16", "unsigned short",
  "return __uint_as_float((unsigned)bits << 16);", [[
#if __CUDA_ARCH__ >= 800
    unsigned short bits; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(f)); return bits;
#else
    unsigned u = __float_as_uint(f);
    return f != f ? 0x7fff : (unsigned short)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
#endif]])

-- As in shared/base/lcu_float8.h.
local E4M3 = narrow_class("float8_e4m3fn", "unsigned char", [[
    unsigned size = bits & 0x7fu, sign = (bits & 0x80u) << 24;
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"((unsigned short)(size << 7)));
    return __uint_as_float(sign | (size == 0x7fu ? 0x7fc00000u : __float_as_uint(f * 256.0f)));]],
  [[
    unsigned u = __float_as_uint(f), sign = (u >> 24) & 0x80u, a = u & 0x7fffffffu;
    unsigned small = __float_as_uint(__fadd_rn(__uint_as_float(a), 16384.0f)) - 0x46800000u;
    unsigned large = (a - 0x3c000000u + 0x7ffffu + ((a >> 20) & 1u)) >> 20;
    return sign | (a > 0x43e80000u ? 0x7fu : a < 0x3c800000u ? small : large);]])

local E5M2 = narrow_class("float8_e5m2", "unsigned char", [[
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"((unsigned short)(bits << 8)));
    return f;]], [[
    unsigned u = __float_as_uint(f), sign = (u >> 24) & 0x80u, a = u & 0x7fffffffu;
    unsigned small = __float_as_uint(__fadd_rn(__uint_as_float(a), 128.0f)) - 0x43000000u;
    unsigned large = (a - 0x38000000u + 0xfffffu + ((a >> 21) & 1u)) >> 21;
    if (a >= 0x47700000u) return sign | (a > 0x7f800000u ? 0x7eu : 0x7cu);
    return sign | (a < 0x38800000u ? small : large);]])

-- Widening is implicit; narrowing is explicit or by assignment. Operators on two complex numbers,
-- and on one and a number, are friends, so that 2 * z needs no cast.
local COMPLEX = [[
#define LUACUDA_COMPLEX
template <class T> struct complex;
struct _lcu_none;
template <class T> struct _lcu_other { typedef _lcu_none narrower, wider; };
template <> struct _lcu_other<float> { typedef _lcu_none narrower; typedef complex<double> wider; };
template <> struct _lcu_other<double> { typedef complex<float> narrower; typedef _lcu_none wider; };
template <class T> struct alignas(2 * sizeof(T)) complex {
  typedef T value_type;
  T _re, _im;
  complex() = default;
  __device__ __forceinline__ complex(T re, T im = T()) : _re(re), _im(im) {}
  __device__ __forceinline__ complex(const typename _lcu_other<T>::narrower &z) : _re(z._re),
      _im(z._im) {}
  __device__ __forceinline__ explicit complex(const typename _lcu_other<T>::wider &z) : _re(z._re),
      _im(z._im) {}
  template <class U> __device__ __forceinline__ complex &operator=(const complex<U> &z) {
    _re = z._re, _im = z._im;
    return *this;
  }
  __device__ __forceinline__ T real() const { return _re; }
  __device__ __forceinline__ T imag() const { return _im; }
  __device__ __forceinline__ void real(T v) { _re = v; }
  __device__ __forceinline__ void imag(T v) { _im = v; }
  __device__ __forceinline__ explicit operator bool() const { return _re != T() || _im != T(); }
  __device__ __forceinline__ complex operator+() const { return *this; }
  __device__ __forceinline__ complex operator-() const { return complex(-_re, -_im); }
  friend __device__ __forceinline__ complex operator+(complex a, complex b) {
    return complex(a._re + b._re, a._im + b._im);
  }
  friend __device__ __forceinline__ complex operator-(complex a, complex b) {
    return complex(a._re - b._re, a._im - b._im);
  }
  friend __device__ __forceinline__ complex operator*(complex a, complex b) {
    return complex(a._re * b._re - a._im * b._im, a._re * b._im + a._im * b._re);
  }
  // Smith's algorithm, as in NumPy
  friend __device__ __forceinline__ complex operator/(complex a, complex b) {
    T x = fabs(b._re), y = fabs(b._im);
    if (x == T() && y == T()) return complex(a._re / x, a._im / x);
    if (x >= y) {
      T r = b._im / b._re, d = b._re + b._im * r;
      return complex((a._re + a._im * r) / d, (a._im - a._re * r) / d);
    }
    T r = b._re / b._im, d = b._im + b._re * r;
    return complex((a._re * r + a._im) / d, (a._im * r - a._re) / d);
  }
  friend __device__ __forceinline__ complex operator+(complex a, T b) {
    return complex(a._re + b, a._im);
  }
  friend __device__ __forceinline__ complex operator-(complex a, T b) {
    return complex(a._re - b, a._im);
  }
  friend __device__ __forceinline__ complex operator*(complex a, T b) {
    return complex(a._re * b, a._im * b);
  }
  friend __device__ __forceinline__ complex operator/(complex a, T b) {
    return complex(a._re / b, a._im / b);
  }
  friend __device__ __forceinline__ complex operator+(T a, complex b) {
    return complex(a + b._re, b._im);
  }
  friend __device__ __forceinline__ complex operator-(T a, complex b) {
    return complex(a - b._re, -b._im);
  }
  friend __device__ __forceinline__ complex operator*(T a, complex b) {
    return complex(a * b._re, a * b._im);
  }
  friend __device__ __forceinline__ complex operator/(T a, complex b) { return complex(a) / b; }
  friend __device__ __forceinline__ bool operator==(complex a, complex b) {
    return a._re == b._re && a._im == b._im;
  }
  friend __device__ __forceinline__ bool operator!=(complex a, complex b) { return !(a == b); }
  template <class U> __device__ __forceinline__ complex &operator+=(const U &b) {
    return *this = *this + b;
  }
  template <class U> __device__ __forceinline__ complex &operator-=(const U &b) {
    return *this = *this - b;
  }
  template <class U> __device__ __forceinline__ complex &operator*=(const U &b) {
    return *this = *this * b;
  }
  template <class U> __device__ __forceinline__ complex &operator/=(const U &b) {
    return *this = *this / b;
  }
};
typedef complex<float> complex64;
typedef complex<double> complex128;
]]

-- `M T f(complex<T> z)` per function; M and C stand for the qualifiers and the complex type. The
-- inverse functions are Kahan's ("Branch cuts for complex elementary functions"); the values at
-- infinities and NaN are those of C's Annex G. For a part x that is not finite, x - x is NaN.
local COMPLEX_MATH = [[
M T real(C z) { return z._re; }
M T imag(C z) { return z._im; }
M C conj(C z) { return C(z._re, -z._im); }
M T norm(C z) { return z._re * z._re + z._im * z._im; }
M T abs(C z) { return hypot(z._re, z._im); }
M T arg(C z) { return atan2(z._im, z._re); }
M bool isnan(C z) { return isnan(z._re) || isnan(z._im); }
M bool isinf(C z) { return isinf(z._re) || isinf(z._im); }
M bool isfinite(C z) { return isfinite(z._re) && isfinite(z._im); }
M C polar(T r, T phi) { return C(r * cos(phi), r * sin(phi)); }
// exp of more than this may overflow
M bool _lcu_exp_is_large(T x) { return x > T(sizeof(T) == 4 ? 88 : 709); }
// exp(x) factor z, of which no part overflows on the way where |z| <= 1
M C _lcu_exp_times(T x, C z, T factor) {
  for (int k = 0; k < 2 && _lcu_exp_is_large(x); k++) {
    x -= T(sizeof(T) == 4 ? 88 : 709);
    z = z * T(sizeof(T) == 4 ? 1.6516362549940018555e38 : 8.2184074615549721892e307);
  }
  return z * (exp(x) * factor);
}
M C exp(C z) {
  if (!isfinite(z._im)) {
    T nan = z._im - z._im;
    return !isinf(z._re) ? C(nan, nan) : z._re > T() ? C(z._re, nan) : C();
  }
  if (z._im == T()) return C(exp(z._re), z._im);
  return _lcu_exp_times(z._re, C(cos(z._im), sin(z._im)), T(1));
}
// A power of 4 by which z is multiplied where |z| or 2 |z| would overflow or lose bits; its
// logarithm.
M T _lcu_scale(C z) {
  T size = fmax(fabs(z._re), fabs(z._im));
  return size > T(sizeof(T) == 4 ? 4e37 : 2e307) ? T(0.0625)
    : size < T(sizeof(T) == 4 ? 1e-35 : 1e-305) ? T(sizeof(T) == 4 ? 0x1p48 : 0x1p108) : T(1);
}
M T _lcu_log_scale(T f) {
  return f < T(1) ? T(-2.77258872223978123767)
    : f > T(1) ? T(sizeof(T) == 4 ? 33.2710646668773748520 : 74.8598955004740934171) : T();
}
M T _lcu_log_abs(C z) {
  T f = _lcu_scale(z);
  return log(hypot(z._re * f, z._im * f)) - _lcu_log_scale(f);
}
M C log(C z) {
  T a = fabs(z._re), b = fabs(z._im), x = a > b ? a : b, y = a > b ? b : a;
  if (x > T(0.5) && x < T(2)) return C(log1p((x - T(1)) * (x + T(1)) + y * y) / T(2), arg(z));
  return C(_lcu_log_abs(z), arg(z));
}
M C log10(C z) { return log(z) * T(0.43429448190325182765); }
M C log2(C z) { return log(z) * T(1.44269504088896340736); }
M C sqrt(C z) {
  if (z._re == T() && z._im == T()) return C(T(), z._im);
  if (isinf(z._im)) return C(fabs(z._im), z._im);
  T f = _lcu_scale(z), x = z._re * f, y = z._im * f;
  T r = f < T(1) ? T(4) : f > T(1) ? T(sizeof(T) == 4 ? 0x1p-24 : 0x1p-54) : T(1);
  T t = sqrt(fabs(x) / T(2) + hypot(x / T(2), y / T(2)));
  T u = fabs(y) / (T(2) * t) * r;
  t *= r;
  return x >= T() ? C(t, copysign(u, y)) : C(u, copysign(t, y));
}
M C sinh(C z) {
  T x = z._re, y = z._im, s = sin(y);
  if (!isfinite(y)) return C(x == T() || isinf(x) ? x : y - y, y - y);
  if (_lcu_exp_is_large(fabs(x))) {
    C w = _lcu_exp_times(fabs(x), C(copysign(cos(y), x * cos(y)), s), T(0.5));
    return C(w._re, s == T() ? s : w._im);
  }
  return C(sinh(x) * cos(y), s == T() ? s : s * cosh(x));
}
M C cosh(C z) {
  T x = z._re, y = z._im, s = sin(y);
  if (!isfinite(y)) return C(isinf(x) ? fabs(x) : y - y, x == T() ? x : y - y);
  if (_lcu_exp_is_large(fabs(x))) {
    C w = _lcu_exp_times(fabs(x), C(cos(y), copysign(s, x * s)), T(0.5));
    return C(w._re, s == T() ? s * copysign(T(1), x) : w._im);
  }
  return C(cosh(x) * cos(y), s == T() ? s * copysign(T(1), x) : s * sinh(x));
}
M C sin(C z) {
  C w = sinh(C(-z._im, z._re));
  return C(w._im, -w._re);
}
M C cos(C z) { return cosh(C(-z._im, z._re)); }
M C _lcu_tanh_edge(T x, T y) {
  if (isinf(x)) return C(copysign(T(1), x), copysign(T(), y));
  return isnan(x) ? C(x, y == T() ? y : x) : C(x == T() ? x : y - y, y - y);
}
M C tanh(C z) {
  if (!isfinite(z._im) || isnan(z._re)) return _lcu_tanh_edge(z._re, z._im);
  if (fabs(z._re) > T(sizeof(T) == 4 ? 11 : 20)) {
    T e = exp(T(-2) * fabs(z._re));
    return C(copysign(T(1), z._re), T(4) * sin(z._im) * cos(z._im) * e);
  }
  T t = tan(z._im), b = T(1) + t * t, s = sinh(z._re), r = sqrt(T(1) + s * s), d = T(1) + b * s * s;
  return C(b * r * s / d, t / d);
}
M C tan(C z) {
  C w = tanh(C(-z._im, z._re));
  return C(w._im, -w._re);
}
// 1 + z^2 is z^2
M bool _lcu_is_large(C z) {
  return fmax(fabs(z._re), fabs(z._im)) > T(sizeof(T) == 4 ? 1e6 : 1e10);
}
M T _lcu_log_twice(C z) { return _lcu_log_abs(z) + T(0.69314718055994530942); }
M C asin(C z) {
  if (_lcu_is_large(z)) return C(atan2(z._re, fabs(z._im)), copysign(_lcu_log_twice(z), z._im));
  if (z._re == T() && isnan(z._im)) return z;
  C a = sqrt(C(T(1) - z._re, -z._im)), b = sqrt(C(T(1) + z._re, z._im));
  return C(atan2(z._re, a._re * b._re - a._im * b._im), asinh(a._re * b._im - a._im * b._re));
}
M C acos(C z) {
  if (_lcu_is_large(z)) return C(atan2(fabs(z._im), z._re), copysign(_lcu_log_twice(z), -z._im));
  if (z._re == T() && isnan(z._im)) return C(T(1.57079632679489661923), z._im);
  C a = sqrt(C(T(1) - z._re, -z._im)), b = sqrt(C(T(1) + z._re, z._im));
  return C(T(2) * atan2(a._re, b._re), asinh(b._re * a._im - b._im * a._re));
}
M C asinh(C z) {
  C w = asin(C(-z._im, z._re));
  return C(w._im, -w._re);
}
M C acosh(C z) {
  if (_lcu_is_large(z)) return C(_lcu_log_twice(z), arg(z));
  if (z._re == T() && isnan(z._im)) return C(z._im, T(1.57079632679489661923));
  C a = sqrt(C(z._re - T(1), z._im)), b = sqrt(C(z._re + T(1), z._im));
  return C(asinh(a._re * b._re + a._im * b._im), T(2) * atan2(a._im, b._re));
}
M C atanh(C z) {
  if (_lcu_is_large(z)) {
    T f = _lcu_scale(z);
    C w = isinf(z) ? C() : T(1) / (z * f) * f;
    T im = isnan(z._im) ? z._im : copysign(T(1.57079632679489661923), z._im);
    return C(copysign(w._re, z._re), im + w._im);
  }
  if (z._re == T() && isnan(z._im)) return z;
  // log1p loses digits near -1: the part is odd in x
  T x = fabs(z._re), y = z._im, m = T(1) - x;
  T re = m == T() && fabs(y) < T(1e-10) ? (T(0.69314718055994530942) - log(fabs(y))) / T(2)
    : log1p(T(4) * x / (m * m + y * y)) / T(4);
  return C(copysign(re, z._re), atan2(T(2) * y, m * (T(1) + x) - y * y) / T(2));
}
M C atan(C z) {
  C w = atanh(C(-z._im, z._re));
  return C(w._im, -w._re);
}
// x^2 - y^2 may exist where x^2 does not.
M C _lcu_squared(C z) {
  return C((z._re - z._im) * (z._re + z._im), z._re * z._im + z._im * z._re);
}
M C _lcu_whole_power(C z, unsigned k) {
  if (k == 0) return C(T(1));
  for (; (k & 1) == 0; k >>= 1) z = _lcu_squared(z);
  C p = z;
  while ((k >>= 1) != 0) {
    z = _lcu_squared(z);
    if (k & 1) p = p * z;
  }
  return p;
}
// z^k may overflow or lose bits where its inverse does not.
M C _lcu_inverse_power(C z, unsigned k) {
  C p = _lcu_whole_power(z, k);
  return _lcu_scale(p) == T(1) || p == C() ? T(1) / p : _lcu_whole_power(T(1) / z, k);
}
M C pow(C z, C w) {
  int n = (int)w._re;
  if (w._im == T() && w._re == T(n) && n >= -100 && n <= 100)
    return n < 0 ? _lcu_inverse_power(z, (unsigned)-n) : _lcu_whole_power(z, (unsigned)n);
  if (w._im == T() && w._re == T(0.5)) return sqrt(z);
  if (z._re == T() && z._im == T() && w._re > T()) return C(T());
  return exp(w * log(z));
}
template <class T, class U> __device__ __forceinline__ C pow(C z, U w) { return pow(z, C(w)); }
template <class U, class T> __device__ __forceinline__ C pow(U z, C w) { return pow(C(z), w); }
]]

COMPLEX_MATH = COMPLEX_MATH:gsub("%f[%w_][MC]%f[^%w_]",
  { M = "template <class T> __device__ __forceinline__", C = "complex<T>" })

-- Atomic sums that CUDA lacks or has only in headers. Templates give way to a user's own functions.
local ATOMIC_ADD = [[
template <class T> struct _lcu_signed {};
template <> struct _lcu_signed<long long> { typedef long long type; };
template <class T> __device__ __forceinline__ T atomicAdd(T *at, typename _lcu_signed<T>::type v) {
  return (T)atomicAdd((unsigned long long *)at, (unsigned long long)v);
}
template <class T, class = decltype(((T *)0)->_bits)> __device__ __forceinline__ T atomicAdd(T *at,
    float v) {
  T seen = *at, old;
  do {
    old = seen;
    T sum = float(old) + v;
    seen._bits = atomicCAS(&at->_bits, old._bits, sum._bits);
  } while (seen._bits != old._bits);
  return old;
}
]]

-- An element of a bool array in memory: every nonzero byte is true. The compiler would assume that
-- the byte of a C++ bool is 0 or 1.
local STORED_BOOL = [[
struct _lcu_bool {
  unsigned char _byte;
  __device__ __forceinline__ operator bool() const { return _byte != 0; }
  template <class U> __device__ __forceinline__ _lcu_bool &operator=(const U &v) {
    _byte = (bool)v;
    return *this;
  }
  __device__ __forceinline__ _lcu_bool &operator&=(bool v) { return *this = *this && v; }
  __device__ __forceinline__ _lcu_bool &operator|=(bool v) { return *this = *this || v; }
  __device__ __forceinline__ _lcu_bool &operator^=(bool v) { return *this = *this != v; }
};
__device__ __forceinline__ bool _lcu_truth(const bool &v) { return (const _lcu_bool &)v; }
template <int N> struct alignas(N < 16 ? N : 16) _lcu_pack<_lcu_bool, N> {
  _lcu_bool v[N];
  __device__ __forceinline__ operator _lcu_pack<bool, N>() const {
    _lcu_pack<bool, N> out;
    #pragma unroll
    for (int k = 0; k < N; k++) out.v[k] = v[k];
    return out;
  }
};
]]

-- Thrust's names, without its headers.
local THRUST = { "namespace thrust { using ::complex;" }
for name in ([[abs arg norm conj polar exp log log10 pow sqrt sin cos tan sinh cosh tanh asin
  acos atan asinh acosh atanh]]):gmatch "%S+" do
  THRUST[#THRUST + 1] = (" using ::%s;"):format(name)
end
THRUST = table.concat(THRUST) .. " }\n"

local PARTS = { bool = { STORED_BOOL }, float16 = { NARROW, FLOAT16 },
  bfloat16 = { NARROW, BFLOAT16 }, float8_e4m3fn = { NARROW, E4M3 },
  float8_e5m2 = { NARROW, E5M2 }, complex64 = { COMPLEX, COMPLEX_MATH } }
PARTS.complex128 = PARTS.complex64
PARTS.thrust = { COMPLEX, COMPLEX_MATH, THRUST }
PARTS.atomicAdd = { ATOMIC_ADD }
for _, row in ipairs(constants) do
  PARTS[row[1]] = { ("#ifndef %s\n#define %s %s\n#endif\n"):format(row[1], row[1], row[2]) }
end

-- prelude.text(names) -> CUDA text that declares what the dtypes, functions and constants in the
-- list `names` need, each once
local function text(names)
  local parts, seen = { '#line 1 "luacuda"\n', BASE }, {}
  for _, name in ipairs(names) do
    for _, part in ipairs(PARTS[name] or {}) do
      if not seen[part] then
        seen[part] = true
        parts[#parts + 1] = part
      end
    end
  end
  return table.concat(parts)
end

-- prelude.cname(name) -> the C++ type of a dtype in generated kernels.
local function cname(name)
  local row = dtypes.of(name)
  return row and row.ctype or error(("no dtype '%s'"):format(name), 2)
end

-- prelude.stored(ctype) -> the C++ type through which generated kernels load elements of `ctype`.
local function stored(ctype) return ctype == "bool" and "_lcu_bool" or ctype end

return { text = text, cname = cname, stored = stored }
