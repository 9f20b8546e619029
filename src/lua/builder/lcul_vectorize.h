/* lcul_vectorize.h: calls of functions that cuda.vectorize makes. */
#ifndef LCUL_VECTORIZE_H
#define LCUL_VECTORIZE_H

#include <lua.h>

void lcul_open_vectorize (lua_State *L);

#endif
