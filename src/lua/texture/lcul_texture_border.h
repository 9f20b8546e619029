/* lcul_texture_border.h: what a texture reads outside, with address "border". */
#ifndef LCUL_TEXTURE_BORDER_H
#define LCUL_TEXTURE_BORDER_H

#include "lcul_texture_source.h"

/* Reads option `border` of the table at opts (0: none): one value for all channels, or a list of
 * one for each. `normalized`: integers are read as floats. */
void lcul_texture_border_read (lua_State *L, int opts, const lcul_texture_source *s,
                               bool normalized, float border[4]);

#endif
