/* lcul_call_host.h: stream:call and core.poll. */
#ifndef LCUL_CALL_HOST_H
#define LCUL_CALL_HOST_H

#include <lua.h>

void lcul_open_call_host (lua_State *L);

#endif
