/* lcul_tensor_map.h: tensor maps of arrays. */
#ifndef LCUL_TENSOR_MAP_H
#define LCUL_TENSOR_MAP_H

#include "lcu_tensor_map.h"
#include "lcul_array.h"

/* The extents and strides of an array whose last axis has no gaps. */
void lcul_tensor_map_shape (const lcul_array *a, lcu_tensor_box *b);
/* Pushes the bytes of the map of an array for a device; `b` has its shape and its box. */
void lcul_tensor_map_push (lua_State *L, const lcul_array *a, lcu_device *d, lcu_tensor_box *b);

#endif
