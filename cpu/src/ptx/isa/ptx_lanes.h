/* ptx_lanes.h: reading and writing the 32 lanes of a register.
 *
 * For every lane type T, S_T is the type in the slot, V_T the C type in expressions, and LD_T and
 * ST_T convert between them. S_T may alias, so a slot may hold different types over time. */
#ifndef PTX_LANES_H
#define PTX_LANES_H

#include <string.h>

#include "lcu_half.h"
#include "ptx_warp.h"

#define PTX_ALIAS __attribute__((may_alias))
#define PTX_INLINE inline __attribute__((always_inline))

typedef uint32_t PTX_ALIAS S_u32;
typedef int32_t PTX_ALIAS S_s32;
typedef uint64_t PTX_ALIAS S_u64;
typedef int64_t PTX_ALIAS S_s64;
typedef float PTX_ALIAS S_f32;
typedef double PTX_ALIAS S_f64;
typedef uint16_t PTX_ALIAS S_u16_bits;
typedef S_u32 S_u8;
typedef S_u32 S_s8;
typedef S_u32 S_u16;
typedef S_u32 S_s16;
typedef S_u32 S_f16;
typedef S_u32 S_bf16;
typedef S_s32 S_pred;

typedef uint32_t V_u32;
typedef int32_t V_s32;
typedef uint64_t V_u64;
typedef int64_t V_s64;
typedef float V_f32;
typedef double V_f64;
typedef uint8_t V_u8;
typedef int8_t V_s8;
typedef uint16_t V_u16;
typedef int16_t V_s16;
typedef float V_f16;
typedef double V_bf16;
typedef int32_t V_pred;

#define LD_u32(x) (x)
#define LD_s32(x) (x)
#define LD_u64(x) (x)
#define LD_s64(x) (x)
#define LD_f32(x) (x)
#define LD_f64(x) (x)
#define LD_u8(x) ((uint8_t)(x))
#define LD_s8(x) ((int8_t)(uint8_t)(x))
#define LD_u16(x) ((uint16_t)(x))
#define LD_s16(x) ((int16_t)(uint16_t)(x))
#define LD_pred(x) (x)
#define LD_f16(x) lcu_half_to_float((uint16_t)(x))
#define LD_bf16(x) ((double)lcu_bf16_to_float((uint16_t)(x)))

#define ST_u32(x) ((S_u32)(x))
#define ST_s32(x) ((S_s32)(x))
#define ST_u64(x) ((S_u64)(x))
#define ST_s64(x) ((S_s64)(x))
#define ST_f32(x) ((S_f32)(x))
#define ST_f64(x) ((S_f64)(x))
#define ST_u8(x) ((uint32_t)(uint8_t)(x))
#define ST_s8(x) ((uint32_t)(uint8_t)(x))
#define ST_u16(x) ((uint32_t)(uint16_t)(x))
#define ST_s16(x) ((uint32_t)(uint16_t)(x))
#define ST_pred(x) (-(int32_t)(x)) /* x: 0 or 1 */
#define ST_f16(x) ((uint32_t)lcu_double_to_half((double)(x)))
#define ST_bf16(x) ((uint32_t)lcu_double_to_bf16((double)(x)))

#define PTX_SLOT(T, rf, at) ((S_##T *)__builtin_assume_aligned((rf) + (at), 64))

#if defined(__GNUC__) && !defined(__clang__)
#define PTX_IVDEP _Pragma("GCC ivdep")
#elif defined(__clang__)
#define PTX_IVDEP _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define PTX_IVDEP
#endif

#define PTX_EACH_LANE(l) for (uint32_t l = 0; l < PTX_LANES; l++)
/* The lanes of a mask, in rising order. */
#define PTX_EACH_ACTIVE(l, mask_) \
  for (uint32_t bits_##l = (mask_), l; bits_##l && (l = (uint32_t)__builtin_ctz(bits_##l), 1); \
       bits_##l &= bits_##l - 1)

#if defined(__AVX512F__) || defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

/* Vectors of the host, for what compilers do not vectorize well. */
#if defined(__AVX512F__)
#define PTX_VECTOR 64
#elif defined(__AVX2__)
#define PTX_VECTOR 32
#else
#define PTX_VECTOR 16
#endif
typedef uint32_t PTX_ALIAS ptx_vector_32 __attribute__((vector_size(PTX_VECTOR)));
typedef uint64_t PTX_ALIAS ptx_vector_64 __attribute__((vector_size(PTX_VECTOR)));
typedef uint64_t PTX_ALIAS ptx_vector_loose __attribute__((vector_size(PTX_VECTOR), aligned(1)));

/* 0, 1, 2, ... */
#define PTX_IOTA(BITS) \
  static inline ptx_vector_##BITS ptx_iota_##BITS(void) { \
    static const _Alignas(64) \
      uint##BITS##_t numbers[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }; \
    return *(const ptx_vector_##BITS *)(const void *)numbers; \
  }
PTX_IOTA(32)
PTX_IOTA(64)

/* Whether any bit is set. */
static inline bool ptx_any_64 (ptx_vector_64 v) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
#elif defined(__AVX2__)
  return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
  return (v[0] | v[1]) != 0;
#endif
}
static inline bool ptx_any_32 (ptx_vector_32 v) { return ptx_any_64((ptx_vector_64)v); }

/* 32 predicate lanes (0 or -1) -> bits. */
static inline uint32_t ptx_lanes_bits (const int32_t *lanes) {
  const uint8_t *p = (const uint8_t *)lanes;
#if defined(__AVX512F__)
  __m512i zero = _mm512_setzero_si512();
  uint32_t lo = _mm512_cmplt_epi32_mask(_mm512_load_si512((const void *)p), zero);
  uint32_t hi = _mm512_cmplt_epi32_mask(_mm512_load_si512((const void *)(p + 64)), zero);
  return lo | hi << 16;
#elif defined(__AVX2__)
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 4; i++)
    bits |= (uint32_t)_mm256_movemask_ps(
              _mm256_castsi256_ps(_mm256_load_si256((const __m256i *)(const void *)(p + 32 * i))))
            << (8 * i);
  return bits;
#elif defined(__SSE2__)
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 8; i++)
    bits |= (uint32_t)_mm_movemask_ps(
              _mm_castsi128_ps(_mm_load_si128((const __m128i *)(const void *)(p + 16 * i))))
            << (4 * i);
  return bits;
#else
  uint32_t bits = 0;
  for (uint32_t l = 0; l < PTX_LANES; l++) bits |= (((const S_u32 *)(const void *)p)[l] >> 31) << l;
  return bits;
#endif
}

/* Bits -> 32 lanes of 0 or -1. */
static inline void ptx_bits_lanes (uint32_t bits, int32_t *lanes) {
  S_s32 *p = (S_s32 *)__builtin_assume_aligned(lanes, 64);
  PTX_IVDEP
  PTX_EACH_LANE(l) p[l] = -(int32_t)((bits >> l) & 1u);
}

#endif
