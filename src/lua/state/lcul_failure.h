/* lcul_failure.h: error objects, and the failure record as one. */
#ifndef LCUL_FAILURE_H
#define LCUL_FAILURE_H

#include <lua.h>

#include "lcu_status.h"

#define LCUL_ERROR "luacuda.Error" /* registry: the metatable of error objects */

/* Pushes an error object for the failure record, which counts as not raised. */
void lcul_push_failure (lua_State *L, lcu_status s);
/* The same with the log of a compiler, or "". */
void lcul_push_failure_log (lua_State *L, lcu_status s, const char *log);
/* Pushes this thread's latest failure as a sentence. */
void lcul_push_failure_text (lua_State *L);
/* Makes an error object of the table at the top: adds traceback, position and class. */
void lcul_error_finish (lua_State *L);

#endif
