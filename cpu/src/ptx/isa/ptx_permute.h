/* ptx_permute.h: the lanes of a register in another order. */
#ifndef PTX_PERMUTE_H
#define PTX_PERMUTE_H

#include "ptx_lanes.h"

/* to[l] = slot[from[l]] for all lanes; all are aligned to 64 bytes, to and slot may be the same. */
static inline void ptx_permute (void *to, const void *slot, const uint32_t *from) {
#if defined(__AVX512F__)
  const __m512i *v = slot, *f = (const void *)from;
  __m512i lower = _mm512_permutex2var_epi32(v[0], f[0], v[1]),
          upper = _mm512_permutex2var_epi32(v[0], f[1], v[1]);
  ((__m512i *)to)[0] = lower;
  ((__m512i *)to)[1] = upper;
#else
  const S_u32 *v = (const S_u32 *)__builtin_assume_aligned(slot, 64);
  _Alignas(64) uint32_t moved[PTX_LANES];
  PTX_EACH_LANE(l) moved[l] = v[from[l]];
  memcpy(to, moved, sizeof moved);
#endif
}

#endif
