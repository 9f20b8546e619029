/* lcul_content.h: writing the contents of arrays from Lua values. */
#ifndef LCUL_CONTENT_H
#define LCUL_CONTENT_H

#include "lcul_array.h"
#include "lcul_error.h"

/* Assigns the value at idx to the whole array at dst: a table, an array, bytes, or one value for
 * all elements. `opts`: stack index of options, or 0. */
void lcul_array_set_value (lua_State *L, int dst, int idx, int opts, const char *fn, int arg);

enum { LCUL_SMALL_ELEMENT = 64 };

/* Memory for one element: `small`, of LCUL_SMALL_ELEMENT bytes, where it fits, else a userdata left
 * on the stack. */
static inline void *lcul_element_space (lua_State *L, const lcu_dtype *t, void *small) {
  return t->size <= LCUL_SMALL_ELEMENT ? small : lua_newuserdatauv(L, t->size, 0);
}

/* Raises for an array that a finalizer, or a metamethod of a value, has closed. */
static inline void lcul_array_still_open (lua_State *L, const lcul_array *a) {
  if (lcu_unlikely(a->block == NULL)) lcul_misuse(L, "attempt to use a closed Array");
}

#endif
