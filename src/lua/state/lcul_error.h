/* lcul_error.h: the one place where a failure becomes a Lua error. */
#ifndef LCUL_ERROR_H
#define LCUL_ERROR_H

#include "lcu_status.h"
#include "lcul_state.h"

/* Raises the error object for a failed status (from the thread's failure record); returns normally
 * for LCU_OK. */
void lcul_status (lua_State *L, lcu_status s);
/* The same with the field `log`, unless it is empty. */
void lcul_status_log (lua_State *L, lcu_status s, const char *log);
/* Raises an error object of the given kind ("logic", "compile", ...) with a formatted message. */
int lcul_raise (lua_State *L, const char *kind, const char *fmt, ...) LCU_PRINTF(3, 4);
/* A wrong argument: raises a string that begins with the position of the user's own code. */
int lcul_misuse (lua_State *L, const char *fmt, ...) LCU_PRINTF(2, 3);
/* Pushes this thread's latest failure as a sentence. */
void lcul_push_failure_text (lua_State *L);
/* Pushes an error object for the failure record, which counts as not raised. */
void lcul_push_failure (lua_State *L, lcu_status s);

/* At the end of a state: writes failures that no call raised to stderr. */
void lcul_say_unheard (lua_State *L);
/* The same for the failure that ended CUDA for the process. */
void lcul_say_lost (void);

/* Call it before each launch: notes where the user's own code called, for faults that the device
 * reports later. Not for launches that the user's code makes itself, unless `builder`: their
 * kernels are the user's text. */
void lcul_note_caller (lua_State *L, const lcu_device *d, bool builder);
/* Does this activation, whose "S" fields are filled, run a chunk of the library? */
bool lcul_is_own (const lcul_state *st, const lua_Debug *ar);
void lcul_open_error (lua_State *L);

#endif
