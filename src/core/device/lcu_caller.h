/* lcu_caller.h: on whose behalf a thread calls the driver. Queued work carries it: a failure found
 * later is reported to the Lua state that queued the work, and names the place of the call. */
#ifndef LCU_CALLER_H
#define LCU_CALLER_H

#include "cu_abi.h"

/* Of this thread. The owner is the number of a Lua state. */
extern _Thread_local cux_caller lcu_caller;
/* The same for drivers (cuxSetCaller). */
const cux_caller *lcu_caller_get (void);

#endif
