/* cpu_enter.h: what entry points check first: that the device is up and that the calling thread has
 * a current context. */
#ifndef CPU_ENTER_H
#define CPU_ENTER_H

#include "cu_driver.h"

typedef enum cpu_state { CPU_DOWN, CPU_UP, CPU_FORKED } cpu_state;
cpu_state cpu_device_state (void);
void cpu_device_set_state (cpu_state s);
/* For the child of a fork: a device that was up becomes CPU_FORKED. */
void cpu_device_fork_child (void);

/* Every entry point that needs a context calls this first, and returns the result if it is not
 * 0. */
cu_result cpu_enter (void);
/* The same for entry points that only need the device to be up. */
cu_result cpu_enter_driver (void);

/* The handle of the primary context. No other context exists. */
cu_context cpu_primary (void);
/* Notes whether the primary context is retained. */
void cpu_primary_set_active (bool active);
/* Ends the primary context and removes it from the stack of every thread. */
void cpu_current_forget (void);

/* Calls a host function. Until it returns, this thread may not call the driver. */
void cpu_call_host (cu_host_fn fn, void *ud);
bool cpu_in_host_function (void);

/* Converts a status of src/base or src/ptx to the driver's code. */
cu_result cpu_status_result (lcu_status s);

#endif
