/* lcul_type.h: core.class and core.type. */
#ifndef LCUL_TYPE_H
#define LCUL_TYPE_H

#include <lua.h>

void lcul_open_type (lua_State *L);

#endif
