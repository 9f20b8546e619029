/* ptx_tiny_reference.h: floats of 4 to 8 bits for ptx_op_cases.def, by search over all values. */
#ifndef PTX_TINY_REFERENCE_H
#define PTX_TINY_REFERENCE_H

#include <math.h>

#include "lcu_half.h"

/* bits of the mantissa, bias, largest finite code, code of NaN, sign bit */
#define E4M3 3, 7, 0x7e, 0x7f, 0x80
#define E5M2 2, 15, 0x7b, 0x7f, 0x80
#define E2M3 3, 1, 0x1f, 0x1f, 0x20
#define E3M2 2, 3, 0x1f, 0x1f, 0x20
#define E2M1 1, 1, 0x07, 0x07, 0x08

static double tiny_value (unsigned code, int mantissa, int bias) {
  int exponent = (int)code >> mantissa, one = 1 << mantissa;
  double m = (double)((int)code & (one - 1)) / one;
  return exponent != 0 ? ldexp(1 + m, exponent - bias) : ldexp(m, 1 - bias);
}

static uint64_t tiny_near (double x, int mantissa, int bias, unsigned most, unsigned nan_,
                           unsigned sign) {
  unsigned best = 0;
  double a = fabs(x);
  if (isnan(x)) return nan_;
  if (a > tiny_value(most, mantissa, bias)) best = most;
  for (unsigned code = 1; code <= most && best != most; code++) {
    double here = fabs(tiny_value(code, mantissa, bias) - a),
           there = fabs(tiny_value(best, mantissa, bias) - a);
    if (here < there || (here == there && code % 2 == 0)) best = code;
  }
  return best | (signbit(x) ? sign : 0);
}

static uint64_t tiny_relu (double x, int mantissa, int bias, unsigned most, unsigned nan_,
                           unsigned sign) {
  if (isnan(x)) return nan_;
  return x > 0 ? tiny_near(x, mantissa, bias, most, nan_, sign) : 0;
}

static uint16_t tiny_half (unsigned bits, int mantissa, int bias, unsigned most, unsigned nan_,
                           unsigned sign) {
  unsigned code = bits & (sign - 1);
  uint16_t minus = bits & sign ? 0x8000 : 0;
  if (sign == 0x80 && mantissa == 2 && code > most) /* infinity and NaN of e5m2 */
    return (uint16_t)(bits << 8);
  if (sign == 0x80 && mantissa == 3 && code == nan_) return 0x7fff;
  return minus | lcu_double_to_half(tiny_value(code, mantissa, bias));
}

static double half_value (uint32_t bits) { return lcu_half_to_float((uint16_t)bits); }
static double bf16_value (uint32_t bits) { return lcu_bf16_to_float((uint16_t)bits); }

/* The power of two next to |x|, as its exponent. */
static uint64_t scale_of (double x, bool up, bool finite) {
  int e = 0;
  if (isnan(x)) return 255;
  while (e < 255 && ldexp(1, (up ? e : e + 1) - 127) < fabs(x)) e++;
  while (!up && e < 255 && ldexp(1, e + 1 - 127) <= fabs(x)) e++;
  return finite && e == 255 ? 254 : (uint64_t)e;
}

static uint16_t scale_bf16 (unsigned bits) {
  return bits == 255 ? 0x7fff : lcu_double_to_bf16(ldexp(1, (int)bits - 127));
}

#endif
