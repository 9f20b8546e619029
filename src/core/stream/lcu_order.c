/* lcu_order.c: makes one stream wait for another.
 *
 * The earlier stream records its order event, and the later stream waits for that event. The later
 * stream remembers the count of the earlier one, so that it need not wait for the same work again.
 *
 * A stream of the host program may end at any time after its owner is done with it. Retiring it
 * records the order event for the last time: from then on the event stands for the work, and the
 * handle is not used any more (lcu_stream_is_retired), unless the program uses the stream again.
 * Memory whose home is a retired stream is freed on the null stream. */
#include "lcu_stream.h"

#include "lcu_device_failure.h"
#include "lcu_scope.h"

/* ---- the counts of other streams that a stream has waited for ---- */

enum { WAITED_MAX = 16 };
struct lcu_waited {
  struct {
    uint64_t id, seq;
  } row[WAITED_MAX];
  unsigned next;
};

static bool waited_for (const lcu_stream *s, uint64_t id, uint64_t seq) {
  const struct lcu_waited *w = s->waited;
  for (unsigned i = 0; w != NULL && i < WAITED_MAX; i++)
    if (w->row[i].id == id) return w->row[i].seq >= seq;
  return false;
}

/* A lost row only costs one more wait, so a small ring is enough, and running out of memory here is
 * harmless. */
static void remember_locked (lcu_stream *s, uint64_t id, uint64_t seq) {
  if (s->waited == NULL) s->waited = lcu_calloc(1, sizeof *s->waited);
  struct lcu_waited *w = s->waited;
  if (w == NULL) return;
  unsigned i = 0;
  while (i < WAITED_MAX && w->row[i].id != id) i++;
  if (i == WAITED_MAX) {
    i = w->next++ % WAITED_MAX;
    w->row[i].id = id;
    w->row[i].seq = 0;
  }
  if (w->row[i].seq < seq) w->row[i].seq = seq;
}

void lcu_order_remember (lcu_stream *s, uint64_t id, uint64_t seq) {
  pthread_mutex_lock(&s->device->lock);
  remember_locked(s, id, seq);
  pthread_mutex_unlock(&s->device->lock);
}


/* ---- one stream after another ---- */

/* Gets the event of the earlier stream, created at the first use. Its device is entered. */
static lcu_status order_event (lcu_stream *s, cu_event *out) {
  cu_event fresh = NULL;
  pthread_mutex_lock(&s->device->lock);
  *out = s->order_event;
  pthread_mutex_unlock(&s->device->lock);
  if (*out != NULL) return LCU_OK;
  LCU_TRY(lcu_device_status(
    s->device, LCU_CALL(s->device->drv, cuEventCreate, (&fresh, CU_EVENT_DISABLE_TIMING_))));
  pthread_mutex_lock(&s->device->lock);
  cu_event extra = s->order_event != NULL ? fresh : NULL; /* another thread created one meanwhile */
  if (extra == NULL) s->order_event = fresh;
  *out = s->order_event;
  pthread_mutex_unlock(&s->device->lock);
  if (extra != NULL) lcu_device_defer(s->device, LCU_CALL(s->device->drv, cuEventDestroy, (extra)));
  return LCU_OK;
}

static lcu_status record_earlier (lcu_stream *other, cu_event *e, uint64_t *seq) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(other->device, &scope));
  lcu_status st = order_event(other, e);
  *seq = atomic_load(&other->submitted);
  if (st == LCU_OK && !lcu_stream_is_retired(other))
    st = lcu_device_status(other->device,
                           LCU_CALL(other->device->drv, cuEventRecord, (*e, other->handle)));
  lcu_device_leave(&scope);
  return st;
}

static lcu_status wait_later (lcu_stream *s, cu_event e) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st =
    lcu_device_status(s->device, LCU_CALL(s->device->drv, cuStreamWaitEvent, (s->handle, e, 0)));
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_order_retire (lcu_stream *s) {
  cu_event e;
  uint64_t seq;
  /* all threads share the null stream, so its fields are not written here */
  if (!s->foreign) return LCU_OK;
  s->retired = true;
  if (lcu_stream_reached(s, atomic_load(&s->submitted))) return LCU_OK;
  lcu_status st = record_earlier(s, &e, &seq);
  lcu_device_defer(s->device, st);
  if (st != LCU_OK) return lcu_stream_sync_entered(s);
  s->retired_at = seq;
  return LCU_OK;
}

/* A wait uses the event as last recorded, so the event may be recorded again immediately. Where two
 * threads do this for the same earlier stream, one of them may wait for slightly more than
 * necessary. */
static lcu_status enter_and_synchronize (lcu_stream *s) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = lcu_stream_sync_entered(s);
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_order_after (lcu_stream *s, lcu_stream *other) {
  cu_event e;
  uint64_t seq;
  if (s == other) return lcu_process_check();
  if (s->device->drv != other->device->drv) return enter_and_synchronize(other);
  LCU_TRY(record_earlier(other, &e, &seq));
  LCU_TRY(wait_later(s, e));
  lcu_order_remember(s, other->id, seq);
  return LCU_OK;
}

lcu_status lcu_order_after_count (lcu_stream *s, lcu_stream *other, uint64_t seq) {
  pthread_mutex_lock(&s->device->lock);
  bool known = waited_for(s, other->id, seq);
  pthread_mutex_unlock(&s->device->lock);
  return known ? LCU_OK : lcu_order_after(s, other);
}
