/* lcu_stream.c: streams: their record, and the state of their work. */
#include "lcu_stream.h"

#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_partition.h"
#include "lcu_recent.h"
#include "lcu_scope.h"

static atomic_uint_fast64_t next_id = 1;

static void destroy_handles (lcu_stream *s) {
  lcu_scope scope;
  if (!lcu_device_enter_quiet(s->device, &scope)) return;
  if (s->order_event != NULL)
    lcu_device_defer(s->device, LCU_CALL(s->device->drv, cuEventDestroy, (s->order_event)));
  if (s->handle != NULL && !s->foreign)
    lcu_device_defer(s->device, LCU_CALL(s->device->drv, cuStreamDestroy, (s->handle)));
  lcu_device_leave(&scope);
}

static void enlist (lcu_stream *s) {
  lcu_device *d = s->device;
  pthread_mutex_lock(&d->lock);
  s->next_of_device = d->streams;
  if (d->streams != NULL) d->streams->prev_of_device = s;
  d->streams = s;
  pthread_mutex_unlock(&d->lock);
}

static void delist (lcu_stream *s) {
  lcu_device *d = s->device;
  pthread_mutex_lock(&d->lock);
  if (s->prev_of_device != NULL) s->prev_of_device->next_of_device = s->next_of_device;
  else d->streams = s->next_of_device;
  if (s->next_of_device != NULL) s->next_of_device->prev_of_device = s->prev_of_device;
  pthread_mutex_unlock(&d->lock);
}

void lcu_stream_leave_device (lcu_stream *s) {
  delist(s);
  s->gone = s->orphan = true;
  s->order_event = NULL;
  lcu_unref(s->device);
}

/* The driver finishes queued work after the handle is destroyed. */
static void stream_destroy (lcu_object *o) {
  lcu_stream *s = (lcu_stream *)(void *)o;
  if (!lcu_process_forked() && !s->gone) {
    destroy_handles(s);
    lcu_recent_detach(s);
  }
  lcu_free(s->waited);
  lcu_unref(s->partition);
  if (!s->orphan) {
    if (!lcu_process_forked()) delist(s);
    lcu_unref(s->device);
  }
  lcu_free(s);
}

lcu_stream *lcu_stream_new (lcu_device *d) {
  lcu_stream *s = lcu_calloc(1, sizeof *s);
  if (s == NULL) {
    lcu_no_memory("a stream");
    return NULL;
  }
  s->device = lcu_ref(d);
  s->id = atomic_fetch_add(&next_id, 1);
  lcu_object_init(&s->base, LCU_OBJ_STREAM, stream_destroy);
  enlist(s);
  return s;
}

lcu_status lcu_stream_create_null (lcu_device *d, lcu_stream **out) {
  *out = lcu_stream_new(d);
  if (*out == NULL) return LCU_E_NOMEM;
  (*out)->is_null = (*out)->blocking = true;
  return LCU_OK;
}


/* ---- the state of its work ---- */

void lcu_stream_completed (lcu_stream *s, uint64_t seq) {
  uint_fast64_t now = atomic_load(&s->completed);
  while (now < seq && !atomic_compare_exchange_weak(&s->completed, &now, seq)) continue;
}

/* The null stream cannot be asked while another one is captured: that is one of the results about
 * capture. */
lcu_status lcu_stream_is_captured (const lcu_stream *s, bool *captured) {
  enum { FIRST_OF_CAPTURE = 900, LAST_OF_CAPTURE = 910 };
  const lcu_driver *drv = s->device->drv;
  int status = CU_CAPTURE_NONE;
  *captured = false;
  if (drv->cuStreamIsCapturing == NULL || lcu_stream_is_retired(s)) return LCU_OK;
  lcu_status st = LCU_CALL(drv, cuStreamIsCapturing, (s->handle, &status));
  bool about_capture = st >= FIRST_OF_CAPTURE && st <= LAST_OF_CAPTURE;
  *captured = about_capture || status != CU_CAPTURE_NONE;
  return about_capture ? LCU_OK : st;
}

cu_result lcu_stream_query_driver (const lcu_stream *s) {
  const lcu_driver *drv = s->device->drv;
  return lcu_stream_is_retired(s) ? drv->cuEventQuery(s->order_event)
                                  : drv->cuStreamQuery(s->handle);
}

static lcu_status synchronize_handle (const lcu_stream *s) {
  const lcu_driver *drv = s->device->drv;
  return lcu_stream_is_retired(s) ? LCU_CALL(drv, cuEventSynchronize, (s->order_event))
                                  : LCU_CALL(drv, cuStreamSynchronize, (s->handle));
}

static cu_result query_stream (const void *ud) { return lcu_stream_query_driver(ud); }

lcu_status lcu_stream_guard (lcu_stream *s) { return lcu_comm_guard(s->device, query_stream, s); }

lcu_status lcu_stream_sync_entered (lcu_stream *s) {
  uint64_t seq = atomic_load(&s->submitted);
  lcu_status st = lcu_stream_guard(s);
  if (st == LCU_OK) st = synchronize_handle(s);
  st = lcu_device_status(s->device, st);
  if (st == LCU_OK) lcu_stream_completed(s, seq);
  return st;
}
