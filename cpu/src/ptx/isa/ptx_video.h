/* ptx_video.h: scalar video operations (9.7.17), and how one is packed into ptx_uop.imm. */
#ifndef PTX_VIDEO_H
#define PTX_VIDEO_H

#include "lcu_base.h"

typedef enum ptx_video_op {
  PTX_VIDEO_ADD,
  PTX_VIDEO_SUB,
  PTX_VIDEO_ABSDIFF,
  PTX_VIDEO_MIN,
  PTX_VIDEO_MAX,
  PTX_VIDEO_SHL,
  PTX_VIDEO_SHR,
  PTX_VIDEO_SET,
  PTX_VIDEO_MAD,
  PTX_VIDEO_OPS
} ptx_video_op;

/* The second operation, of the result and c. */
typedef enum ptx_video_second {
  PTX_VIDEO_NONE,
  PTX_VIDEO_THEN_ADD,
  PTX_VIDEO_THEN_MIN,
  PTX_VIDEO_THEN_MAX,
  PTX_VIDEO_MERGE /* the result replaces the part of c that d selects */
} ptx_video_second;

/* A part of a word: all of it, b0 to b3, h0, h1. */
enum { PTX_PART_WORD, PTX_PART_B0, PTX_PART_H0 = 5, PTX_PART_H1 };

typedef struct ptx_video {
  uint8_t op, second;
  uint8_t d_part, a_part, b_part;
  uint8_t compare; /* ptx_compare of vset */
  uint8_t scale;   /* vmad: 0, 7 or 15 bits */
  bool d_signed, a_signed, b_signed, sat, wrap;
  bool plus_one, negate_product, negate_c; /* vmad */
} ptx_video;

static inline int64_t ptx_video_pack (const ptx_video *x) {
  uint32_t flags = (x->d_signed ? 1u : 0) | (x->a_signed ? 2u : 0) | (x->b_signed ? 4u : 0) |
                   (x->sat ? 8u : 0) | (x->wrap ? 16u : 0) | (x->plus_one ? 32u : 0) |
                   (x->negate_product ? 64u : 0) | (x->negate_c ? 128u : 0);
  return (int64_t)x->op | (int64_t)x->second << 4 | (int64_t)x->d_part << 8 |
         (int64_t)x->a_part << 12 | (int64_t)x->b_part << 16 | (int64_t)x->compare << 20 |
         (int64_t)x->scale << 26 | (int64_t)flags << 32;
}

static inline ptx_video ptx_video_unpack (int64_t imm) {
  uint32_t flags = (uint32_t)(imm >> 32);
  return (ptx_video){ .op = imm & 15,
                      .second = imm >> 4 & 15,
                      .d_part = imm >> 8 & 15,
                      .a_part = imm >> 12 & 15,
                      .b_part = imm >> 16 & 15,
                      .compare = imm >> 20 & 63,
                      .scale = imm >> 26 & 15,
                      .d_signed = flags & 1,
                      .a_signed = flags & 2,
                      .b_signed = flags & 4,
                      .sat = flags & 8,
                      .wrap = flags & 16,
                      .plus_one = flags & 32,
                      .negate_product = flags & 64,
                      .negate_c = flags & 128 };
}

/* a compared with b: 0 or 1. The comparison is eq, ne, lt, le, gt or ge (enum ptx_compare). */
uint32_t ptx_video_compare (uint32_t compare, int64_t a, int64_t b);

#endif
