/* ptx_sample.h: reading a texture at coordinates: address modes, filters, mipmaps, cubemaps. The
 * formulas are those of the CUDA C++ Programming Guide, "Texture Fetching". */
#ifndef PTX_SAMPLE_H
#define PTX_SAMPLE_H

#include "ptx_texel.h"
#include "ptx_warp.h"

/* Where a lane reads. */
typedef struct ptx_spot {
  double at[3];
  int32_t texel[3]; /* instead of `at`, when `whole` */
  bool whole;
  int32_t offset[3]; /* texels */
  uint32_t layer;    /* of a layered texture */
  float lod;         /* of a mipmapped texture */
} ptx_spot;

/* The mipmap level at which the texture changes by a texel from pixel to pixel, given how its
 * coordinates change from there to the next pixel in x and in y. */
float ptx_sample_lod (const ptx_texture *t, const ptx_spot *spot, const float dx[3],
                      const float dy[3]);

/* The filtered color. False after a fault. Of a cubemap, the spot becomes that in its face. */
bool ptx_sample (ptx_warp *w, uint32_t lane, const ptx_texture *t, ptx_spot *spot, ptx_color *out);

/* One channel of the four texels that a linear filter mixes in two dimensions, counter-clockwise
 * from the lower left. False after a fault. */
bool ptx_gather (ptx_warp *w, uint32_t lane, const ptx_texture *t, ptx_spot *spot, uint32_t channel,
                 ptx_color *out);

#endif
