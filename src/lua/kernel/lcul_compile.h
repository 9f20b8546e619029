/* lcul_compile.h: the compiler, and what it needs in Lua: files, hashes and other
 * programs. */
#ifndef LCUL_COMPILE_H
#define LCUL_COMPILE_H

#include <lua.h>

void lcul_open_compile (lua_State *L);
void lcul_open_file (lua_State *L);
void lcul_open_child (lua_State *L);
void lcul_open_hash (lua_State *L);

#endif
