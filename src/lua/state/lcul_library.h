/* lcul_library.h: the Lua files of the library, as C sees them. */
#ifndef LCUL_LIBRARY_H
#define LCUL_LIBRARY_H

#include <lua.h>

#include "lcu_base.h"

#define LCUL_HOOKS "luacuda.hooks" /* registry: the tables of core.hooks */

/* Pushes what a Lua file of the library ("luacuda.array.convert") returned; each is loaded once per
 * state. */
void lcul_push_library (lua_State *L, const char *name);
/* Pushes function `name` of the table that a Lua file registered for `which` ("kernel", "fuse")
 * with core.hooks(which, table). */
void lcul_push_hook (lua_State *L, const char *which, const char *name);

#endif
