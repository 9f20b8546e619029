/* ptx_isa_bytes.c: prmt with a selector per lane (9.7.9.7), by the host's byte shuffles, which work
 * within 16 bytes: four lanes. */
#include "ptx_isa.h"

typedef ptx_vector_32 vector;

#if defined(__SSSE3__)
static inline vector pick (vector v, vector index) {
#if defined(__AVX512BW__)
  return (vector)_mm512_shuffle_epi8((__m512i)v, (__m512i)index);
#elif defined(__AVX2__)
  return (vector)_mm256_shuffle_epi8((__m256i)v, (__m256i)index);
#else
  return (vector)_mm_shuffle_epi8((__m128i)v, (__m128i)index);
#endif
}

/* 1 in a byte: all its bits. */
static inline vector all_bits (vector ones) { return (ones << 8) - ones; }

static inline vector permute (vector a, vector b, vector selector) {
  /* the four selectors, one per byte */
  vector s = selector & 0xffff;
  s = (s | s << 8) & 0x00ff00ff;
  s = (s | s << 4) & 0x0f0f0f0f;
  vector place = (s & 0x03030303) + (ptx_iota_32() & 3) * 0x04040404,
         of_b = (s & 0x04040404) << 5; /* bit 7: the shuffle gives 0 */
  vector r = pick(a, place | of_b) | pick(b, place | (of_b ^ 0x80808080));
  vector signs = all_bits((s >> 3) & 0x01010101);
  return (r & ~signs) | (all_bits((r >> 7) & 0x01010101) & signs);
}
#else
static inline vector permute (vector a, vector b, vector selector) {
  vector r = a;
  for (uint32_t i = 0; i < PTX_VECTOR / 4; i++) r[i] = ptx_prmt(a[i], b[i], selector[i]);
  return r;
}
#endif

static PTX_INLINE void prmt (const ptx_uop *I, uint8_t *rf, const ptx_warp *w, bool full) {
  const vector *a = (const vector *)(const void *)(rf + I->a),
               *b = (const vector *)(const void *)(rf + I->b),
               *c = (const vector *)(const void *)(rf + I->c),
               *on = (const vector *)(const void *)w->lanes;
  vector *d = (vector *)(void *)(rf + I->d);
  for (int i = 0; i < 4 * PTX_LANES / PTX_VECTOR; i++) {
    vector r = permute(a[i], b[i], c[i]);
    if (!full) r = (r & on[i]) | (d[i] & ~on[i]);
    d[i] = r;
  }
}

PTX_HANDLER_DECLARE(prmt_b32)
#define PRMT(VARIANT, full) \
  const ptx_uop *VARIANT(prmt_b32)(PTX_HANDLER_ARGS) { \
    prmt(I, rf, w, full); \
    return I + 1; \
  }
PRMT(PTX_FULL, true)
PRMT(PTX_MASKED, false)
