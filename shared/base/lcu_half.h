/* lcu_half.h: float16 and bfloat16 bits <-> float and double, exact, round to nearest even.
 * NaN stays NaN (quiet, payload's top bits kept). IEEE 754-2019, section 3.4 (binary16). */
#ifndef LCU_HALF_H
#define LCU_HALF_H

#include "lcu_base.h"
#include <string.h>

static inline uint32_t lcu_f32_bits (float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}
static inline float lcu_bits_f32 (uint32_t u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}

static inline float lcu_half_to_float (uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exp = (h >> 10) & 0x1fu, man = h & 0x3ffu;
  if (exp == 0x1f) return lcu_bits_f32(sign | 0x7f800000u | (man << 13));
  if (exp == 0) { /* zero or subnormal: man * 2^-24 is exact */
    float f = (float)man * 5.9604644775390625e-08f;
    return lcu_bits_f32(lcu_f32_bits(f) | sign);
  }
  return lcu_bits_f32(sign | ((exp + 112u) << 23) | (man << 13));
}

static inline uint16_t lcu_float_to_half (float f) {
  uint32_t u = lcu_f32_bits(f), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
  if (a > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | ((a >> 13) & 0x3ffu));
  if (a >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u); /* rounds past 65504 */
  /* result is subnormal or zero */
  if (a < 0x38800000u) {
    /* 0.5's ulp is 2^-24: the addition rounds */
    float t = lcu_bits_f32(a) + 0.5f;
    return (uint16_t)(sign | (lcu_f32_bits(t) - 0x3f000000u));
  }
  uint32_t odd = (a >> 13) & 1u;
  return (uint16_t)(sign | ((a - 0x38000000u + 0xfffu + odd) >> 13));
}

static inline float lcu_bf16_to_float (uint16_t h) { return lcu_bits_f32((uint32_t)h << 16); }

static inline uint16_t lcu_float_to_bf16 (float f) {
  uint32_t u = lcu_f32_bits(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((u >> 16) | 0x40u);
  return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

/* double -> float rounded to odd: a following rounding to a narrower type then rounds only once. */
static inline float lcu_double_to_float_odd (double d) {
  float f = (float)d;
  uint32_t u = lcu_f32_bits(f);
  if (d != d || (double)f == d || (u & 1u)) return f;
  double a = d < 0 ? -d : d, b = f < 0 ? -(double)f : (double)f;
  return lcu_bits_f32(b > a ? u - 1u : u + 1u);
}
static inline uint16_t lcu_double_to_half (double d) {
  return lcu_float_to_half(lcu_double_to_float_odd(d));
}
static inline uint16_t lcu_double_to_bf16 (double d) {
  return lcu_float_to_bf16(lcu_double_to_float_odd(d));
}

#endif
