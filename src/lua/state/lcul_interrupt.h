/* lcul_interrupt.h: signals that arrive while Lua waits for the device. */
#ifndef LCUL_INTERRUPT_H
#define LCUL_INTERRUPT_H

#include "lcul_state.h"

/* Calls the hook of L, if any, as running Lua code would. It may raise: hooks set by signal
 * handlers do. */
void lcul_run_hook (lua_State *L);
/* lcu_state_hooks.stop of a state. */
bool lcul_wait_stops (void *ud, bool begin);
void lcul_open_interrupt (lua_State *L, lcul_state *st);

#endif
