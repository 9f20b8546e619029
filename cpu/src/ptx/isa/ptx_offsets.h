/* ptx_offsets.h: the addresses of an access as distances from that of the first active lane. */
#ifndef PTX_OFFSETS_H
#define PTX_OFFSETS_H

#include "ptx_lanes.h"

/* Offsets of all lanes from the first active one; lanes that are off have 0. */
typedef struct ptx_offsets {
  _Alignas(64) int32_t at[PTX_LANES];
  uint64_t first;
  int32_t low, high; /* the least, the greatest */
  int32_t bits;      /* all of them or-ed with the address of the first */
  bool near;         /* all fit in 32 bits */
} ptx_offsets;

static inline uint64_t ptx_address32 (uint32_t base, int64_t imm) {
  return (uint32_t)(base + (uint32_t)imm);
}
static inline uint64_t ptx_address64 (uint64_t base, int64_t imm) { return base + (uint64_t)imm; }

static inline void ptx_offsets_reduce (ptx_offsets *x) {
  int32_t low = 0, high = 0, bits = (int32_t)(uint32_t)x->first;
  PTX_EACH_LANE(l) {
    int32_t v = x->at[l];
    low = v < low ? v : low;
    high = v > high ? v : high;
    bits |= v;
  }
  x->low = low;
  x->high = high;
  x->bits = bits;
}

static inline void ptx_offsets_get32 (ptx_offsets *x, const uint8_t *rf, const ptx_uop *I,
                                      const ptx_warp *w) {
  const S_u32 *pa = PTX_SLOT(u32, rf, I->a);
  const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64);
  uint32_t first = pa[__builtin_ctz(w->mask)];
  x->first = ptx_address32(first, I->imm);
  uint32_t far = 0;
  PTX_EACH_LANE(l) {
    uint32_t v = (pa[l] - first) & (uint32_t)on[l];
    x->at[l] = (int32_t)v;
    /* within a gigabyte: 32-bit sums cannot wrap */
    far |= v + 0x40000000u;
  }
  x->near = far <= INT32_MAX && x->first < 0x40000000u;
  ptx_offsets_reduce(x);
}

static inline void ptx_offsets_get64 (ptx_offsets *x, const uint8_t *rf, const ptx_uop *I,
                                      const ptx_warp *w) {
  const S_u64 *pa = PTX_SLOT(u64, rf, I->a);
  const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64);
  uint64_t first = pa[__builtin_ctz(w->mask)], far = 0;
  x->first = ptx_address64(first, I->imm);
  PTX_EACH_LANE(l) {
    uint64_t v = (pa[l] - first) & (uint64_t)(int64_t)on[l];
    x->at[l] = (int32_t)(uint32_t)v;
    far |= v + 0x40000000u;
  }
  x->near = far <= INT32_MAX;
  ptx_offsets_reduce(x);
}

#endif
