/* lcu_float8.h: bits of float8_e4m3fn and float8_e5m2 <-> float and double, exact, round to nearest
 * even. e4m3fn has no infinity: what rounds past 448 is NaN. In e5m2, what rounds past 57344 is
 * infinity. NaN is one pattern for each sign: 0x7f or 0x7e. */
#ifndef LCU_FLOAT8_H
#define LCU_FLOAT8_H

#include "lcu_half.h"

/* An e5m2 is the upper byte of a float16. An e4m3 between the sign and the mantissa of a float16
 * is its 256th part: the biases are 7 and 15. */
static inline float lcu_e5m2_to_float (uint8_t b) { return lcu_half_to_float((uint16_t)(b << 8)); }
static inline float lcu_e4m3_to_float (uint8_t b) {
  uint32_t sign = (uint32_t)(b & 0x80u) << 24, size = b & 0x7fu;
  float f = lcu_half_to_float((uint16_t)(size << 7)) * 256.0f;
  return lcu_bits_f32(size == 0x7f ? sign | 0x7fc00000u : sign | lcu_f32_bits(f));
}

/* a: the bits of a magnitude that is subnormal in the format. `unit`: the bits of the float whose
 * last bit is worth the smallest subnormal, so the addition rounds. */
static inline uint32_t lcu_float8_small (uint32_t a, uint32_t unit) {
  return lcu_f32_bits(lcu_bits_f32(a) + lcu_bits_f32(unit)) - unit;
}

static inline uint8_t lcu_float_to_e4m3 (float f) {
  uint32_t u = lcu_f32_bits(f), sign = (u >> 24) & 0x80u, a = u & 0x7fffffffu;
  if (a > 0x43e80000u) return (uint8_t)(sign | 0x7fu); /* 464 and less round to 448 */
  if (a < 0x3c800000u) return (uint8_t)(sign | lcu_float8_small(a, 0x46800000u));
  return (uint8_t)(sign | ((a - 0x3c000000u + 0x7ffffu + ((a >> 20) & 1u)) >> 20));
}

static inline uint8_t lcu_float_to_e5m2 (float f) {
  uint32_t u = lcu_f32_bits(f), sign = (u >> 24) & 0x80u, a = u & 0x7fffffffu;
  if (a > 0x7f800000u) return (uint8_t)(sign | 0x7eu);
  if (a >= 0x47700000u) return (uint8_t)(sign | 0x7cu); /* 61440 and more */
  if (a < 0x38800000u) return (uint8_t)(sign | lcu_float8_small(a, 0x43000000u));
  return (uint8_t)(sign | ((a - 0x38000000u + 0xfffffu + ((a >> 21) & 1u)) >> 21));
}

static inline uint8_t lcu_double_to_e4m3 (double d) {
  return lcu_float_to_e4m3(lcu_double_to_float_odd(d));
}
static inline uint8_t lcu_double_to_e5m2 (double d) {
  return lcu_float_to_e5m2(lcu_double_to_float_odd(d));
}

#endif
