/* lcul_compile.h: the compiler, and what its cache in Lua needs: files and hashes. */
#ifndef LCUL_COMPILE_H
#define LCUL_COMPILE_H

#include <lua.h>

void lcul_open_compile (lua_State *L);
void lcul_open_file (lua_State *L);
void lcul_open_hash (lua_State *L);

#endif
