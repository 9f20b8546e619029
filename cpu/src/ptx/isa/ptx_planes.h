/* ptx_planes.h: the elements of fragments as numbers. A register of N elements per lane becomes N
 * planes of 32 numbers: plane e has element e of every lane. Planes of a keep the order of the
 * lanes: word t of row g is number g * 4 + t. Planes of b are turned around, so that the eight
 * columns of one row are a vector: column c of word t is number t * 8 + PTX_COLUMN(c). That order
 * of columns, even ones first, is the one in which accumulators have theirs side by side. */
#ifndef PTX_PLANES_H
#define PTX_PLANES_H

#include "ptx_permute.h"
#include "ptx_tensor.h"
#include "ptx_weave.h"

/* From where lane t * 8 + c of a turned register comes: word t of column c / 4 + c % 4 * 2. */
#define PTX_TURN_WORD(t) (t), 8 + (t), 16 + (t), 24 + (t), 4 + (t), 12 + (t), 20 + (t), 28 + (t)
static inline void ptx_turn (void *to, const uint8_t *slot) {
  static const _Alignas(64) uint32_t from[PTX_LANES] = { PTX_TURN_WORD(0), PTX_TURN_WORD(1),
                                                         PTX_TURN_WORD(2), PTX_TURN_WORD(3) };
  ptx_permute(to, slot, from);
}

/* Eight columns of a row, even ones first, from two registers. */
static PTX_INLINE void ptx_columns_of (float *to, const uint8_t *left, const uint8_t *right) {
  ptx_vector_four a = *(const ptx_vector_four *)(const void *)left,
                  b = *(const ptx_vector_four *)(const void *)right;
  *(ptx_vector_four *)(void *)to = PTX_SHUFFLE(four, a, b, 0, 2, 4, 6);
  *(ptx_vector_four *)(void *)(to + 4) = PTX_SHUFFLE(four, a, b, 1, 3, 5, 7);
}

/* An 8-bit float as a half, times 2^8 for e4m3: a NaN of e4m3 has all bits but the sign set. */
static inline float ptx_e4m3 (uint32_t b) {
  float f = lcu_half_to_float((uint16_t)((b & 0x7fu) << 7 | (b & 0x80u) << 8)) * 256.0f;
  return (b & 0x7fu) == 0x7fu ? lcu_bits_f32(0x7fffffffu) : f;
}
static inline float ptx_e5m2 (uint32_t b) { return lcu_half_to_float((uint16_t)(b << 8)); }
/* Floats of 6 bits, and of 4 in the middle of a byte; they have neither infinities nor NaN. */
static inline float ptx_e3m2 (uint32_t b) {
  return lcu_half_to_float((uint16_t)((b & 0x1fu) << 8 | (b & 0x20u) << 10)) * 4096.0f;
}
static inline float ptx_e2m3 (uint32_t b) {
  return lcu_half_to_float((uint16_t)((b & 0x1fu) << 7 | (b & 0x20u) << 10)) * 16384.0f;
}
static inline float ptx_e2m1 (uint32_t b) { return ptx_e2m3(b & 0x3cu); }

#define PTX_PLANE(EXPR) \
  PTX_IVDEP PTX_EACH_LANE(l) { \
    uint32_t x = w[l] >> shift; \
    to[l] = EXPR; \
  }

#if defined(__AVX512F__)
static inline void ptx_plane_f16 (float *to, const uint32_t *w, uint32_t shift) {
  for (int i = 0; i < PTX_LANES; i += 16) {
    __m512i x = _mm512_srl_epi32(_mm512_load_si512(w + i), _mm_cvtsi32_si128((int)shift));
    _mm512_store_ps(to + i, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(x)));
  }
}
#elif defined(__AVX2__) && defined(__F16C__)
static inline void ptx_plane_f16 (float *to, const uint32_t *w, uint32_t shift) {
  for (int i = 0; i < PTX_LANES; i += 8) {
    __m256i x = _mm256_load_si256((const __m256i *)(const void *)(w + i));
    x = _mm256_and_si256(_mm256_srl_epi32(x, _mm_cvtsi32_si128((int)shift)),
                         _mm256_set1_epi32(0xffff));
    x = _mm256_permute4x64_epi64(_mm256_packus_epi32(x, x), 0xd8);
    _mm256_store_ps(to + i, _mm256_cvtph_ps(_mm256_castsi256_si128(x)));
  }
}
#else
static inline void ptx_plane_f16 (float *to, const uint32_t *w, uint32_t shift) {
  PTX_PLANE(lcu_half_to_float((uint16_t)x))
}
#endif

/* One plane of a register of elements of type t. All pointers are aligned to 64 bytes. */
static PTX_INLINE void ptx_plane (float *to, const uint32_t *w, ptx_type t, uint32_t shift) {
  switch (t) {
    case PTX_F16: ptx_plane_f16(to, w, shift); break;
    case PTX_BF16: PTX_PLANE(lcu_bits_f32(x << 16)) break;
    case PTX_F32: PTX_PLANE(lcu_bits_f32(x)) break;
    case PTX_TF32: PTX_PLANE(lcu_bits_f32(x & 0xffffe000u)) break;
    case PTX_S8: PTX_PLANE((float)(int8_t)(uint8_t)x) break;
    case PTX_U8: PTX_PLANE((float)(uint8_t)x) break;
    case PTX_S4: PTX_PLANE((float)((int32_t)((x & 15u) ^ 8u) - 8)) break;
    case PTX_U4: PTX_PLANE((float)(x & 15u)) break;
    case PTX_E4M3: PTX_PLANE(ptx_e4m3(x & 255u)) break;
    case PTX_E3M2: PTX_PLANE(ptx_e3m2(x)) break;
    case PTX_E2M3: PTX_PLANE(ptx_e2m3(x)) break;
    case PTX_E2M1: PTX_PLANE(ptx_e2m1(x)) break;
    case PTX_E2M1X2: PTX_PLANE(ptx_e2m1(x << 2)) break;
    default: PTX_PLANE(ptx_e5m2(x & 255u)) break;
  }
}
#undef PTX_PLANE

#endif
