/* lcul_dtype.h: dtypes by name. */
#ifndef LCUL_DTYPE_H
#define LCUL_DTYPE_H

#include <lua.h>

#include "lcu_dtype.h"

/* The dtype from a name or a struct type at idx; raises with near names. A struct dtype lives as
 * long as its userdata: store the value at idx where the dtype is kept. */
const lcu_dtype *lcul_dtype_check (lua_State *L, int idx);
/* Writes what is expected in place of the value at idx: for a function such as cuda.float32 the
 * string of the same name, else `otherwise`. Returns buf. */
const char *lcul_dtype_expected (lua_State *L, int idx, const char *otherwise, char *buf,
                                 size_t size);

#endif
