/* lcul_texture_source.h: what a texture reads: a CUDA array, linear memory or pitched memory. */
#ifndef LCUL_TEXTURE_SOURCE_H
#define LCUL_TEXTURE_SOURCE_H

#include "lcul_cuda_array.h"

typedef struct lcul_texture_source {
  lcu_device *device;
  lcu_block *block; /* borrowed from the value */
  cu_resource_desc resource;
  const lcu_dtype *dtype;
  lcul_texel texel;
  unsigned levels;      /* 0: no mipmaps */
  bool linear, cubemap; /* linear: memory of one axis */
  bool row;             /* a CUDA array of one axis */
  bool layered;
  int ndim, channels; /* without that of the channels; elements in a texel */
} lcul_texture_source;

/* Reads the Array or CuArray at 1; option `channels` of the table at opts (0: none) is for
 * arrays. */
void lcul_texture_source_read (lua_State *L, int opts, lcul_texture_source *out);

/* Reads option `border` of the table at opts (0: none): one value for all channels, or a list of
 * one for each. `normalized`: integers are read as floats. */
void lcul_texture_border_read (lua_State *L, int opts, const lcul_texture_source *s,
                               bool normalized, float border[4]);

#endif
