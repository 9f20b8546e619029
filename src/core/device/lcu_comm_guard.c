/* lcu_comm_guard.c: see lcu_comm_guard.h. */
#include "lcu_comm_guard.h"

atomic_int lcu_comms_watched;
static _Atomic(const lcu_comm_guards *) guards;

void lcu_comm_guards_count (const lcu_comm_guards *g) {
  if (g != NULL) atomic_store(&guards, g);
  atomic_fetch_add(&lcu_comms_watched, g != NULL ? 1 : -1);
}

lcu_status lcu_comm_guard_slow (lcu_device *d, cu_result (*query)(const void *ud), const void *ud) {
  return atomic_load(&guards)->wait(d, query, ud);
}

lcu_status lcu_comm_guard_device (lcu_device *d) {
  if (lcu_likely(atomic_load_explicit(&lcu_comms_watched, memory_order_relaxed) == 0))
    return LCU_OK;
  return lcu_comm_guard_slow(d, atomic_load(&guards)->busy, d);
}

typedef struct event_query {
  const lcu_driver *drv;
  cu_event event;
} event_query;

static cu_result query_event (const void *ud) {
  const event_query *q = ud;
  return q->drv->cuEventQuery(q->event);
}

lcu_status lcu_comm_event_wait (lcu_device *d, cu_event e) {
  const event_query q = { d->drv, e };
  LCU_TRY(lcu_comm_guard(d, query_event, &q));
  return LCU_CALL(d->drv, cuEventSynchronize, (e));
}
