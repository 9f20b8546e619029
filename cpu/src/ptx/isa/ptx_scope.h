/* ptx_scope.h: what the fast paths of accesses prove about the addresses of a warp that are not two
 * rows: that they are part of a row, or that all are in the memory that the instruction met
 * last. */
#ifndef PTX_SCOPE_H
#define PTX_SCOPE_H

#include "ptx_lanes.h"
#include "ptx_offsets.h"

/* ---- some lanes off, the others at consecutive addresses: the end of a row ---- */

/* Whether the active lanes are part of a warp of consecutive addresses; *start: that of lane 0. */
#define IS_PART(BITS) \
  static PTX_INLINE bool is_part_##BITS(const uint8_t *rf, const ptx_uop *I, const ptx_warp *w, \
                                        uint32_t stride, uint64_t *start) { \
    const S_u##BITS *pa = PTX_SLOT(u##BITS, rf, I->a); \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    uint32_t first = ptx_first_lane(w->mask); \
    uint##BITS##_t from = pa[first] - (uint##BITS##_t)first * stride, differs = 0; \
    PTX_EACH_LANE(l) { \
      differs |= \
        (pa[l] ^ (from + (uint##BITS##_t)l * stride)) & (uint##BITS##_t)(int##BITS##_t)on[l]; \
    } \
    *start = ptx_address##BITS(from, I->imm); \
    return differs == 0 && *start % stride == 0; \
  }

/* Where the active lanes begin in such a warp, and the bytes to the end of the last one. */
typedef struct part {
  uint32_t from, bytes;
} part;
static PTX_INLINE part part_of (const ptx_warp *w, uint32_t stride) {
  uint32_t first = ptx_first_lane(w->mask), end = PTX_LANES - (uint32_t)__builtin_clz(w->mask);
  return (part){ first * stride, (end - first) * stride };
}

/* w->lanes as words of a register of that width; `wide` has room for those of 64 bits. */
#define WORDS_32(w, wide) ((const S_u32 *)__builtin_assume_aligned((w)->lanes, 64))
#define WORDS_8(w, wide) WORDS_32(w, wide)
#define WORDS_16(w, wide) WORDS_32(w, wide)
#define WORDS_64(w, wide) widened(w, wide)
static PTX_INLINE const S_u64 *widened (const ptx_warp *w, S_s64 *wide) {
  PTX_EACH_LANE(l) wide[l] = w->lanes[l];
  return (const S_u64 *)wide;
}

/* ---- any addresses ---- */

/* The memory that is near: its first address, its size, and the storage of the first address. */
typedef struct scope {
  uint64_t base, size;
  uint8_t *at;
} scope;

static PTX_INLINE scope scope_global (const ptx_warp *w, const ptx_uop *I) {
  const ptx_range *r = &w->last[I->c];
  return (scope){ r->base, r->size, (uint8_t *)(uintptr_t)r->base };
}
static PTX_INLINE scope scope_shared (const ptx_warp *w, const ptx_uop *I) {
  (void)I;
  return (scope){ w->shared_from, w->shared_end - w->shared_from, w->shared + w->shared_from };
}
#define scope_generic scope_global
#define scope_shared64 scope_shared

/* Whether all active lanes access aligned elements in the scope. The top bit of `outside` is set by
 * an offset that is negative or above the last one possible. */
#define ALL_INSIDE(BITS) \
  static PTX_INLINE bool all_inside_##BITS(const uint8_t *rf, const ptx_uop *I, const ptx_warp *w, \
                                           const scope *x, uint32_t stride) { \
    const S_u##BITS *pa = PTX_SLOT(u##BITS, rf, I->a); \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    uint64_t size = x->size < INT##BITS##_MAX ? x->size : INT##BITS##_MAX; \
    uint##BITS##_t less = (uint##BITS##_t)x->base - (uint##BITS##_t)I->imm, \
                   most = (uint##BITS##_t)(size - stride), outside = 0, bits = 0; \
    if (size < stride) return false; \
    PTX_EACH_LANE(l) { \
      uint##BITS##_t offset = pa[l] - less, mask = (uint##BITS##_t)(int##BITS##_t)on[l]; \
      outside |= (offset | (most - offset)) & mask; \
      bits |= offset & mask; \
    } \
    return outside >> (BITS - 1) == 0 && ((bits | (uint32_t)x->base) & (stride - 1)) == 0; \
  }

/* clang-format off */
IS_PART(32) IS_PART(64)
ALL_INSIDE(32) ALL_INSIDE(64)
/* clang-format on */
#undef IS_PART
#undef ALL_INSIDE

#endif
