/* lcul_assign.h: assignment between arrays of any dtype, layout and memory. */
#ifndef LCUL_ASSIGN_H
#define LCUL_ASSIGN_H

#include "lcul_array.h"

/* dst[...] = src[...] with conversion and broadcasting of src; both at stack indices. The memories
 * and the strides may differ. */
void lcul_array_assign (lua_State *L, int dst, int src, lcu_stream *s, const char *fn);

/* Raises an error if elements of dtype `from`, argument `arg` ("data"), would lose imaginary parts
 * as elements of `to`. Only astype drops imaginary parts. */
void lcul_array_keep_parts (lua_State *L, const lcu_dtype *to, const lcu_dtype *from,
                            const char *fn, int arg);

/* Pushes a contiguous array of dtype t (anchored from array dtype_idx when it is a struct) on
 * device d with the elements of src. */
lcul_array *lcul_array_converted (lua_State *L, int src, const lcu_dtype *t, int dtype_idx,
                                  lcu_device *d, lcu_stream *s, const char *fn);

/* Fills the contiguous dst from host memory in its dtype and C order. */
void lcul_array_store (lua_State *L, int dst, const void *data, lcu_stream *s, const char *fn);
/* dst[...] = one element already in dst's dtype. */
void lcul_array_fill_element (lua_State *L, int dst, const void *element, lcu_stream *s,
                              const char *fn);

/* Do the two have the same dtype, or struct type? */
bool lcul_array_same_type (const lcul_array *a, const lcul_array *b);

#endif
