/* lcul_cuda_array.h: class CuArray: memory in the layout of the texture hardware. */
#ifndef LCUL_CUDA_ARRAY_H
#define LCUL_CUDA_ARRAY_H

#include "lcu_cuda_array.h"
#include "lcul_array.h"

enum { LCUL_TEXEL_DIMS = 3, LCUL_TEXEL_BYTES = 16 };

/* How the elements of a dtype are stored: `lanes` channels of a format each. Dtypes of 64 bits and
 * more, which no format has, use several channels of 32 bits. */
typedef struct lcul_texel {
  int format; /* cu_format */
  unsigned lanes;
} lcul_texel;

/* False: CUDA arrays have no such elements. */
bool lcul_texel_of (const lcu_dtype *t, lcul_texel *out);

typedef struct lcul_cuda_array {
  lcu_block *block; /* NULL: closed */
  cu_array handle;  /* of the level */
  const lcu_dtype *dtype;
  lcul_texel texel;
  int channels; /* elements in a texel */
  unsigned flags, levels;
  bool mipmapped; /* all levels, not one of them; `handle` is the largest */
  int ndim;
  int64_t shape[LCUL_TEXEL_DIMS]; /* texels, C order */
} lcul_cuda_array;

lcul_cuda_array *lcul_cuda_array_check (lua_State *L, int idx); /* open; raises otherwise */
/* NULL for anything but a CuArray; closed ones are returned. */
lcul_cuda_array *lcul_cuda_array_test (lua_State *L, int idx);

/* The extents in the order of the driver; the layers of a layered array are its depth. Extents that
 * it does not have are 1. */
typedef struct lcul_extent {
  size_t width, height, depth;
} lcul_extent;
lcul_extent lcul_cuda_array_extent (const lcul_cuda_array *a);
int64_t lcul_cuda_array_bytes (const lcul_cuda_array *a); /* without smaller levels */
int64_t lcul_cuda_array_total (const lcul_cuda_array *a); /* with all levels */
static inline size_t lcul_cuda_array_texel (const lcul_cuda_array *a) {
  return (size_t)a->channels * a->dtype->size;
}
/* The shape of an array with all elements: that of the CUDA array, and the channels if there are
 * several. */
void lcul_cuda_array_shape (const lcul_cuda_array *a, lcul_shape *out);

/* Assigns the value at idx to the CUDA array at dst, as lcul_array_set_value does. */
void lcul_cuda_array_set (lua_State *L, int dst, int idx, int opts, const char *fn);

extern const luaL_Reg lcul_cuda_array_copy_methods[];

#endif
