/* lcul_api.h: the functions of include/luacuda.h. */
#ifndef LCUL_API_H
#define LCUL_API_H

#include <lua.h>

void lcul_open_api (lua_State *L);

#endif
