/* lcu_comm_guard.h: waits that notice when a communicator of a GPU fails. An operation that waits
 * for a rank that is gone never ends by itself, and the driver would wait for it for ever. */
#ifndef LCU_COMM_GUARD_H
#define LCU_COMM_GUARD_H

#include "lcu_device.h"

extern atomic_int lcu_comms_watched;

/* What communicators, which know streams and devices, do in such a wait. */
typedef struct lcu_comm_guards {
  lcu_status (*wait)(lcu_device *d, cu_result (*query)(const void *ud), const void *ud);
  /* NOT_READY while a communicator of the device has operations in the queue */
  cu_result (*busy)(const void *device);
} lcu_comm_guards;
/* One communicator more to look at, or one less (NULL). */
void lcu_comm_guards_count (const lcu_comm_guards *guards);

lcu_status lcu_comm_guard_slow (lcu_device *d, cu_result (*query)(const void *ud), const void *ud);
/* To be called before the driver waits for something on the device, which is entered. While a
 * communicator of the device has operations in the queue, it asks query(ud) until the result is not
 * CU_ERR_NOT_READY. Where a communicator fails, or its time limit passes, its operations are ended
 * and LCU_E_COMM is returned. */
static inline lcu_status lcu_comm_guard (lcu_device *d, cu_result (*query)(const void *ud),
                                         const void *ud) {
  if (lcu_likely(atomic_load_explicit(&lcu_comms_watched, memory_order_relaxed) == 0))
    return LCU_OK;
  return lcu_comm_guard_slow(d, query, ud);
}
/* The same for all work of the device: before calls that may wait for it, such as those that load
 * code, or allocate or free memory out of order. */
lcu_status lcu_comm_guard_device (lcu_device *d);
/* cuEventSynchronize, guarded. */
lcu_status lcu_comm_event_wait (lcu_device *d, cu_event e);

#endif
