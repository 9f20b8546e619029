/* lcul_dims.h: class Shape: the extents or the strides of an array. Read-only, because writing to a
 * copy would not change the array. Every function that takes a list of integers takes a Shape. */
#ifndef LCUL_DIMS_H
#define LCUL_DIMS_H

#include <lua.h>

#include "lcu_base.h"

typedef struct lcul_dims {
  int n;
  int64_t value[];
} lcul_dims;

void lcul_dims_push (lua_State *L, const int64_t *list, int n);
const lcul_dims *lcul_dims_test (lua_State *L, int idx); /* NULL: something else */
/* Replaces a Shape at an absolute idx with a plain list, for code that reads tables. */
void lcul_dims_plain (lua_State *L, int idx);

#endif
