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

/* Reads the texel at p. Channels that the texture lacks are 0. `filtered`: as the filter takes it,
 * whose result ptx_texel_filtered brings into its range. The two differ for signed 8-bit texels. */
void ptx_texel_read (const ptx_texture *t, const uint8_t *p, bool filtered, ptx_color *out);
void ptx_texel_filtered (const ptx_texture *t, ptx_color *c);

#endif
