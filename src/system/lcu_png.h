/* lcu_png.h: the pixels of PNG pictures (ISO/IEC 15948), between compression and samples. */
#ifndef LCU_PNG_H
#define LCU_PNG_H

#include "lcu_base.h"

typedef struct lcu_png {
  uint32_t width, height; /* above 0, below 2^31 */
  unsigned depth;         /* bits of a sample: 1, 2, 4, 8 or 16 */
  unsigned channels;      /* 1 to 4; 1 where the depth is below 8 */
  bool interlaced;        /* "Adam7" */
} lcu_png;

/* Of more pixels the sizes need not fit 64 bits. No file has that many. */
#define LCU_PNG_PIXELS ((uint64_t)1 << 58)

/* Bytes of all rows with their filter types, as they are compressed; UINT64_MAX where the picture
 * has more than LCU_PNG_PIXELS pixels. */
uint64_t lcu_png_packed_size (const lcu_png *p);

/* Bytes of all samples of at most LCU_PNG_PIXELS pixels: one each, or two where the depth is 16. */
uint64_t lcu_png_sample_size (const lcu_png *p);

/* Unpacks the rows at `packed`, which it changes: samples of less than 8 bits become bytes with the
 * same value, those of 16 bits have the byte order of this machine. Returns 0, or the number of the
 * first row whose filter type does not exist. */
uint64_t lcu_png_unpack (const lcu_png *p, uint8_t *packed, uint8_t *samples);

/* Writes the rows of a picture of depth 8 or 16 that is not interlaced. Each gets the filter type
 * whose bytes differ least from 0. Samples of 16 bits have their highest byte first. */
void lcu_png_pack (const lcu_png *p, const uint8_t *samples, uint8_t *packed);

#endif
