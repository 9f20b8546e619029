/* ptx_multiply.h: sums of products of numbers in planes (ptx_planes.h).
 *
 * Sums stay as they are in registers: a vector has the four even or the four odd columns of some
 * rows. So the elements of a are spread, each over four columns, in the order of k. */
#ifndef PTX_MULTIPLY_H
#define PTX_MULTIPLY_H

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "ptx_float.h"
#include "ptx_lanes.h"
#include "ptx_weave.h"

enum {
  PLANE = PTX_LANES,
  WIDTH = PTX_VECTOR / 4,     /* numbers of a vector of the host */
  VECTORS = PTX_LANES / WIDTH /* of a plane */
};

#if defined(__clang__)
#define PTX_UNROLL _Pragma("unroll")
#else
#define PTX_UNROLL _Pragma("GCC unroll 32")
#endif

typedef float numbers __attribute__((vector_size(PTX_VECTOR), may_alias));

/* The sums of a block of 8 x 8: two planes, the even columns and the odd ones. */
typedef struct block_sums {
  float *even, *odd;
} block_sums;

static PTX_INLINE numbers *vector_of (float *plane, uint32_t i) {
  return (numbers *)__builtin_assume_aligned(plane, 64) + i;
}

#define SPLAT_4(t) (t), (t), (t), (t)
#if PTX_VECTOR == 64
#define SPLAT(t) SPLAT_4(t), SPLAT_4(4 + (t)), SPLAT_4(8 + (t)), SPLAT_4(12 + (t))
#elif PTX_VECTOR == 32
#define SPLAT(t) SPLAT_4(t), SPLAT_4(4 + (t))
#else
#define SPLAT(t) SPLAT_4(t)
#endif

/* Vectors of plane `from` spread over four words, which are `step` numbers apart. */
static PTX_INLINE void spread_plane (float *to, uint32_t step, const float *from) {
  for (uint32_t i = 0; i < VECTORS; i++, to += WIDTH, from += WIDTH) {
    ptx_vector_32 v = *(const ptx_vector_32 *)(const void *)from;
    *(ptx_vector_32 *)(void *)to = PTX_SHUFFLE(32, v, v, SPLAT(0));
    *(ptx_vector_32 *)(void *)(to + step) = PTX_SHUFFLE(32, v, v, SPLAT(1));
    *(ptx_vector_32 *)(void *)(to + 2 * step) = PTX_SHUFFLE(32, v, v, SPLAT(2));
    *(ptx_vector_32 *)(void *)(to + 3 * step) = PTX_SHUFFLE(32, v, v, SPLAT(3));
  }
}

static void spread (float *to, const float *planes, uint32_t rows, uint32_t words, uint32_t per) {
  uint32_t line = rows * PLANE; /* of one element along k */
  for (uint32_t row = 0; row < rows; row++)
    for (uint32_t word = 0; word < words; word++)
      for (uint32_t e = 0; e < per; e++, planes += PLANE)
        spread_plane(to + (word * 4 * per + e) * line + row * PLANE, per * line, planes);
}

/* Four numbers, as often as a vector holds them. */
static PTX_INLINE numbers repeat (const float *four) {
#if defined(__AVX512F__)
  return (numbers)_mm512_broadcast_f32x4(_mm_load_ps(four));
#elif defined(__AVX2__)
  return (numbers)_mm256_broadcast_ps((const __m128 *)(const void *)four);
#else
  return *(const numbers *)(const void *)four;
#endif
}

/* Loaded once, and not by each operation: there are more loads than there is time for. */
static PTX_INLINE numbers in_register (numbers v) {
#if defined(__x86_64__)
  __asm__("" : "+v"(v));
#endif
  return v;
}

/* How products are added. */
typedef enum ptx_adding {
  PTX_ADD_EXACT,   /* they are exact */
  PTX_ADD_ROUNDED, /* they are rounded first */
  PTX_ADD_FUSED    /* the sum alone is rounded */
} ptx_adding;

static PTX_INLINE numbers multiply_add (numbers a, numbers b, numbers c, ptx_adding how) {
#if defined(__AVX512F__)
  if (how != PTX_ADD_ROUNDED) return (numbers)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
  if (how != PTX_ADD_ROUNDED) return (numbers)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
  if (how != PTX_ADD_ROUNDED)
    return (numbers)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  if (how == PTX_ADD_FUSED) {
    for (uint32_t i = 0; i < WIDTH; i++) c[i] = ptx_fma(a[i], b[i], c[i]);
    return c;
  }
#endif
  return a * b + c;
}

/* What vectors `first` to first + num - 1 of a's rows add to their sums. */
static PTX_INLINE void multiply_vectors (const block_sums *sums, uint32_t first, const float *a,
                                         uint32_t line, const float *b, uint32_t words,
                                         uint32_t per, uint32_t num, ptx_adding how) {
  numbers even[4], odd[4];
  for (uint32_t v = 0; v < num; v++) {
    even[v] = *vector_of(sums[(first + v) / VECTORS].even, (first + v) % VECTORS);
    odd[v] = *vector_of(sums[(first + v) / VECTORS].odd, (first + v) % VECTORS);
  }
  for (uint32_t word = 0; word < words; word++, b += per * PLANE)
    PTX_UNROLL for (uint32_t k = 0; k < 4 * per; k++, a += line) {
      const float *columns = b + k % per * PLANE + k / per * 8;
      numbers x = repeat(columns), y = repeat(columns + 4);
      for (uint32_t v = 0; v < num; v++) {
        numbers z = in_register(((const numbers *)(const void *)a)[first + v]);
        even[v] = multiply_add(z, x, even[v], how);
        odd[v] = multiply_add(z, y, odd[v], how);
      }
    }
  for (uint32_t v = 0; v < num; v++) {
    *vector_of(sums[(first + v) / VECTORS].even, (first + v) % VECTORS) = even[v];
    *vector_of(sums[(first + v) / VECTORS].odd, (first + v) % VECTORS) = odd[v];
  }
}

static PTX_INLINE void multiply_per (const block_sums *sums, const float *a, uint32_t rows,
                                     const float *b, uint32_t words, uint32_t per, ptx_adding how) {
  enum { BLOCKS = VECTORS < 4 ? 4 / VECTORS : 1 }; /* eight chains of sums at a time */
  uint32_t row = 0, line = rows * PLANE;
  for (; row + BLOCKS <= rows; row += BLOCKS)
    for (uint32_t v = 0; v < BLOCKS * VECTORS; v += 4)
      multiply_vectors(sums + row, v, a + row * PLANE, line, b, words, per, 4, how);
  for (; row < rows; row++)
    multiply_vectors(sums + row, 0, a + row * PLANE, line, b, words, per, VECTORS < 4 ? VECTORS : 4,
                     how);
}

/* sums[r] += block r of a's rows times the columns; a: spread. */
static PTX_INLINE void multiply_blocks (const block_sums *sums, const float *a, uint32_t rows,
                                        const float *b, uint32_t words, uint32_t per,
                                        ptx_adding how) {
  switch (per) {
    case 1: multiply_per(sums, a, rows, b, words, 1, how); break;
    case 2: multiply_per(sums, a, rows, b, words, 2, how); break;
    case 4: multiply_per(sums, a, rows, b, words, 4, how); break;
    default: multiply_per(sums, a, rows, b, words, 8, how); break;
  }
}

#endif
