/* lcul_jit_call.h: calls of kernels written in Lua. */
#ifndef LCUL_JIT_CALL_H
#define LCUL_JIT_CALL_H

#include <lua.h>

void lcul_open_jit_call (lua_State *L);

#endif
