/* ptx_isa_exchange.c: shfl, vote and match.any of a whole warp whose member masks name all lanes.
 * Everything else is left to ptx_exchange_any. */
#include "ptx_exchange.h"
#include "ptx_isa.h"
#include "ptx_permute.h"

/* Whether the member mask in extra->slots[index] is -1 in every lane. */
static inline bool of_all (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w, int index) {
  const S_u32 *members = PTX_SLOT(u32, rf, I->extra->slots[index]);
  uint32_t named = w->alive;
  PTX_EACH_LANE(l) named &= members[l];
  return lcu_likely(named == UINT32_MAX);
}

#define EXCHANGE(name, MASK_AT, BODY) \
  PTX_HANDLER_DECLARE(name) \
  const ptx_uop *PTX_FULL(name)(PTX_HANDLER_ARGS) { \
    if (!of_all(I, rf, w, MASK_AT)) return ptx_exchange_any(I, rf, w); \
    BODY; \
    return I + 1; \
  } \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS) { return ptx_exchange_any(I, rf, w); }

static inline void fill (uint8_t *rf, int32_t slot, uint32_t value) {
  S_u32 *d = PTX_SLOT(u32, rf, slot);
  PTX_IVDEP PTX_EACH_LANE(l) d[l] = value;
}

/* ---- shfl */

static PTX_INLINE void shfl (const ptx_uop *I, uint8_t *rf, uint16_t id) {
  const int32_t *slots = I->extra->slots;
  const S_u32 *b = PTX_SLOT(u32, rf, slots[3]), *c = PTX_SLOT(u32, rf, slots[4]);
  _Alignas(64) uint32_t from[PTX_LANES];
  _Alignas(64) int32_t inside[PTX_LANES];
  PTX_IVDEP PTX_EACH_LANE(l) {
    uint32_t source;
    bool in = ptx_shfl_source(id, l, b[l], c[l], &source);
    from[l] = in ? source & 31 : l;
    inside[l] = in ? -1 : 0;
  }
  ptx_permute(rf + slots[0], rf + slots[2], from);
  if (slots[1] >= 0) memcpy(rf + slots[1], inside, sizeof inside);
}

EXCHANGE(shfl_up, 5, shfl(I, rf, PTX_ID_shfl_up))
EXCHANGE(shfl_down, 5, shfl(I, rf, PTX_ID_shfl_down))
EXCHANGE(shfl_bfly, 5, shfl(I, rf, PTX_ID_shfl_bfly))
EXCHANGE(shfl_idx, 5, shfl(I, rf, PTX_ID_shfl_idx))

/* ---- vote: 32 predicates, 0 or -1, become the bits of one word */

static inline uint32_t held (const ptx_uop *I, const uint8_t *rf) {
  uint32_t bits = ptx_lanes_bits((const int32_t *)(const void *)(rf + I->extra->slots[1]));
  return I->negate ? ~bits : bits;
}

#define VOTE(name, VALUE) \
  EXCHANGE(vote_##name, 2, uint32_t v = held(I, rf); fill(rf, I->extra->slots[0], VALUE))

VOTE(all, v == UINT32_MAX ? UINT32_MAX : 0)
VOTE(any, v != 0 ? UINT32_MAX : 0)
VOTE(uni, v == 0 || v == UINT32_MAX ? UINT32_MAX : 0)
VOTE(ballot, v)

/* ---- match.any: every lane compared with every lane */

static inline uint32_t equal_32 (const S_u32 *v, uint32_t value) {
#if defined(__AVX512F__)
  const __m512i *p = (const __m512i *)(const void *)v;
  __m512i all = _mm512_set1_epi32((int)value);
  return _mm512_cmpeq_epi32_mask(p[0], all) | (uint32_t)_mm512_cmpeq_epi32_mask(p[1], all) << 16;
#else
  _Alignas(64) int32_t same[PTX_LANES];
  PTX_IVDEP PTX_EACH_LANE(l) same[l] = v[l] == value ? -1 : 0;
  return ptx_lanes_bits(same);
#endif
}

static inline uint32_t equal_64 (const S_u64 *v, uint64_t value) {
#if defined(__AVX512F__)
  const __m512i *p = (const __m512i *)(const void *)v;
  __m512i all = _mm512_set1_epi64((long long)value);
  uint32_t bits = 0;
  for (int i = 0; i < 4; i++) bits |= (uint32_t)_mm512_cmpeq_epi64_mask(p[i], all) << (8 * i);
  return bits;
#else
  _Alignas(64) int32_t same[PTX_LANES];
  PTX_IVDEP PTX_EACH_LANE(l) same[l] = v[l] == value ? -1 : 0;
  return ptx_lanes_bits(same);
#endif
}

#define MATCH(BITS) \
  static inline void match_##BITS(const ptx_uop *I, uint8_t *rf) { \
    const S_u##BITS *v = PTX_SLOT(u##BITS, rf, I->extra->slots[2]); \
    _Alignas(64) uint32_t equal[PTX_LANES]; \
    PTX_EACH_LANE(l) equal[l] = equal_##BITS(v, v[l]); \
    memcpy(rf + I->extra->slots[0], equal, sizeof equal); \
  } \
  EXCHANGE(match_any_b##BITS, 3, match_##BITS(I, rf))
MATCH(32)
MATCH(64)
