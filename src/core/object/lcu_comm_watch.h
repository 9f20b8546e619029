/* lcu_comm_watch.h: waits that notice when a communicator of a GPU fails. An operation that waits
 * for a rank that is gone never ends by itself, and the driver would wait for it for ever. */
#ifndef LCU_COMM_WATCH_H
#define LCU_COMM_WATCH_H

#include <stdatomic.h>

#include "lcu_stream.h"

typedef struct lcu_comm lcu_comm;

void lcu_comm_watch (lcu_comm *c);
void lcu_comm_unwatch (lcu_comm *c);

extern atomic_int lcu_comms_watched;
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
/* The same for the work of a stream, and for all work of the device: before calls that may wait for
 * it, such as those that load code, or allocate or free memory out of order. */
lcu_status lcu_comm_guard_stream (lcu_stream *s);
lcu_status lcu_comm_guard_device (lcu_device *d);
/* cuEventSynchronize, guarded. */
lcu_status lcu_comm_event_wait (lcu_device *d, cu_event e);

#endif
