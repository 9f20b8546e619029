/* ptx_texel.h: one texel: its conversion to what a texture instruction returns. */
#ifndef PTX_TEXEL_H
#define PTX_TEXEL_H

#include "ptx_texture.h"

/* Four channels, all floats or all integers. */
typedef union ptx_color {
  float f[4];
  uint32_t u[4];
} ptx_color;

/* Whether the texture is read as floats, which can be filtered. */
bool ptx_texel_is_float (const ptx_texture *t);

/* Reads the texel at p. Channels that the texture lacks are 0. */
void ptx_texel_read (const ptx_texture *t, const uint8_t *p, ptx_color *out);

#endif
