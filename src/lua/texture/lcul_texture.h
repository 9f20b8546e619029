/* lcul_texture.h: classes Texture and Surface: how kernels read and write memory through the
 * texture hardware. */
#ifndef LCUL_TEXTURE_H
#define LCUL_TEXTURE_H

#include "lcul_cuda_array.h"
#include "lcul_uses.h"

/* What kernels have to know of a texture or surface. `normalized`: integers are read as floats. */
typedef struct lcul_texels {
  const lcu_dtype *dtype;
  uint8_t ndim, channels; /* layers are an axis */
  bool linear, layered, cubemap, mipmapped, normalized;
} lcul_texels;

/* User value 1: the array or CUDA array. */
typedef struct lcul_texture {
  lcu_block *block; /* NULL: closed */
  lcul_texels texels;
  cu_texture_desc desc; /* of a texture */
} lcul_texture;

/* The Texture or Surface at idx, which may be closed; NULL: another value. *surface: which. */
lcul_texture *lcul_texture_test (lua_State *L, int idx, bool *surface);

/* What both classes share: `id` says which. The object at 1, which must be open. */
lcul_texture *lcul_texture_check (lua_State *L, lcul_class id);
int lcul_texture_close (lua_State *L, lcul_class id);
/* Adds the fields source, device and handle. */
void lcul_texture_add_fields (lua_State *L, lcul_class id);

/* The texels but for their dtype as a number, which is never 0. */
uint64_t lcul_texture_form (const lcul_texture *t, bool surface);

/* What an argument for a texture or surface becomes: its handle. Records the uses of the object and
 * of the memory behind it. Raises "<what>: ..." where it is closed or of another device. */
uint64_t lcul_texture_use (lua_State *L, const lcul_texture *t, bool surface, lcul_uses *uses,
                           const char *what);

/* lcul_classdef.field_handle of both. */
uint64_t lcul_texture_field_handle (lua_State *L, int idx, lcul_uses *uses, const char *what);

#endif
