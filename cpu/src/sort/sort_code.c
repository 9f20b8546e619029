/* sort_code.c: values to codes and back. */
#include "sort_code.h"

sort_code sort_code_of (const lcu_dtype *t, bool rank, bool descending) {
  uint32_t parts = t->kind == LCU_KIND_COMPLEX ? 2 : 1, bits = t->size * 8 / parts;
  uint64_t most = ~(uint64_t)0 >> (64 - bits), sign = (most >> 1) + 1;
  sort_code k = { .infinity = most >> 1, .reverse = descending ? most : 0 };
  if (t->kind == LCU_KIND_INT) k.top = sign;
  if (t->kind != LCU_KIND_FLOAT && t->kind != LCU_KIND_COMPLEX) return k;
  k.top = sign;
  k.flipped = most;
  k.least = t->finite ? 1 : ((uint64_t)1 << t->mantissa) - 1;
  if (!rank) return k;
  k.minus_zero = sign;
  k.infinity = (most >> 1) - k.least;
  return k;
}

static int float_byte_code (int b, const sort_code *k) {
  if ((uint64_t)(b & 127) > k->infinity) return 255;
  if ((uint64_t)b == k->minus_zero) b = 0;
  return (b < 128 ? b | 128 : ~b) - (int)k->least;
}

void sort_byte_codes (uint8_t codes[256], const lcu_dtype *t, bool rank, bool descending) {
  const sort_code k = sort_code_of(t, rank, false);
  for (int b = 0; b < 256; b++) {
    int c = t->kind == LCU_KIND_BOOL ? b != 0 : t->kind == LCU_KIND_INT ? b ^ 128 : b;
    if (t->kind == LCU_KIND_FLOAT) c = float_byte_code(b, &k);
    codes[b] = (uint8_t)(descending ? ~c : c);
  }
}

/* All ones where b is negative. */
#define SIGN_OF(T, b) ((T)(0 - (T)((b) >> (8 * sizeof(T) - 1))))

#define WIDTH(T) \
  typedef struct constants_##T { \
    T top, flipped, least, minus_zero, infinity, reverse; \
  } constants_##T; \
  static inline constants_##T narrow_##T(const sort_code *k) { \
    return (constants_##T){ (T)k->top,        (T)k->flipped,  (T)k->least, \
                            (T)k->minus_zero, (T)k->infinity, (T)k->reverse }; \
  } \
  static inline T code_##T(T b, const constants_##T k) { \
    const T most = (T) ~(T)0, size = (T)(b & (most >> 1)); \
    b = b == k.minus_zero ? 0 : b; \
    const T c = (T)((b ^ (k.top | (SIGN_OF(T, b) & k.flipped))) - k.least); \
    return (size > k.infinity ? most : c) ^ k.reverse; \
  } \
  static sort_bits codes_##T(const sort_code *code, const T *from, T *to, int64_t first, \
                             int64_t last) { \
    const constants_##T k = narrow_##T(code); \
    T any = 0, all = (T) ~(T)0; \
    for (int64_t i = first; i < last; i++) { \
      const T c = code_##T(from[i], k); \
      to[i] = c; \
      any |= c; \
      all &= c; \
    } \
    return (sort_bits){ any, all }; \
  } \
  static void values_##T(const sort_code *code, const T *from, T *to, int64_t first, \
                         int64_t last) { \
    const constants_##T k = narrow_##T(code); \
    for (int64_t i = first; i < last; i++) { \
      const T b = (T)((from[i] ^ k.reverse) + k.least); \
      to[i] = b ^ (k.top | ((T)~SIGN_OF(T, b) & k.flipped)); \
    } \
  }

#define RECORDS(T) \
  static sort_bits records_##T(const sort_code *code, const T *from, uint64_t *to, int64_t first, \
                               int64_t last) { \
    const constants_##T k = narrow_##T(code); \
    uint32_t any = 0, all = ~(uint32_t)0; \
    for (int64_t i = first; i < last; i++) { \
      const uint32_t c = code_##T(from[i], k); \
      to[i] = (uint64_t)c << 32 | (uint32_t)i; \
      any |= c; \
      all &= c; \
    } \
    return (sort_bits){ any, all }; \
  }

WIDTH(uint16_t)
WIDTH(uint32_t)
WIDTH(uint64_t)
RECORDS(uint16_t)
RECORDS(uint32_t)

sort_bits sort_codes (const sort_code *k, int size, const void *from, void *to, int64_t first,
                      int64_t last) {
  if (size == 2) return codes_uint16_t(k, from, to, first, last);
  if (size == 4) return codes_uint32_t(k, from, to, first, last);
  return codes_uint64_t(k, from, to, first, last);
}

void sort_values (const sort_code *k, int size, const void *from, void *to, int64_t first,
                  int64_t last) {
  if (size == 2) values_uint16_t(k, from, to, first, last);
  else if (size == 4) values_uint32_t(k, from, to, first, last);
  else values_uint64_t(k, from, to, first, last);
}

sort_bits sort_records (const sort_code *k, int size, const void *from, uint64_t *to, int64_t first,
                        int64_t last) {
  if (size == 2) return records_uint16_t(k, from, to, first, last);
  return records_uint32_t(k, from, to, first, last);
}


/* ---- complex numbers ---- */

/* Numbers without NaN come first, by real and imaginary part; then those with a NaN only in the
 * imaginary part, only in the real part, in both. The code of a NaN is the greatest, and that of
 * infinity far below. */
#define COMPLEX(T) \
  static inline void parts_##T(const T *from, const constants_##T k, T *high, T *low) { \
    const T most = (T) ~(T)0, re = code_##T(from[0], k), im = code_##T(from[1], k); \
    if (re == most) { \
      *high = im == most ? most : (T)(most - 1); \
      *low = im == most ? 0 : im; \
    } else { \
      *high = im == most ? (T)(most - 2) : re; \
      *low = im == most ? re : im; \
    } \
  }

COMPLEX(uint32_t)
COMPLEX(uint64_t)

sort_bits sort_complex (const sort_code *code, int size, const void *from, uint64_t *high,
                        uint64_t *low, uint64_t reverse, int64_t first, int64_t last) {
  sort_bits bits = SORT_NO_BITS;
  const constants_uint32_t narrow = narrow_uint32_t(code);
  const constants_uint64_t wide = narrow_uint64_t(code);
  for (int64_t i = first; i < last; i++) {
    if (size == 8) {
      uint32_t h, l;
      parts_uint32_t((const uint32_t *)from + 2 * i, narrow, &h, &l);
      high[i] = ((uint64_t)h << 32 | l) ^ reverse;
    } else {
      parts_uint64_t((const uint64_t *)from + 2 * i, wide, &high[i], &low[i]);
      high[i] ^= reverse;
      low[i] ^= reverse;
    }
    bits.any |= high[i];
    bits.all &= high[i];
  }
  return bits;
}
