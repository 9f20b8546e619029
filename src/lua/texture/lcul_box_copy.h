/* lcul_box_copy.h: copies between arrays and CUDA arrays, in rows and slices. */
#ifndef LCUL_BOX_COPY_H
#define LCUL_BOX_COPY_H

#include "lcu_copy_box.h"
#include "lcul_cuda_array.h"

/* One side of a copy: the Array or CuArray at stack index `idx`, which is open. */
typedef struct lcul_side {
  int idx;
  size_t x, y, z; /* of a CUDA array: where the box begins (bytes, rows, slices) */
  /* of an array, whose elements are the bytes of the box in C order: */
  bool rows;            /* pitch and height describe its layout */
  size_t pitch, height; /* bytes from row to row, rows from slice to slice */
} lcul_side;

typedef struct lcul_box {
  lcul_side dst, src;
  size_t width, height, depth; /* bytes, rows, slices */
} lcul_box;

/* The side of an array whose elements are all those of a CUDA array like `a`: it has its shape, or
 * is dense. */
void lcul_side_of_array (lua_State *L, int idx, const lcul_cuda_array *a, lcul_side *out);
/* The device whose stream makes the copy: that of a CUDA array. */
lcu_device *lcul_box_copy_device (lua_State *L, int dst, int src);
/* `s`: a stream of that device. */
void lcul_box_copy (lua_State *L, const lcul_box *c, lcu_stream *s, const char *fn);

#endif
