/* cpu_enter.h: what entry points check first: the device is up, and the calling thread has a
 * context. */
#ifndef CPU_ENTER_H
#define CPU_ENTER_H

#include "cu_driver.h"

typedef enum cpu_state { CPU_DOWN, CPU_UP, CPU_FORKED } cpu_state;
cpu_state cpu_device_state (void);
void cpu_device_set_state (cpu_state s);
/* In the child of a fork: a device that was up is CPU_FORKED. */
void cpu_device_fork_child (void);

/* To be called first by every entry point that needs a context: 0, or why it cannot go on. */
cu_result cpu_enter (void);
/* The same for those that need no context: the device is up. */
cu_result cpu_enter_driver (void);

/* The handle of the primary context, the only one. */
cu_context cpu_primary (void);
/* Is the primary context retained? */
void cpu_primary_set_active (bool active);
/* No thread's context is current any more. */
void cpu_current_forget (void);

/* Calls a host function; until it returns, no driver call is allowed on this thread. */
void cpu_call_host (cu_host_fn fn, void *ud);
bool cpu_in_host_function (void);

/* The driver's code for a status of src/ptx. */
cu_result cpu_status_result (lcu_status s);

#endif
