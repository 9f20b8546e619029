/* ptx_op_reference.h: the functions used in the expectations of ptx_op_cases.def. Simple, slow, and
 * independent of cpu/src/ptx. */
#ifndef PTX_OP_REFERENCE_H
#define PTX_OP_REFERENCE_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float as_f (uint64_t u) {
  uint32_t v = (uint32_t)u;
  float f;
  memcpy(&f, &v, 4);
  return f;
}
static double as_d (uint64_t u) {
  double d;
  memcpy(&d, &u, 8);
  return d;
}
static uint32_t fbits (float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}
static uint64_t dbits (double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  return u;
}

/* ---- integers */

static uint64_t clamped (int64_t v, int64_t low, int64_t high) {
  return (uint64_t)(v < low ? low : v > high ? high : v);
}
static int64_t most_of (int64_t a, int64_t b) { return a > b ? a : b; }
static uint64_t sat32 (int64_t v) { return clamped(v, INT32_MIN, INT32_MAX); }
static int64_t s24 (uint32_t v) { return (int64_t)(v & 0x7fffff) - (int64_t)(v & 0x800000); }
static uint64_t top_bit (uint64_t v) {
  uint32_t n = UINT32_MAX;
  for (uint32_t i = 0; i < 64; i++)
    if ((v >> i) & 1) n = i;
  return n;
}
static uint64_t shift_amount (uint64_t v, uint32_t top) {
  return v ? top - top_bit(v) : UINT32_MAX;
}
/* Shifted by up to 32: the lower 34 bits with their sign. */
static int64_t shift34 (uint64_t v, uint32_t n) {
  return (int64_t)(v << (n < 32 ? n : 32) << 30) >> 30;
}
static uint64_t reversed (uint64_t v, uint32_t n) {
  uint64_t r = 0;
  for (uint32_t i = 0; i < n; i++) r |= ((v >> i) & 1) << (n - 1 - i);
  return r;
}
static uint64_t nth_set (uint32_t mask, uint32_t base, int n) {
  if (n == 0) return (mask >> base) & 1 ? base : UINT32_MAX;
  for (int i = (int)base, left = abs(n); i >= 0 && i < 32; i += n > 0 ? 1 : -1)
    if ((mask >> i) & 1 && --left == 0) return (uint64_t)i;
  return UINT32_MAX;
}
/* The ISA's pseudocode of bfe: bit by bit, with the sign from bit min(pos + len - 1, msb). */
static uint64_t field (uint64_t v, uint32_t pos, uint32_t len, uint32_t bits, bool sign) {
  uint32_t msb = bits - 1, at = pos + len - 1 < msb ? pos + len - 1 : msb;
  uint64_t s = !sign || len == 0 ? 0 : (v >> at) & 1, r = 0;
  for (uint32_t i = 0; i < bits; i++)
    r |= (i < len && pos + i <= msb ? (v >> (pos + i)) & 1 : s) << i;
  return r;
}
static uint64_t inserted (uint64_t v, uint64_t into, uint32_t pos, uint32_t len, uint32_t bits) {
  for (uint32_t i = 0; i < len && pos + i < bits && i < bits; i++)
    into = (into & ~((uint64_t)1 << (pos + i))) | ((v >> i) & 1) << (pos + i);
  return into;
}
static uint64_t extended (uint32_t v, uint32_t n, bool sign) {
  return n == 0 ? 0 : field(v, 0, n, 32, sign);
}
static uint64_t dot4 (uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb) {
  for (int i = 0; i < 32; i += 8)
    c += (uint32_t)((sa ? (int8_t)(a >> i) : (int)((a >> i) & 255)) *
                    (sb ? (int8_t)(b >> i) : (int)((b >> i) & 255)));
  return c;
}
static uint64_t dot2 (uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb, int at) {
  for (int i = 0; i < 2; i++) {
    int x = sa ? (int16_t)(a >> (16 * i)) : (int)((a >> (16 * i)) & 65535),
        y = (int)((b >> (at + 8 * i)) & 255);
    c += (uint32_t)(x * (sb ? (int8_t)y : y));
  }
  return c;
}
static uint32_t byte_of (uint32_t a, uint32_t b, uint32_t i) {
  return (uint32_t)(((((uint64_t)b << 32) | a) >> (8 * i)) & 255);
}
static uint64_t permuted (uint32_t a, uint32_t b, uint32_t sel) {
  uint32_t r = 0;
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t s = (sel >> (4 * i)) & 15, v = byte_of(a, b, s & 7);
    r |= (s & 8 ? (v >> 7) * 255 : v) << (8 * i);
  }
  return r;
}

/* Parts of `bits` bits each: two halves or four bytes. */
static int part_of (uint32_t v, int bits, int i, bool sign) {
  uint32_t u = (v >> (bits * i)) & ((1u << bits) - 1);
  return sign ? bits == 8 ? (int8_t)u : (int16_t)u : (int)u;
}
static uint32_t parts (int bits, uint32_t a, uint32_t b, uint32_t r, char op, bool in_signed,
                       bool out_signed, bool sat) {
  for (int i = 0; i < 32 / bits; i++) {
    int x = part_of(a, bits, i, in_signed), y = part_of(b, bits, i, in_signed), v = 0;
    switch (op) {
      case '+': v = x + y; break;
      case '-': v = x - y; break;
      case '<': v = x < y ? x : y; break;
      case '>': v = x > y ? x : y; break;
      case 'a': v = (x + y + 1) / 2; break;
      default: v = abs(x - y); break;
    }
    if (sat)
      v = (int)clamped(v, out_signed ? -(1 << (bits - 1)) : 0,
                       out_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1);
    r |= ((uint32_t)v & ((1u << bits) - 1)) << (bits * i);
  }
  return r;
}
static uint32_t part_sum (int bits, uint32_t v, bool sign) {
  uint32_t s = 0;
  for (int i = 0; i < 32 / bits; i++) s += (uint32_t)part_of(v, bits, i, sign);
  return s;
}

/* ---- floats */

/* Of div.approx (9.7.3.8). */
static double approximate_quotient (float a, float b) {
  return isfinite(b) && fabsf(b) > 0x1p126f ? (double)a * 0 : (double)a / (double)b;
}

static float flush (float f) { return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f; }
static float unit (float f) { return f > 0 ? f < 1 ? f : 1 : 0; }
static double least (double a, double b) {
  if (isnan(a)) return b;
  if (isnan(b)) return a;
  if (a == b) return signbit(a) ? a : b;
  return a < b ? a : b;
}
static double greatest (double a, double b) {
  if (isnan(a)) return b;
  if (isnan(b)) return a;
  if (a == b) return signbit(a) ? b : a;
  return a < b ? b : a;
}
/* The halves of a pair of floats, and a pair of them. */
static float lower (uint64_t u) { return as_f(u & UINT32_MAX); }
static float upper (uint64_t u) { return as_f(u >> 32); }
static uint64_t fpair (float low, float high) { return fbits(low) | (uint64_t)fbits(high) << 32; }
/* Volatile, so that the compiler does not compute in the wrong mode. */
static float rounded32 (int mode, char op, float x, float y, float z) {
  volatile float a = x, b = y, c = z, r = 0;
  fesetround(mode);
  switch (op) {
    case '+': r = a + b; break;
    case '-': r = a - b; break;
    case '*': r = a * b; break;
    case '/': r = a / b; break;
    case 's': r = sqrtf(a); break;
    default: r = fmaf(a, b, c); break;
  }
  fesetround(FE_TONEAREST);
  return r;
}
static double rounded64 (int mode, char op, double x, double y, double z) {
  volatile double a = x, b = y, c = z, r = 0;
  fesetround(mode);
  switch (op) {
    case '+': r = a + b; break;
    case '-': r = a - b; break;
    case '*': r = a * b; break;
    case '/': r = a / b; break;
    case 's': r = sqrt(a); break;
    default: r = fma(a, b, c); break;
  }
  fesetround(FE_TONEAREST);
  return r;
}
static float narrowed (int mode, double x) {
  volatile double a = x;
  fesetround(mode);
  volatile float r = (float)a;
  fesetround(FE_TONEAREST);
  return r;
}
static float int_to_f32 (int mode, int64_t x) {
  volatile int64_t a = x;
  fesetround(mode);
  volatile float r = (float)a;
  fesetround(FE_TONEAREST);
  return r;
}
static double int_to_f64 (int mode, int64_t x) {
  volatile int64_t a = x;
  fesetround(mode);
  volatile double r = (double)a;
  fesetround(FE_TONEAREST);
  return r;
}
/* In long double, whose significand has 64 bits. */
static double uint_to_f64 (int mode, uint64_t x) {
  volatile long double a = x;
  fesetround(mode);
  volatile double r = (double)a;
  fesetround(FE_TONEAREST);
  return r;
}
/* The upper 32 bits of a double, subnormals as zeros; and a result reduced to those. */
static double upper_of (double x) {
  double r = as_d(dbits(x) & ~(uint64_t)UINT32_MAX);
  return isnan(x) ? NAN : fpclassify(r) == FP_SUBNORMAL ? copysign(0, r) : r;
}
static uint64_t upper_half (double x) { return dbits(upper_of(x)); }

static uint64_t whole (double x, int64_t low, int64_t high) {
  if (isnan(x)) return 0;
  return (uint64_t)(x<(double)low ? low : x>(double) high ? high : (int64_t)x);
}
/* The same if source or result has 64 bits: NaN gives the top bit of the result. */
static uint64_t whole_wide (double x, int64_t low, int64_t high) {
  if (isnan(x)) return (uint64_t)(low < 0 ? low : (high >> 1) + 1);
  return whole(x, low, high);
}
static uint64_t whole_s64 (double x) {
  if (isnan(x)) return (uint64_t)INT64_MIN;
  return (uint64_t)(x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x);
}
static uint64_t whole_u64 (double x) {
  if (isnan(x)) return (uint64_t)1 << 63;
  return x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

/* ---- small floats: `bits` of mantissa, exponents from `emin` up, overflow at `limit` */

/* By pointer: an inlined rint may assume rounding to nearest. */
static double (*volatile rint_call)(double) = rint;

static double to_small (double x, int bits, int emin, double limit, int mode) {
  if (isnan(x) || isinf(x) || x == 0) return x;
  int e = ilogb(x) < emin ? emin : ilogb(x);
  volatile double scaled = ldexp(x, bits - e);
  fesetround(mode);
  volatile double r = rint_call(scaled);
  fesetround(FE_TONEAREST);
  double v = ldexp(r, e - bits), top = limit - ldexp(1, ilogb(limit) - bits);
  if (fabs(v) < limit) return copysign(v, x);
  bool stays =
    mode == FE_TOWARDZERO || (mode == FE_DOWNWARD && x > 0) || (mode == FE_UPWARD && x < 0);
  return copysign(stays ? ldexp(2 - ldexp(1, -bits), ilogb(top)) : INFINITY, x);
}
static uint16_t encode_small (double v, int bits, int emin) {
  int bias = 1 - emin;
  uint16_t sign = signbit(v) ? 0x8000 : 0;
  v = fabs(v);
  if (isnan(v)) return 0x7fff;
  if (isinf(v)) return (uint16_t)(sign | (2 * bias + 1) << bits);
  if (v < ldexp(1, emin)) return (uint16_t)(sign | (int)ldexp(v, bits - emin));
  int e = ilogb(v);
  return (uint16_t)(sign | (e + bias) << bits | ((int)ldexp(v, bits - e) & ((1 << bits) - 1)));
}
static double decode_small (uint16_t h, int bits, int emin) {
  int bias = 1 - emin, e = (h & 0x7fff) >> bits, m = h & ((1 << bits) - 1);
  double v = e == 0              ? ldexp(m, emin - bits)
             : e == 2 * bias + 1 ? m ? NAN : INFINITY
                                 : ldexp(m + (1 << bits), e - bias - bits);
  return h & 0x8000 ? -v : v;
}
static float h2f (uint16_t h) { return (float)decode_small(h, 10, -14); }
static float b2f (uint16_t h) { return (float)decode_small(h, 7, -126); }
static uint16_t hbits_toward (double x, int mode) {
  return encode_small(to_small(x, 10, -14, 65536.0, mode), 10, -14);
}
static uint16_t hbits (double x) { return hbits_toward(x, FE_TONEAREST); }
static uint16_t bbits (double x) {
  return encode_small(to_small(x, 7, -126, 0x1p128, FE_TONEAREST), 7, -126);
}
/* p + z truncated, with the last bit set if bits were lost, so that a later rounding equals one of
 * the exact sum. */
static double odd_sum (double p, double z) {
  volatile double x = p, y = z;
  fesetround(FE_TOWARDZERO);
  feclearexcept(FE_INEXACT);
  volatile double s = x + y;
  bool inexact = fetestexcept(FE_INEXACT) != 0;
  fesetround(FE_TONEAREST);
  return inexact && isfinite(s) ? as_d(dbits(s) | 1) : s;
}
static uint16_t hbits_exact (double p, double z) { return hbits(odd_sum(p, z)); }
static uint16_t bbits_exact (double p, double z) { return bbits(odd_sum(p, z)); }
static uint16_t hflush (uint16_t h) { return h & 0x7c00 ? h : h & 0x8000; }
static uint16_t hrelu (uint16_t h) { return h == 0x7fff ? h : h & 0x8000 ? 0 : h; }
static uint32_t hpair (uint32_t low, uint32_t high) {
  return (uint16_t)low | (uint32_t)(uint16_t)high << 16;
}
static uint16_t hunit (uint16_t h) { return hbits(unit(h2f(h))); }
/* The sign of a product, with the magnitude of h. */
static uint16_t signed_as (uint16_t h, uint16_t a, uint16_t b) {
  return (uint16_t)((h & 0x7fff) | ((a ^ b) & 0x8000));
}
static uint16_t plain (uint16_t h) { return h & 0x7fff; }
/* f16, or bf16, of a float; infinite ones become the greatest finite one. */
static uint16_t finite_h (uint16_t h, uint16_t infinity) {
  return plain(h) == infinity ? (uint16_t)(h - 1) : h;
}
/* Saturated integers of n bits: the second in the lowest bits, then the first, then c. */
static uint64_t packed (int64_t a, int64_t b, uint64_t c, int n, bool sign) {
  int64_t low = sign ? -(1 << (n - 1)) : 0, high = sign ? (1 << (n - 1)) - 1 : (1 << n) - 1;
  uint64_t keep = (1u << n) - 1;
  return c << (2 * n) | (clamped(a, low, high) & keep) << n | (clamped(b, low, high) & keep);
}
/* Rounded to 10 fraction bits. */
static uint32_t tf32_by (uint32_t u, int mode) {
  uint32_t low = u & 0x1fff, cut = u - low;
  if (isnan(as_f(u))) return 0x7fffffff;
  if (isinf(as_f(u)) || mode == FE_TOWARDZERO) return cut;
  return low > 0x1000 || (low == 0x1000 && (cut & 0x2000)) ? cut + 0x2000 : cut;
}
static uint32_t tf32 (uint32_t u) {
  double x = (double)as_f(u);
  if (!isfinite(x) || x == 0) return u;
  int e = ilogb(x) < -126 ? -126 : ilogb(x);
  double v = ldexp(round(ldexp(fabs(x), 10 - e)), e - 10);
  return fbits((float)copysign(v, x));
}

#endif
