/* ptx_tiny.h: floats of 4, 6 and 8 bits (9.7.9.21), as bits. They have neither infinities nor NaN,
 * except that e4m3 has a NaN and e5m2 has both. */
#ifndef PTX_TINY_H
#define PTX_TINY_H

#include <math.h>

#include "ptx_float.h"

/* A format: bits of the mantissa, bias, largest finite magnitude, what NaN becomes, the sign. */
typedef struct ptx_tiny {
  uint32_t mantissa, bias, most, nan, sign;
} ptx_tiny;

#define PTX_TINY_e4m3 ((ptx_tiny){ 3, 7, 0x7E, 0x7F, 0x80 })
#define PTX_TINY_e5m2 ((ptx_tiny){ 2, 15, 0x7B, 0x7F, 0x80 })
#define PTX_TINY_e2m3 ((ptx_tiny){ 3, 1, 0x1F, 0x1F, 0x20 })
#define PTX_TINY_e3m2 ((ptx_tiny){ 2, 3, 0x1F, 0x1F, 0x20 })
#define PTX_TINY_e2m1 ((ptx_tiny){ 1, 1, 0x07, 0x07, 0x08 })

/* To nearest even; what is too large becomes the largest finite value. */
static inline uint32_t ptx_tiny_of (float x, ptx_tiny t) {
  uint32_t u = lcu_f32_bits(x), a = u & 0x7fffffffu, code, cut = 23 - t.mantissa;
  float magnitude = lcu_bits_f32(a);
  if (a > 0x7f800000u) return t.nan;
  if (a >= (128u - t.bias) << 23)
    code =
      ((a + (1u << (cut - 1)) - 1 + ((a >> cut) & 1)) >> cut) - ((127u - t.bias) << t.mantissa);
  else /* in units of the smallest value; 2^mantissa of them are the smallest normal one */
    code = (uint32_t)rintf(magnitude * lcu_bits_f32((126u + t.bias + t.mantissa) << 23));
  if (code > t.most) code = t.most;
  return code | (u >> 31 != 0 ? t.sign : 0);
}

/* Finite values only. */
static inline float ptx_tiny_to (uint32_t bits, ptx_tiny t) {
  uint32_t code = bits & (t.sign - 1), exponent = code >> t.mantissa,
           sign = bits & t.sign ? 0x80000000u : 0;
  if (exponent != 0)
    return lcu_bits_f32(sign | ((code << (23 - t.mantissa)) + ((127u - t.bias) << 23)));
  float unit = lcu_bits_f32((128u - t.bias - t.mantissa) << 23);
  return lcu_bits_f32(lcu_f32_bits((float)code * unit) | sign);
}

/* 8-bit floats become halves by shifts: e5m2 has the exponent of a half. */
static inline uint16_t ptx_half_of_e5m2 (uint32_t b) { return (uint16_t)(b << 8); }
static inline uint16_t ptx_half_of_e4m3 (uint32_t b) {
  if ((b & 0x7f) == 0x7f) return 0x7fff;
  return lcu_float_to_half(ptx_tiny_to(b, PTX_TINY_e4m3));
}
#define PTX_HALF_OF(name) \
  static inline uint16_t ptx_half_of_##name(uint32_t b) { \
    return lcu_float_to_half(ptx_tiny_to(b, PTX_TINY_##name)); \
  }
PTX_HALF_OF(e2m3)
PTX_HALF_OF(e3m2)
PTX_HALF_OF(e2m1)
#undef PTX_HALF_OF

/* Exponents: 2^(b - 127), 255 is NaN. Signs are dropped. */
static inline uint32_t ptx_ue8m0_of (float x, bool up, bool finite) {
  uint32_t a = lcu_f32_bits(x) & 0x7fffffffu, e = a >> 23;
  if (a > 0x7f800000u) return 255;
  if (up && (a & 0x7fffffu) != 0 && a > 0x00400000u) e++;
  return finite && e == 255 ? 254 : e;
}
static inline uint16_t ptx_bf16_of_ue8m0 (uint32_t b) {
  if (b == 255) return 0x7fff;
  return (uint16_t)(b == 0 ? 0x40 : b << 7);
}

/* max(x, 0) of the bits; NaN stays. */
static inline uint32_t ptx_tiny_relu (uint32_t b, ptx_tiny t) {
  return b & t.sign && b != t.nan ? 0 : b;
}

#endif
