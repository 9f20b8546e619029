/* lcul_list.h: lists of integers, from Lua and to Lua. */
#ifndef LCUL_LIST_H
#define LCUL_LIST_H

#include "lcul_aux.h"

/* The number of items of the list (a table) at an absolute idx; false when items are missing or
 * other keys are there. The `n` of table.pack is not another key. Tables with metamethods are as
 * long as __len says, and may still lack items. */
bool lcul_list_length (lua_State *L, int idx, lua_Integer *n);
/* Raises "<what>: ..." for the list that lcul_list_length refused. `maker`: the function whose
 * options belong in a table of their own, not into this list; NULL where it has none. */
int lcul_list_fail (lua_State *L, int idx, const char *what, const char *maker);

/* Class Shape: the extents or the strides of an array. Read-only, so that nobody writes to a copy
 * in the belief that it is the array's own. Whatever takes a list of integers takes a Shape. */
typedef struct lcul_dims {
  int n;
  int64_t value[];
} lcul_dims;
void lcul_dims_push (lua_State *L, const int64_t *list, int n);
const lcul_dims *lcul_dims_test (lua_State *L, int idx); /* NULL: something else */
/* A Shape at an absolute idx becomes a plain list, for code that reads tables. */
void lcul_dims_plain (lua_State *L, int idx);

/* Length and items of a table or Shape, raw: nothing is allocated, no metamethod runs. 0 and nil
 * for anything else. */
lua_Integer lcul_list_raw_length (lua_State *L, int idx);
int lcul_list_raw_item (lua_State *L, int idx, lua_Integer i); /* pushes it; its type */

#endif
