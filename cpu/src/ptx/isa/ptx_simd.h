/* ptx_simd.h: how a SIMD video operation (9.7.18) is packed into ptx_uop.imm. */
#ifndef PTX_SIMD_H
#define PTX_SIMD_H

#include "lcu_base.h"

/* vadd, vsub, ... */
enum {
  PTX_SIMD_ADD,
  PTX_SIMD_SUB,
  PTX_SIMD_AVRG,
  PTX_SIMD_ABSDIFF,
  PTX_SIMD_MIN,
  PTX_SIMD_MAX,
  PTX_SIMD_SET,
  PTX_SIMD_COUNT
};

typedef struct ptx_simd {
  uint32_t op, bits; /* of one element: 8 or 16 */
  bool d_signed, a_signed, b_signed, sat, accumulate;
  uint32_t compare; /* ptx_compare of vset */
  uint32_t mask;    /* the elements that are written, or added */
  /* the elements of a and b, three bits each, element 0 lowest: indices into those of a, then b */
  uint32_t a_select, b_select;
} ptx_simd;

static inline int64_t ptx_simd_pack (const ptx_simd *x) {
  uint32_t flags = (x->bits == 8 ? 1u : 0) | (x->d_signed ? 2u : 0) | (x->a_signed ? 4u : 0) |
                   (x->b_signed ? 8u : 0) | (x->sat ? 16u : 0) | (x->accumulate ? 32u : 0);
  return (int64_t)x->op | (int64_t)flags << 4 | (int64_t)x->compare << 12 | (int64_t)x->mask << 20 |
         (int64_t)x->a_select << 24 | (int64_t)x->b_select << 36;
}

static inline ptx_simd ptx_simd_unpack (int64_t imm) {
  uint32_t flags = (uint32_t)(imm >> 4) & 255;
  return (ptx_simd){ .op = imm & 15,
                     .bits = flags & 1 ? 8 : 16,
                     .d_signed = flags & 2,
                     .a_signed = flags & 4,
                     .b_signed = flags & 8,
                     .sat = flags & 16,
                     .accumulate = flags & 32,
                     .compare = imm >> 12 & 255,
                     .mask = imm >> 20 & 15,
                     .a_select = imm >> 24 & 4095,
                     .b_select = imm >> 36 & 4095 };
}

#endif
