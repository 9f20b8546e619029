/* ptx_texture.h: textures and surfaces as the PTX machine sees them (a part of ptx.h). The host
 * makes them and answers for their memory. */
#ifndef PTX_TEXTURE_H
#define PTX_TEXTURE_H

#include "lcu_status.h"

/* How a channel is stored. */
typedef enum ptx_texel {
  PTX_TEXEL_U8,
  PTX_TEXEL_S8,
  PTX_TEXEL_U16,
  PTX_TEXEL_S16,
  PTX_TEXEL_U32,
  PTX_TEXEL_S32,
  PTX_TEXEL_F16,
  PTX_TEXEL_F32
} ptx_texel;

typedef enum ptx_geometry {
  PTX_GEO_NONE,
  PTX_GEO_1D,
  PTX_GEO_2D,
  PTX_GEO_3D,
  PTX_GEO_A1D,
  PTX_GEO_A2D,
  PTX_GEO_CUBE,
  PTX_GEO_ACUBE,
  PTX_GEO_COUNT
} ptx_geometry;

/* Beyond the edge of a texture. */
typedef enum ptx_address_mode {
  PTX_ADDRESS_WRAP,
  PTX_ADDRESS_CLAMP,
  PTX_ADDRESS_MIRROR,
  PTX_ADDRESS_BORDER
} ptx_address_mode;

/* The texels of one mipmap level. */
typedef struct ptx_image {
  uint8_t *texels;
  uint32_t extent[3];  /* width, height, depth in texels; 1 where there is none */
  size_t pitch, slice; /* bytes from one row to the next; from one slice, layer or face */
} ptx_image;

enum { PTX_MAX_LEVELS = 18 };

/* A texture or a surface, which has one level and is not sampled. */
typedef struct ptx_texture {
  ptx_geometry geometry;
  ptx_texel texel;
  uint32_t channels;    /* 1, 2, 4 */
  uint32_t texel_bytes; /* of all channels */
  uint32_t layers;      /* layers, or faces; 1 when it has none */
  uint32_t num_levels;
  bool mipmapped;
  /* The texels are in memory that can be freed while the texture exists: every read is checked. */
  bool in_memory;
  /* sampling */
  uint8_t address[3]; /* ptx_address_mode */
  bool linear;        /* filter; otherwise the nearest texel */
  bool unit;          /* coordinates go from 0 to 1 */
  bool as_float;      /* integers of 8 and 16 bits are read as floats from 0 or -1 to 1 */
  bool srgb, mip_linear, seamless;
  float bias, least, most; /* of the mipmap level */
  float border[4];
  ptx_image levels[PTX_MAX_LEVELS];
} ptx_texture;

#endif
