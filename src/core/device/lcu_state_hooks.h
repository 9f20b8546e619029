/* lcu_state_hooks.h: what a Lua state does for the core.
 *
 * A hook is called only on the thread that registered it, because only that thread may use the Lua
 * state. `reclaim` runs without locks, and may free blocks and remove hooks. `stop` runs with the
 * lock of the list held, possibly while the CPU device waits, so it may neither allocate nor add or
 * remove hooks. */
#ifndef LCU_STATE_HOOKS_H
#define LCU_STATE_HOOKS_H

#include "lcu_status.h"

typedef struct lcu_state_hooks {
  void (*reclaim)(void *ud); /* frees memory, for example by collecting garbage */
  /* should a wait stop? begin: it begins now. Allocates nothing */
  bool (*stop)(void *ud, bool begin);
} lcu_state_hooks;
lcu_status lcu_state_hooks_add (const lcu_state_hooks *hooks, void *ud);
void lcu_state_hooks_remove (const void *ud);

/* Call the hooks of the states of this thread. stop: true if any returns true. */
void lcu_state_hooks_reclaim (void);
bool lcu_state_hooks_stop (bool begin);

#endif
