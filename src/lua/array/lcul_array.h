/* lcul_array.h: an array as other bindings see it: shape, strides and a reference to its block. */
#ifndef LCUL_ARRAY_H
#define LCUL_ARRAY_H

#include "lcul_aux.h"

#define LCUL_MAX_DIMS 16

/* Only the axes in use are stored: what a collected array costs depends on its size. */
typedef struct lcul_array {
  lcu_block *block;       /* NULL: closed */
  const lcu_dtype *dtype; /* struct dtypes: anchored as user value 1 */
  int64_t offset;         /* bytes from the block's start to element {1, 1, ...} */
  int64_t size;           /* elements */
  int ndim;
  bool contiguous;  /* C order without gaps */
  bool anchors;     /* it has user values */
  int64_t *strides; /* bytes; behind the shape */
  int64_t shape[];  /* elements */
} lcul_array;

/* Open array at idx; raises for anything else ("attempt to use a closed Array"). */
lcul_array *lcul_array_check (lua_State *L, int idx);
/* NULL when it is not an Array (closed ones are returned) */
lcul_array *lcul_array_test (lua_State *L, int idx);

/* Pushes a new contiguous array over `block` (takes over the reference, also when it raises).
 * dtype_idx: stack index of a struct type to anchor, or 0. */
lcul_array *lcul_array_push (lua_State *L, lcu_block *block, const lcu_dtype *t, int dtype_idx,
                             int64_t offset, int ndim, const int64_t *shape);

/* New device array of the given shape, contents undefined. */
lcul_array *lcul_array_new (lua_State *L, lcu_device *d, lcu_stream *home, const lcu_dtype *t,
                            int ndim, const int64_t *shape);

#endif
