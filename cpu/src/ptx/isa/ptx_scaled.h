/* ptx_scaled.h: scales of blocks of elements (9.7.14.3). A row of a, and a column of b, has 1, 2 or
 * 4 blocks along k, each with a scale of 8 bits. Of four lanes that hold a row, two hold its scales
 * and those of the row 8 further; of four lanes that hold a column, one does. A product of two
 * blocks is multiplied by both scales in double precision, which holds all of them. */
#ifndef PTX_SCALED_H
#define PTX_SCALED_H

#include "ptx_planes.h"
#include "ptx_tiny.h"

enum { PTX_MOST_SCALES = 4 };

/* The scales of the rows of a, and of the columns of b in the order of ptx_planes.h. */
typedef struct ptx_scales {
  uint32_t vectors;
  float a[16][PTX_MOST_SCALES], b[8][PTX_MOST_SCALES];
} ptx_scales;

static inline float ptx_scale_value (uint32_t bits, uint8_t type) {
  if (type == PTX_UE4M3) return ptx_e4m3(bits & 0x7fu);
  return lcu_bf16_to_float(ptx_bf16_of_ue8m0(bits));
}

/* The scales in a lane's word, from byte `first` on. */
static inline void ptx_scales_in (float *to, uint32_t word, uint32_t first, ptx_scaling x) {
  for (uint32_t i = 0; i < x.vectors; i++)
    to[i] = ptx_scale_value(word >> (first + i) % 4 * 8 & 255, x.type);
}

/* slots: words, byte and thread for a, and for b; byte and thread are those of the first lane. */
static inline void ptx_scales_read (ptx_scales *s, const uint8_t *rf, const int32_t *slots,
                                    ptx_scaling x) {
  const S_u32 *a = PTX_SLOT(u32, rf, slots[0]), *b = PTX_SLOT(u32, rf, slots[3]);
  uint32_t byte_a = PTX_SLOT(u32, rf, slots[1])[0], thread_a = PTX_SLOT(u32, rf, slots[2])[0] % 2;
  uint32_t byte_b = PTX_SLOT(u32, rf, slots[4])[0], thread_b = PTX_SLOT(u32, rf, slots[5])[0] % 4;
  s->vectors = x.vectors;
  for (uint32_t r = 0; r < 16; r++)
    ptx_scales_in(s->a[r], a[r % 8 * 4 + thread_a * 2 + r / 8], byte_a, x);
  for (uint32_t c = 0; c < 8; c++)
    ptx_scales_in(s->b[c], b[(c % 4 * 2 + c / 4) * 4 + thread_b], byte_b, x);
}

#endif
