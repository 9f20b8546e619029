/* lcul_error.h: the one place where a failure becomes a Lua error. */
#ifndef LCUL_ERROR_H
#define LCUL_ERROR_H

#include "lcul_failure.h"
#include "lcul_position.h"

/* Raises the error object for a failed status (from the thread's failure record); returns normally
 * for LCU_OK. */
void lcul_status (lua_State *L, lcu_status s);
/* The same with the field `log`, unless it is empty. */
void lcul_status_log (lua_State *L, lcu_status s, const char *log);
/* Raises an error object of the given kind ("logic", "compile", ...) with a formatted message. */
int lcul_raise (lua_State *L, const char *kind, const char *fmt, ...) LCU_PRINTF(3, 4);

/* [object] -> [what to raise: the object, or its text]; remembers both. */
void lcul_error_present (lua_State *L);
/* Pushes the latest object that was raised as the string at idx and returns true, or pushes nothing
 * and returns false. */
bool lcul_push_remembered (lua_State *L, int idx);
/* Pushes the latest object that was raised, or nil. */
void lcul_push_latest (lua_State *L);

/* At the end of a state: writes failures that no call raised to stderr. */
void lcul_say_unheard (lua_State *L);
/* The same for the failure that ended CUDA for the process. */
void lcul_say_lost (void);

#endif
