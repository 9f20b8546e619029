/* ptx_float.h: floating-point operations of one lane, written so that loops over them vectorize.
 * They need -ffp-contract=off -fno-math-errno -fno-trapping-math and rounding to nearest; directed
 * roundings are in ptx_round_ops.c.
 *
 * The `.approx` operations are not bit-exact with any GPU. Their errors, which
 * cpu/test/test_ptx_ops.c checks: ex2 2 ulp; lg2 2 ulp (absolute 2^-22 near 1); sin and cos 2^-22
 * absolute in [-pi, pi] and 2 ulp of the argument beyond; tanh 2^-20 relative; rsqrt 2 ulp. rcp,
 * sqrt and div are correctly rounded. */
#ifndef PTX_FLOAT_H
#define PTX_FLOAT_H

#include <math.h>

#include "lcu_half.h"

static inline uint64_t ptx_f64_bits (double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  return u;
}
static inline double ptx_bits_f64 (uint64_t u) {
  double d;
  memcpy(&d, &u, 8);
  return d;
}

/* Flushes subnormals to zero of the same sign. */
static inline float ptx_ftz (float x) {
  uint32_t u = lcu_f32_bits(x);
  return lcu_bits_f32(u & 0x7f800000u ? u : u & 0x80000000u);
}
static inline double ptx_ftz64 (double x) {
  uint64_t u = ptx_f64_bits(x), sign = (uint64_t)1 << 63;
  return ptx_bits_f64(u & ((uint64_t)0x7ff << 52) ? u : u & sign);
}

/* Clamps to [0, 1]; NaN and -0 become +0. */
static inline float ptx_sat (float x) {
  float y = x > 0.0f ? x : 0.0f;
  return y < 1.0f ? y : 1.0f;
}
static inline double ptx_sat64 (double x) {
  double y = x > 0.0 ? x : 0.0;
  return y < 1.0 ? y : 1.0;
}

#define PTX_NAN32 lcu_bits_f32(0x7fffffffu)
#define PTX_NAN64 ptx_bits_f64(UINT64_C(0x7fffffffffffffff))

/* The lesser (greater) of two numbers; -0 is less than +0. Equal operands differ at most in the
 * sign of zero: each comparison gives another one of them, and the union (the intersection) of
 * their bits has the sign. Written so that it becomes the processor's own minimum (maximum),
 * twice. */
#define PTX_LEAST(BITS, a, b) (BITS((a) < (b) ? (a) : (b)) | BITS((b) < (a) ? (b) : (a)))
#define PTX_GREATEST(BITS, a, b) (BITS((a) > (b) ? (a) : (b)) & BITS((b) > (a) ? (b) : (a)))

/* The result is the operand that is not NaN. */
static inline float ptx_min (float a, float b) {
  float r = lcu_bits_f32(PTX_LEAST(lcu_f32_bits, a, b));
  r = b != b ? a : r;
  r = a != a ? b : r;
  return r != r ? PTX_NAN32 : r;
}
static inline float ptx_max (float a, float b) {
  float r = lcu_bits_f32(PTX_GREATEST(lcu_f32_bits, a, b));
  r = b != b ? a : r;
  r = a != a ? b : r;
  return r != r ? PTX_NAN32 : r;
}
static inline double ptx_min64 (double a, double b) {
  double r = ptx_bits_f64(PTX_LEAST(ptx_f64_bits, a, b));
  r = b != b ? a : r;
  r = a != a ? b : r;
  return r != r ? PTX_NAN64 : r;
}
static inline double ptx_max64 (double a, double b) {
  double r = ptx_bits_f64(PTX_GREATEST(ptx_f64_bits, a, b));
  r = b != b ? a : r;
  r = a != a ? b : r;
  return r != r ? PTX_NAN64 : r;
}
/* .NaN: any NaN gives the canonical one. .xorsign.abs: the smaller or larger magnitude, with the
 * sign of the product. */
static inline float ptx_min_nan (float a, float b) {
  float r = lcu_bits_f32(PTX_LEAST(lcu_f32_bits, a, b));
  return __builtin_isunordered(a, b) ? PTX_NAN32 : r;
}
static inline float ptx_max_nan (float a, float b) {
  float r = lcu_bits_f32(PTX_GREATEST(lcu_f32_bits, a, b));
  return __builtin_isunordered(a, b) ? PTX_NAN32 : r;
}
static inline float ptx_xorsign (float magnitude, float a, float b) {
  return lcu_bits_f32((lcu_f32_bits(magnitude) & 0x7fffffffu) |
                      ((lcu_f32_bits(a) ^ lcu_f32_bits(b)) & 0x80000000u));
}
/* div.approx (9.7.3.8): zero, or NaN of infinity, for divisors over 2^126; otherwise exact. */
static inline float ptx_div_approx (float a, float b) {
  uint32_t bits = lcu_f32_bits(b), above = (bits & 0x7fffffffu) - 0x7e800001u;
  return above < 0x01000000u ? a * lcu_bits_f32(bits & 0x80000000u) : a / b;
}
static inline float ptx_abs (float a) { return lcu_bits_f32(lcu_f32_bits(a) & 0x7fffffffu); }
static inline double ptx_abs64 (double a) {
  return ptx_bits_f64(ptx_f64_bits(a) & ~((uint64_t)1 << 63));
}

/* p + c rounded to odd: the last bit stands for everything that was lost, so that another rounding,
 * to a narrower format, gives the same result as a single one. */
static inline double ptx_odd_sum (double p, double c) {
  double s = p + c, t = s - p, lost = (p - (s - t)) + (c - t);
  /* 1: the true sum is smaller in magnitude */
  uint64_t u = ptx_f64_bits(s), below = (ptx_f64_bits(lost) ^ u) >> 63;
  bool adjust = lost != 0.0 && (u & 1u) == 0 && (u << 1) < ((uint64_t)0x7ff << 53);
  return ptx_bits_f64(adjust ? (below ? u - 1u : u + 1u) : u);
}

/* a * b + c, rounded once. Without an FMA instruction: the product is exact in double. */
#if defined(__FMA__) || !defined(__x86_64__)
static inline float ptx_fma (float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
static inline float ptx_fma (float a, float b, float c) {
  return (float)ptx_odd_sum((double)a * (double)b, (double)c);
}
#endif

/* 2^f, |f| <= 0.5: Taylor, relative error 6e-9 before rounding. */
static inline float ptx_ex2_poly (float f) {
  float p = 1.52527338e-5f;
  p = p * f + 1.54035304e-4f;
  p = p * f + 1.33335581e-3f;
  p = p * f + 9.61812911e-3f;
  p = p * f + 5.55041087e-2f;
  p = p * f + 2.40226507e-1f;
  p = p * f + 6.93147181e-1f;
  return p * f + 1.0f;
}
static inline float ptx_pow2i (int32_t k) { return lcu_bits_f32((uint32_t)(k + 127) << 23); }
static inline float ptx_ex2 (float x) {
  float c = x < -160.0f ? -160.0f : x > 130.0f ? 130.0f : x;
  float n = rintf(c), p = ptx_ex2_poly(c - n);
  /* in two steps, so that subnormal results are rounded once, at the end */
  int32_t k = (int32_t)(n == n ? n : 0.0f), half = k >> 1;
  return p * ptx_pow2i(half) * ptx_pow2i(k - half);
}

/* log2(m * 2^e), m near 1, through s = (m - 1) / (m + 1). */
static inline float ptx_lg2 (float x) {
  bool tiny = x < 1.17549435e-38f;
  uint32_t u = lcu_f32_bits(tiny ? x * 16777216.0f : x);
  int32_t e = (int32_t)(u - 0x3f3504f3u) >> 23;
  float f = lcu_bits_f32(u - ((uint32_t)e << 23)) - 1.0f, s = f / (2.0f + f), s2 = s * s;
  float p = 1.0f / 9.0f;
  p = p * s2 + 1.0f / 7.0f;
  p = p * s2 + 1.0f / 5.0f;
  p = p * s2 + 1.0f / 3.0f;
  float t = s * 2.88539008f, r = (float)(e - (tiny ? 24 : 0)) + (t + t * (s2 * p));
  r = x == 0.0f ? -INFINITY : x < 0.0f ? PTX_NAN32 : r;
  return x == INFINITY || x != x ? x : r;
}

/* The argument is reduced by quarter turns in double; sin and cos share the two polynomials. */
static inline float ptx_sincos (float x, double quarter) {
  double d = (double)x, k = rint(d * 0.63661977236758134);
  double r = d - k * 1.5707963267341256 - k * 6.0771005065061922e-11, r2 = r * r;
  double q = k + quarter;
  q = q - 4.0 * floor(q * 0.25);
  double s = r + r * r2 * (-1.0 / 6 + r2 * (1.0 / 120 + r2 * (-1.0 / 5040 + r2 * (1.0 / 362880))));
  double c =
    1.0 +
    r2 * (-0.5 + r2 * (1.0 / 24 + r2 * (-1.0 / 720 + r2 * (1.0 / 40320 + r2 * (-1.0 / 3628800)))));
  double v = q == 1.0 || q == 3.0 ? c : s;
  return (float)(q >= 2.0 ? -v : v);
}
static inline float ptx_sin (float x) { return x == 0.0f ? x : ptx_sincos(x, 0.0); }
static inline float ptx_cos (float x) { return ptx_sincos(x, 1.0); }

static inline float ptx_tanh (float x) {
  float a = ptx_abs(x), a2 = a * a;
  float small = a * (1.0f + a2 * (-1.0f / 3.0f + a2 * (2.0f / 15.0f + a2 * (-17.0f / 315.0f))));
  float e = ptx_ex2(a > 12.0f ? 40.0f : a * 2.88539008f);
  float r = a < 0.25f ? small : 1.0f - 2.0f / (e + 1.0f);
  return x != x ? PTX_NAN32 : lcu_bits_f32(lcu_f32_bits(r) | (lcu_f32_bits(x) & 0x80000000u));
}

static inline float ptx_rsqrt (float x) { return 1.0f / sqrtf(x); }

/* rcp and rsqrt.approx.ftz.f64 use only the upper 32 bits of operand and result; subnormals are
 * zeros (9.7.3.14, 9.7.3.17). */
static inline double ptx_upper (double x) {
  uint64_t u = ptx_f64_bits(x), top = u & ~(uint64_t)UINT32_MAX;
  return x != x ? PTX_NAN64 : ptx_bits_f64(top);
}
static inline double ptx_rcp64_upper (double x) {
  return ptx_upper(ptx_ftz64(1.0 / ptx_ftz64(ptx_upper(x))));
}
static inline double ptx_rsqrt64_upper (double x) {
  return ptx_upper(ptx_ftz64(1.0 / sqrt(ptx_ftz64(ptx_upper(x)))));
}

/* 9.7.3.1 */
static inline bool ptx_is_finite (float x) {
  return (lcu_f32_bits(x) & 0x7f800000u) != 0x7f800000u;
}
static inline bool ptx_is_infinite (float x) {
  return (lcu_f32_bits(x) & 0x7fffffffu) == 0x7f800000u;
}
static inline bool ptx_is_subnormal (float x) {
  uint32_t m = lcu_f32_bits(x) & 0x7fffffffu;
  return m != 0 && m < 0x00800000u;
}
static inline bool ptx_is_normal (float x) { /* zero, too */
  uint32_t m = lcu_f32_bits(x) & 0x7fffffffu;
  return m == 0 || (m >= 0x00800000u && m < 0x7f800000u);
}
#define PTX_MAG64(x) (ptx_f64_bits(x) & ~((uint64_t)1 << 63))
#define PTX_INF64 ((uint64_t)0x7ff << 52)
static inline bool ptx_is_finite64 (double x) { return PTX_MAG64(x) < PTX_INF64; }
static inline bool ptx_is_infinite64 (double x) { return PTX_MAG64(x) == PTX_INF64; }
static inline bool ptx_is_subnormal64 (double x) {
  return PTX_MAG64(x) != 0 && PTX_MAG64(x) < ((uint64_t)1 << 52);
}
static inline bool ptx_is_normal64 (double x) {
  return PTX_MAG64(x) == 0 || (PTX_MAG64(x) >= ((uint64_t)1 << 52) && PTX_MAG64(x) < PTX_INF64);
}

/* Integral float -> integer, saturating (9.7.9.21). NaN gives 0 when neither type has 64 bits,
 * otherwise only the top bit. */

static inline int32_t ptx_f32_s32 (float x) {
  return x >= 2147483648.0f ? INT32_MAX : x < -2147483648.0f ? INT32_MIN : x == x ? (int32_t)x : 0;
}
static inline int32_t ptx_f64_s32 (double x) {
  return x >= 2147483648.0 ? INT32_MAX : x >= -2147483648.0 ? (int32_t)x : INT32_MIN;
}
static inline uint32_t ptx_f64_u32 (double x) {
  double y = x > 0.0 ? (x < 4294967295.0 ? x : 4294967295.0) : 0.0;
  bool big = y >= 2147483648.0;
  uint32_t r = (uint32_t)(int32_t)(big ? y - 2147483648.0 : y) + ((uint32_t)big << 31);
  return x == x ? r : (uint32_t)1 << 31;
}
static inline uint32_t ptx_f32_u32 (float x) {
  bool over = x >= 4294967296.0f;
  float y = x > 0.0f && !over ? x : 0.0f;
  bool big = y >= 2147483648.0f;
  uint32_t r = (uint32_t)(int32_t)(big ? y - 2147483648.0f : y) + ((uint32_t)big << 31);
  return over ? UINT32_MAX : r;
}
static inline int64_t ptx_f64_s64 (double x) {
  return x >= 9223372036854775808.0    ? INT64_MAX
         : x >= -9223372036854775808.0 ? (int64_t)x
                                       : INT64_MIN;
}
static inline uint64_t ptx_f64_u64 (double x) {
  return x > 0.0  ? x >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)x
         : x == x ? 0
                  : (uint64_t)1 << 63;
}
static inline int64_t ptx_f32_s64 (float x) { return ptx_f64_s64((double)x); }
static inline uint64_t ptx_f32_u64 (float x) { return ptx_f64_u64((double)x); }
static inline int32_t ptx_f64_narrow (double x, double low, double high, double nan) {
  double y = x < low ? low : x > high ? high : x;
  return (int32_t)(y == y ? y : nan);
}
#define ptx_f64_s8(x) ptx_f64_narrow(x, -128.0, 127.0, -128.0)
#define ptx_f64_u8(x) ptx_f64_narrow(x, 0.0, 255.0, 128.0)
#define ptx_f64_s16(x) ptx_f64_narrow(x, -32768.0, 32767.0, -32768.0)
#define ptx_f64_u16(x) ptx_f64_narrow(x, 0.0, 65535.0, 32768.0)
#define ptx_f32_s8(x) ptx_f64_narrow((double)(x), -128.0, 127.0, 0.0)
#define ptx_f32_u8(x) ptx_f64_narrow((double)(x), 0.0, 255.0, 0.0)
#define ptx_f32_s16(x) ptx_f64_narrow((double)(x), -32768.0, 32767.0, 0.0)
#define ptx_f32_u16(x) ptx_f64_narrow((double)(x), 0.0, 65535.0, 0.0)

/* cvt.rna.tf32: ties away from zero at the tenth mantissa bit. */
static inline float ptx_tf32 (float x) {
  uint32_t u = lcu_f32_bits(x);
  return x != x                             ? PTX_NAN32
         : (u & 0x7f800000u) == 0x7f800000u ? x
                                            : lcu_bits_f32((u + 0x1000u) & 0xffffe000u);
}

/* Two halves in 32 bits. */
#define PTX_HALF_LO(x) ((uint16_t)(x))
#define PTX_HALF_HI(x) ((uint16_t)((x) >> 16))
#define PTX_PAIR(lo, hi) ((uint32_t)(uint16_t)(lo) | (uint32_t)(uint16_t)(hi) << 16)
#define PTX_H2F(h) lcu_half_to_float(h)
#define PTX_F2H(x) ptx_f2h((double)(x))
#define PTX_B2F(h) ((double)lcu_bf16_to_float(h))
#define PTX_F2B(x) ptx_f2b((double)(x))
/* NaN results are always canonical. */
static inline uint16_t ptx_f2h (double x) { return x != x ? 0x7fffu : lcu_double_to_half(x); }
static inline uint16_t ptx_f2b (double x) { return x != x ? 0x7fffu : lcu_double_to_bf16(x); }

/* 13 bits fewer, of the bits of a float. */
static inline uint32_t ptx_tf32_nearest (uint32_t u) {
  return (u & 0x7fffffffu) > 0x7f800000u    ? 0x7fffffffu
         : (u & 0x7f800000u) == 0x7f800000u ? u
                                            : (u + 0xfffu + (u >> 13 & 1u)) & 0xffffe000u;
}
static inline uint32_t ptx_tf32_toward_zero (uint32_t u) {
  return (u & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : u & 0xffffe000u;
}
/* The greatest finite half instead of an infinite one; the upper half of h does not count. */
static inline uint32_t ptx_finite (uint32_t h, uint32_t infinity, uint32_t greatest) {
  return ((h & 0x7fffu) == infinity ? (h & 0x8000u) | greatest : h) & 0xffffu;
}
static inline uint16_t ptx_h_ftz (uint16_t h) { return h & 0x7c00u ? h : h & 0x8000u; }
static inline uint16_t ptx_h_sat (uint16_t h) {
  return lcu_float_to_half(ptx_sat(lcu_half_to_float(h)));
}
static inline bool ptx_h_isnan (uint16_t h) { return (h & 0x7fffu) > 0x7c00u; }
static inline bool ptx_b_isnan (uint16_t h) { return (h & 0x7fffu) > 0x7f80u; }
static inline uint16_t ptx_h_relu (uint16_t h) {
  return ptx_h_isnan(h) ? 0x7fffu : h & 0x8000u ? 0 : h;
}
static inline uint16_t ptx_b_relu (uint16_t h) {
  return ptx_b_isnan(h) ? 0x7fffu : h & 0x8000u ? 0 : h;
}
/* The product is exact in double, and for f16 so is every sum that is near a tie. bf16 has a wider
 * range and needs rounding to odd. */
static inline uint16_t ptx_h_fma (uint16_t a, uint16_t b, uint16_t c) {
  return ptx_f2h((double)PTX_H2F(a) * (double)PTX_H2F(b) + (double)PTX_H2F(c));
}
static inline uint16_t ptx_b_fma (uint16_t a, uint16_t b, uint16_t c) {
  return ptx_f2b(ptx_odd_sum(PTX_B2F(a) * PTX_B2F(b), PTX_B2F(c)));
}
static inline uint16_t ptx_h_min (uint16_t a, uint16_t b) {
  float r = ptx_min(lcu_half_to_float(a), lcu_half_to_float(b));
  return r != r ? 0x7fffu : lcu_float_to_half(r);
}
static inline uint16_t ptx_h_max (uint16_t a, uint16_t b) {
  float r = ptx_max(lcu_half_to_float(a), lcu_half_to_float(b));
  return r != r ? 0x7fffu : lcu_float_to_half(r);
}
static inline uint16_t ptx_b_min (uint16_t a, uint16_t b) {
  float r = ptx_min(lcu_bf16_to_float(a), lcu_bf16_to_float(b));
  return r != r ? 0x7fffu : lcu_float_to_bf16(r);
}
static inline uint16_t ptx_b_max (uint16_t a, uint16_t b) {
  float r = ptx_max(lcu_bf16_to_float(a), lcu_bf16_to_float(b));
  return r != r ? 0x7fffu : lcu_float_to_bf16(r);
}
#define PTX_HALF_NAN(name, fn, isnan) \
  static inline uint16_t name(uint16_t a, uint16_t b) { \
    return isnan(a) || isnan(b) ? 0x7fffu : fn(a, b); \
  }
PTX_HALF_NAN(ptx_h_min_nan, ptx_h_min, ptx_h_isnan)
PTX_HALF_NAN(ptx_h_max_nan, ptx_h_max, ptx_h_isnan)
PTX_HALF_NAN(ptx_b_min_nan, ptx_b_min, ptx_b_isnan)
PTX_HALF_NAN(ptx_b_max_nan, ptx_b_max, ptx_b_isnan)
#undef PTX_HALF_NAN
/* Rounding toward zero: one step back where rounding to nearest went away from zero. */
static inline uint16_t ptx_h_toward_zero (float f) {
  uint16_t h = lcu_float_to_half(f);
  return f == f && ptx_abs(lcu_half_to_float(h)) > ptx_abs(f) ? (uint16_t)(h - 1u) : h;
}
static inline uint16_t ptx_b_toward_zero (float f) {
  return f != f ? 0x7fffu : (uint16_t)(lcu_f32_bits(f) >> 16);
}

#endif
