/* lcu_pending.h: failures of a device that no call has raised yet: kernel faults from when they are
 * found, and what a finaliser met and could not return. Each waits for a call that raises it in the
 * state whose work failed; a call that finds it and goes on without raising takes nothing away. */
#ifndef LCU_PENDING_H
#define LCU_PENDING_H

#include "cu_driver.h"

typedef struct lcu_device lcu_device;
typedef struct lcu_pending lcu_pending;

/* Keeps this thread's failure for the next checked call. No-op for LCU_OK, a lost device and what
 * is kept already. */
void lcu_device_defer (lcu_device *d, lcu_status s);
/* Keeps a fault of a kernel, which is this thread's failure. */
void lcu_pending_fault (lcu_device *d, lcu_status s);
/* Makes the first failure that this thread's owner has to hear its latest one; LCU_OK when there is
 * none. */
lcu_status lcu_pending_report (lcu_device *d);
/* Would lcu_pending_report find one? */
bool lcu_pending_waits (lcu_device *d);
/* A failure was raised: `key` is its lcu_failure.pending. */
void lcu_pending_raised (uint64_t key);
lcu_status lcu_pending_open (lcu_device *d);
void lcu_pending_free (lcu_device *d);

#endif
