/* lcul_scope.h: scopes, such as cuda.with_stream and cuda.no_sync. */
#ifndef LCUL_SCOPE_H
#define LCUL_SCOPE_H

#include "lcu_stream.h"

#include <lua.h>

/* Call it before every wait of the host: raises inside cuda.no_sync, and while work is recorded.
 * `what` names the operation. */
void lcul_sync_allowed (lua_State *L, const char *what);
/* The same check. Returns the current stream, in whose order the host then accesses memory of the
 * device. */
lcu_stream *lcul_host_turn (lua_State *L, const lcu_device *d, const char *what);
/* Raises while work is recorded: for what is no wait, but cannot be part of a graph. */
void lcul_not_recorded (lua_State *L, const char *what);


/* [scope, function, arguments ...] -> results. The function cannot yield: what a scope sets belongs
 * to the state, not to the coroutine. An error that leaves a coroutine closes nothing until the
 * coroutine itself is closed, so it is caught here, and end(L, scope) is called. In the main thread
 * it is not caught, so that tracebacks begin where it was raised; the scope at the bottom of the
 * stack is closed there. */
int lcul_scope_call (lua_State *L, void (*end)(lua_State *L, void *scope), void *scope);
/* Raises "<what>: expected a function, got ..." for anything that cannot be called. */
void lcul_check_callable (lua_State *L, int idx, const char *what);

#endif
