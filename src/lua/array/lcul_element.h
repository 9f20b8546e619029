/* lcul_element.h: one element, of any dtype. */
#ifndef LCUL_ELEMENT_H
#define LCUL_ELEMENT_H

#include "lcul_array.h"

/* One element of any dtype. */
void lcul_element_arg (lua_State *L, int idx, const lcu_dtype *t, void *p, const char *fn, int arg,
                       const char *param);
void lcul_element_push (lua_State *L, const lcu_dtype *t, const void *p);

#endif
