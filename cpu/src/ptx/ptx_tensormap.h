/* ptx_tensormap.h: tensor maps as this machine stores them in the 128 bytes of a CUtensorMap: a
 * tensor in global memory, and what one copy moves: a box of it, or in im2col mode channels of
 * pixels that follow each other. */
#ifndef PTX_TENSORMAP_H
#define PTX_TENSORMAP_H

#include <stdint.h>

enum {
  PTX_TENSORMAP_RANK = 5,
  PTX_TENSORMAP_SPACE = 3, /* spatial dimensions */
  PTX_TENSORMAP_BYTES = 128,
  PTX_TENSORMAP_MAGIC = 0x4c435554
};

/* CUtensorMapDataType */
typedef enum ptx_tensormap_type {
  PTX_TENSORMAP_U8,
  PTX_TENSORMAP_U16,
  PTX_TENSORMAP_U32,
  PTX_TENSORMAP_S32,
  PTX_TENSORMAP_U64,
  PTX_TENSORMAP_S64,
  PTX_TENSORMAP_F16,
  PTX_TENSORMAP_F32,
  PTX_TENSORMAP_F64,
  PTX_TENSORMAP_BF16,
  PTX_TENSORMAP_F32_FTZ, /* not supported */
  PTX_TENSORMAP_TF32,    /* float32, rounded to tf32 in shared memory */
  PTX_TENSORMAP_TYPES
} ptx_tensormap_type;

typedef struct ptx_tensormap {
  uint32_t magic; /* PTX_TENSORMAP_MAGIC, otherwise it is something else */
  uint8_t rank, type, element_bytes;
  uint8_t swizzle_bits; /* of the address, from bit 4 on: 0 to 3 */
  uint64_t address;
  uint32_t last[PTX_TENSORMAP_RANK]; /* extents less 1, innermost first */
  uint16_t box[PTX_TENSORMAP_RANK];  /* elements that a copy spans */
  uint8_t step[PTX_TENSORMAP_RANK];  /* elements between them */
  uint8_t fill_nan;                  /* outside the tensor: NaN, otherwise zeros */
  /* Its box has channels, then pixels. Pixels go from `low` of a spatial dimension (all but the
   * first and the last) to `high` beyond the last element. */
  uint8_t im2col;
  int16_t low[PTX_TENSORMAP_SPACE], high[PTX_TENSORMAP_SPACE];
  uint64_t stride[PTX_TENSORMAP_RANK];
} ptx_tensormap;

_Static_assert(sizeof(ptx_tensormap) <= PTX_TENSORMAP_BYTES, "the size of a CUtensorMap");

/* The elements of a dimension that a copy moves. */
static inline uint32_t ptx_tensormap_count (const ptx_tensormap *t, uint32_t k) {
  uint32_t step = t->im2col || t->step[k] == 0 ? 1 : t->step[k];
  return (t->box[k] + step - 1) / step;
}

#endif
