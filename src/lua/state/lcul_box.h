/* lcul_box.h: userdata that hold memory until they are collected, for functions that may raise. */
#ifndef LCUL_BOX_H
#define LCUL_BOX_H

#include <lua.h>

#include "lcu_mem.h"

/* Pushes a userdata of zeros with `release` as __gc and __close; `name` names its metatable, which
 * is made once per state. */
void *lcul_newbox (lua_State *L, size_t size, const char *name, lua_CFunction release);

/* Pushes a box with an empty buffer. */
lcu_buf *lcul_newbuffer (lua_State *L);
/* Pushes a list of the strings in a buffer, each of which ends with a zero byte. */
void lcul_push_names (lua_State *L, const lcu_buf *names);

/* Pushes a box with uninitialized memory, which lcul_scratch_free frees early. */
void *lcul_scratch (lua_State *L, size_t size);
void lcul_scratch_free (lua_State *L, int idx);

#endif
