/* lcu_device_failure.h: what becomes of a failed driver call: its device's name, details and
 * consequences. */
#ifndef LCU_DEVICE_FAILURE_H
#define LCU_DEVICE_FAILURE_H

#include "lcu_device.h"

/* To be called with the status of every driver call made for the device: adds the device's name,
 * turns a fatal one into the dead state (naming the latest kernels not known complete), fetches the
 * CPU device's details of a fault and keeps the fault until it is raised
 * (lcu_pending.h). Returns the status. */
lcu_status lcu_device_status (lcu_device *d, lcu_status s);
/* The answer to a query: LCU_OK with done set where the work has ended, by a fault too, which waits
 * to be raised. */
lcu_status lcu_device_query_status (lcu_device *d, const char *call, cu_result r, bool *done);
/* The device died earlier. */
lcu_status lcu_device_fail_dead (const lcu_device *d);
/* This thread's latest failure, of which lcu_failure.pending was `key`, has been raised: nothing
 * waits for it any more. */
void lcu_device_raised (lcu_status s, uint64_t key);
/* A failure that this thread's owner was never told, made the thread's latest one; waits for
 * nothing. LCU_OK: none. */
lcu_status lcu_device_next_unraised (lcu_device *d);
/* Did a fatal fault end CUDA without any call raising it? Copies it to out (may be NULL); once. */
bool lcu_device_take_lost (lcu_failure *out);

#endif
