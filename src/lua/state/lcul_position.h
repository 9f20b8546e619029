/* lcul_position.h: the position of the user's own code, and misuse, whose message begins with
 * it. */
#ifndef LCUL_POSITION_H
#define LCUL_POSITION_H

#include "lcul_state.h"

/* A wrong argument: raises a string that begins with the position of the user's own code. */
int lcul_misuse (lua_State *L, const char *fmt, ...) LCU_PRINTF(2, 3);
/* Pushes "file:line: " of the innermost level that is the user's own code, or "". */
void lcul_where (lua_State *L);
/* Call it before each launch: notes where the user's own code called, for faults that the device
 * reports later. Not for launches that the user's code makes itself, unless `builder`: their
 * kernels are the user's text. */
void lcul_note_caller (lua_State *L, const lcu_device *d, bool builder);
/* Does this activation, whose "S" fields are filled, run a chunk of the library? */
bool lcul_is_own (const lcul_state *st, const lua_Debug *ar);

#endif
