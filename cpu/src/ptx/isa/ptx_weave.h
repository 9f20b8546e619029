/* ptx_weave.h: vectors of registers to memory and back. In memory the elements of one lane are side
 * by side; in registers those of all lanes are. Taking the even and the odd elements of two host
 * vectors apart, once for pairs and twice for fours, is all that needs. */
#ifndef PTX_WEAVE_H
#define PTX_WEAVE_H

#include "ptx_lanes.h"

#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
#define PTX_SHUFFLE(BITS, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PTX_SHUFFLE(BITS, a, b, ...) __builtin_shuffle(a, b, (ptx_vector_##BITS){ __VA_ARGS__ })
#endif

#if PTX_VECTOR == 64
#define PTX_EVEN_32 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define PTX_ODD_32 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define PTX_LOW_32 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define PTX_HIGH_32 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define PTX_EVEN_64 0, 2, 4, 6, 8, 10, 12, 14
#define PTX_ODD_64 1, 3, 5, 7, 9, 11, 13, 15
#define PTX_LOW_64 0, 8, 1, 9, 2, 10, 3, 11
#define PTX_HIGH_64 4, 12, 5, 13, 6, 14, 7, 15
#elif PTX_VECTOR == 32
#define PTX_EVEN_32 0, 2, 4, 6, 8, 10, 12, 14
#define PTX_ODD_32 1, 3, 5, 7, 9, 11, 13, 15
#define PTX_LOW_32 0, 8, 1, 9, 2, 10, 3, 11
#define PTX_HIGH_32 4, 12, 5, 13, 6, 14, 7, 15
#define PTX_EVEN_64 0, 2, 4, 6
#define PTX_ODD_64 1, 3, 5, 7
#define PTX_LOW_64 0, 4, 1, 5
#define PTX_HIGH_64 2, 6, 3, 7
#else
#define PTX_EVEN_32 0, 2, 4, 6
#define PTX_ODD_32 1, 3, 5, 7
#define PTX_LOW_32 0, 4, 1, 5
#define PTX_HIGH_32 2, 6, 3, 7
#define PTX_EVEN_64 0, 2
#define PTX_ODD_64 1, 3
#define PTX_LOW_64 0, 2
#define PTX_HIGH_64 1, 3
#endif

/* Part k of the N registers in vectors of the host: to[e] is that of element e. */
#define PTX_WEAVE(BITS) \
  typedef uint##BITS##_t PTX_ALIAS ptx_woven_##BITS \
    __attribute__((vector_size(PTX_VECTOR), aligned(1))); \
  static PTX_INLINE void ptx_unweave2_##BITS(ptx_vector_##BITS *to, const void *from) { \
    const ptx_woven_##BITS *p = from; \
    ptx_vector_##BITS a = p[0], b = p[1]; \
    to[0] = PTX_SHUFFLE(BITS, a, b, PTX_EVEN_##BITS); \
    to[1] = PTX_SHUFFLE(BITS, a, b, PTX_ODD_##BITS); \
  } \
  static PTX_INLINE void ptx_weave2_##BITS(void *to, const ptx_vector_##BITS *from) { \
    ptx_woven_##BITS *p = to; \
    ptx_vector_##BITS a = from[0], b = from[1]; \
    p[0] = PTX_SHUFFLE(BITS, a, b, PTX_LOW_##BITS); \
    p[1] = PTX_SHUFFLE(BITS, a, b, PTX_HIGH_##BITS); \
  }
PTX_WEAVE(32)
PTX_WEAVE(64)

/* Four vectors of four, as rows, become columns. */
typedef uint32_t PTX_ALIAS ptx_vector_four __attribute__((vector_size(16)));
typedef uint32_t PTX_ALIAS ptx_loose_four __attribute__((vector_size(16), aligned(4)));
#define PTX_LOW_FOUR 0, 4, 1, 5
#define PTX_HIGH_FOUR 2, 6, 3, 7
static PTX_INLINE void ptx_turn_fours (ptx_vector_four v[4]) {
  ptx_vector_four a = PTX_SHUFFLE(four, v[0], v[2], PTX_LOW_FOUR),
                  b = PTX_SHUFFLE(four, v[1], v[3], PTX_LOW_FOUR),
                  c = PTX_SHUFFLE(four, v[0], v[2], PTX_HIGH_FOUR),
                  d = PTX_SHUFFLE(four, v[1], v[3], PTX_HIGH_FOUR);
  v[0] = PTX_SHUFFLE(four, a, b, PTX_LOW_FOUR);
  v[1] = PTX_SHUFFLE(four, a, b, PTX_HIGH_FOUR);
  v[2] = PTX_SHUFFLE(four, c, d, PTX_LOW_FOUR);
  v[3] = PTX_SHUFFLE(four, c, d, PTX_HIGH_FOUR);
}

static PTX_INLINE void ptx_unweave4_32 (ptx_vector_32 *to, const void *from) {
  ptx_vector_32 a[2], b[2];
  ptx_unweave2_32(a, from);
  ptx_unweave2_32(b, (const uint8_t *)from + 2 * PTX_VECTOR);
  for (int odd = 0; odd < 2; odd++) {
    to[odd] = PTX_SHUFFLE(32, a[odd], b[odd], PTX_EVEN_32);
    to[odd + 2] = PTX_SHUFFLE(32, a[odd], b[odd], PTX_ODD_32);
  }
}

static PTX_INLINE void ptx_weave4_32 (void *to, const ptx_vector_32 *from) {
  ptx_vector_32 even[2], odd[2], low[2], high[2];
  for (int i = 0; i < 2; i++) {
    even[i] = from[2 * i];
    odd[i] = from[2 * i + 1];
  }
  low[0] = PTX_SHUFFLE(32, even[0], even[1], PTX_LOW_32);
  low[1] = PTX_SHUFFLE(32, odd[0], odd[1], PTX_LOW_32);
  high[0] = PTX_SHUFFLE(32, even[0], even[1], PTX_HIGH_32);
  high[1] = PTX_SHUFFLE(32, odd[0], odd[1], PTX_HIGH_32);
  ptx_weave2_32(to, low);
  ptx_weave2_32((uint8_t *)to + 2 * PTX_VECTOR, high);
}

#endif
