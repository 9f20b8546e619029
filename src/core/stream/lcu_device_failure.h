/* lcu_device_failure.h: the handling of failed driver calls: details, and consequences for the
 * device. */
#ifndef LCU_DEVICE_FAILURE_H
#define LCU_DEVICE_FAILURE_H

#include "lcu_device.h"

/* To be called with the status of every driver call made for the device: completes the record of a
 * failure. Adds the device's name; marks the device dead after a fatal failure, with the kernels
 * that may have been running; fetches the details of a fault from the CPU device and keeps the
 * fault until it is raised (lcu_pending.h). Returns the status. */
lcu_status lcu_device_status (lcu_device *d, lcu_status s);
/* The status of a query. LCU_OK with *done set where the work has ended; if a fault ended it, the
 * fault stays pending. */
lcu_status lcu_device_query_status (lcu_device *d, const char *call, cu_result r, bool *done);
/* Fails because the device died earlier. */
lcu_status lcu_device_fail_dead (const lcu_device *d);
/* To be called when a failure was raised: `key` is its lcu_failure.pending. */
void lcu_device_raised (lcu_status s, uint64_t key);
/* Makes the next failure that was never raised to this thread's owner the thread's latest one.
 * Waits for nothing. LCU_OK: none. */
lcu_status lcu_device_next_unraised (lcu_device *d);
/* Has a fatal fault ended CUDA without any call raising it? Copies it to out (may be NULL). True
 * once. */
bool lcu_device_take_lost (lcu_failure *out);

#endif
