/* lcul_condition.h: stream:when, stream:loop, stream:switch, stream:condition. */
#ifndef LCUL_CONDITION_H
#define LCUL_CONDITION_H

#include <lua.h>

void lcul_open_condition (lua_State *L);

#endif
