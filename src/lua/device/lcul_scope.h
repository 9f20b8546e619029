/* lcul_scope.h: cuda.with_stream and cuda.no_sync. */
#ifndef LCUL_SCOPE_H
#define LCUL_SCOPE_H

#include <lua.h>

/* Call it before every wait of the host: raises inside cuda.no_sync. `what` names the operation. */
void lcul_sync_allowed (lua_State *L, const char *what);
void lcul_open_scope (lua_State *L);

#endif
