/* lcu_state_hooks.h: what a Lua state does for the core; asked only on the thread that registered
 * it. */
#ifndef LCU_STATE_HOOKS_H
#define LCU_STATE_HOOKS_H

#include "lcu_status.h"

typedef struct lcu_state_hooks {
  void (*reclaim)(void *ud); /* gives memory back */
  /* is a wait that began with `begin` to end? Allocates nothing */
  bool (*stop)(void *ud, bool begin);
} lcu_state_hooks;
lcu_status lcu_state_hooks_add (const lcu_state_hooks *hooks, void *ud);
void lcu_state_hooks_remove (const void *ud);

/* Asks the states of this thread. */
void lcu_state_hooks_reclaim (void);
bool lcu_state_hooks_stop (bool begin);

#endif
