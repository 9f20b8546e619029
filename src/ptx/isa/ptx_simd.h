/* ptx_simd.h: how a SIMD video operation is packed into ptx_uop.imm. */
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
  PTX_SIMD_COUNT
};

typedef struct ptx_simd {
  uint32_t op, bits; /* of one element: 8 or 16 */
  bool d_signed, a_signed, b_signed, sat, accumulate;
} ptx_simd;

static inline int64_t ptx_simd_pack (const ptx_simd *x) {
  return (int64_t)(x->op | (x->bits == 8 ? 16u : 0) | (x->d_signed ? 32u : 0) |
                   (x->a_signed ? 64u : 0) | (x->b_signed ? 128u : 0) | (x->sat ? 256u : 0) |
                   (x->accumulate ? 512u : 0));
}

static inline ptx_simd ptx_simd_unpack (int64_t imm) {
  return (ptx_simd){ .op = imm & 15,
                     .bits = imm & 16 ? 8 : 16,
                     .d_signed = imm & 32,
                     .a_signed = imm & 64,
                     .b_signed = imm & 128,
                     .sat = imm & 256,
                     .accumulate = imm & 512 };
}

#endif
