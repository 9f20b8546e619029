/* lcu_event.c: events. */
#include "lcu_event.h"

#include "lcu_capture.h"
#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_block.h"
#include "lcu_stream.h"
#include "lcu_scope.h"
#include "lcu_timeline.h"

static void event_destroy (lcu_object *o) {
  lcu_event *e = (lcu_event *)(void *)o;
  lcu_scope scope;
  if (e->handle != NULL && lcu_device_enter_quiet(e->device, &scope)) {
    lcu_event_poll_destroy_stream(e);
    lcu_device_defer(e->device, LCU_CALL(e->device->drv, cuEventDestroy, (e->handle)));
    lcu_device_leave(&scope);
  }
  lcu_event_poll_close(e);
  lcu_unref(e->stream);
  lcu_unref(e->device);
  lcu_free(e);
}

static unsigned event_flags (const lcu_event *e) {
  return (e->timing ? 0u : CU_EVENT_DISABLE_TIMING_) |
         (e->blocking ? CU_EVENT_BLOCKING_SYNC_ : 0u) |
         (e->interprocess ? CU_EVENT_INTERPROCESS_ : 0u);
}

/* `h`: the event of another process, or NULL. */
static lcu_status create_handle (lcu_event *e, const cu_ipc_event *h) {
  const lcu_driver *drv = e->device->drv;
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(e->device, &scope));
  lcu_status st = h != NULL ? LCU_CALL(drv, cuIpcOpenEventHandle, (&e->handle, *h))
                            : LCU_CALL(drv, cuEventCreate, (&e->handle, event_flags(e)));
  lcu_device_leave(&scope);
  return lcu_device_status(e->device, st);
}

static lcu_event *new_event (lcu_device *d, bool timing, bool blocking, bool interprocess) {
  lcu_event *e = lcu_calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  e->device = lcu_ref(d);
  e->timing = timing;
  e->blocking = blocking;
  e->interprocess = interprocess;
  lcu_object_init(&e->base, LCU_OBJ_EVENT, event_destroy);
  return e;
}

static lcu_status finish (lcu_event *e, const cu_ipc_event *h, lcu_event **out) {
  if (e == NULL) return lcu_no_memory("an event");
  lcu_status st = create_handle(e, h);
  if (st == LCU_OK) *out = e;
  else lcu_unref(e);
  return st;
}

lcu_status lcu_event_create (lcu_device *d, bool timing, bool blocking, bool interprocess,
                             lcu_event **out) {
  *out = NULL;
  if (timing && interprocess)
    return lcu_fail(LCU_E_ARGUMENT,
                    "an interprocess event cannot measure time: use timing = false");
  LCU_TRY(lcu_device_open(d));
  return finish(new_event(d, timing, blocking, interprocess), NULL, out);
}

lcu_status lcu_event_open (lcu_device *d, const cu_ipc_event *h, lcu_event **out) {
  *out = NULL;
  LCU_TRY(lcu_device_open(d));
  lcu_event *e = new_event(d, false, false, true);
  if (e != NULL) e->opened = true;
  return finish(e, h, out);
}

lcu_status lcu_event_ipc_handle (lcu_event *e, cu_ipc_event *out) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(e->device, &scope));
  lcu_status st = LCU_CALL(e->device->drv, cuIpcGetEventHandle, (out, e->handle));
  lcu_device_leave(&scope);
  return lcu_device_status(e->device, st);
}

void lcu_event_noted (lcu_event *e, lcu_stream *s, uint64_t seq) {
  lcu_stream *before = e->stream;
  if (before != s) {
    e->stream = lcu_ref(s);
    lcu_unref(before);
  }
  e->seq = seq;
  e->recorded = true;
}

/* A graph is launched many times, by one process. */
static lcu_status check_captured (const lcu_event *e, const lcu_stream *s) {
  if (!e->interprocess || s->capture == NULL) return LCU_OK;
  return lcu_fail(LCU_E_STATE, "an event of several processes cannot be part of a graph: record it "
                               "and wait for it outside");
}

static lcu_status record_entered (lcu_event *e, lcu_stream *s) {
  /* read first: work that another thread queues meanwhile must not count as recorded */
  uint64_t seq = atomic_load(&s->submitted);
  LCU_TRY(LCU_CALL(e->device->drv, cuEventRecord, (e->handle, s->handle)));
  lcu_event_noted(e, s, seq);
  return e->poll != NULL ? lcu_event_poll_arm(e) : LCU_OK;
}

lcu_status lcu_event_record (lcu_event *e, lcu_stream *s) {
  lcu_scope scope;
  if (e->device != s->device)
    return lcu_fail(LCU_E_ARGUMENT, "the event belongs to %s, the stream to %s", e->device->label,
                    s->device->label);
  LCU_TRY(check_captured(e, s));
  LCU_TRY(lcu_device_enter(e->device, &scope));
  lcu_status st = s->capture != NULL ? lcu_capture_record(s, e) : record_entered(e, s);
  lcu_device_leave(&scope);
  return lcu_device_status(e->device, st);
}

/* The record of another process says nothing about our stream. */
static void learn (lcu_event *e) {
  if (e->interprocess) return;
  lcu_stream_completed(e->stream, e->seq);
  lcu_limbo_poll(e->stream->device);
}

/* Another process may have recorded an event of several processes. */
static bool may_be_recorded (const lcu_event *e) { return e->recorded || e->interprocess; }

static cu_result query_driver (const void *ud) {
  const lcu_event *e = ud;
  return e->device->drv->cuEventQuery(e->handle);
}

lcu_status lcu_event_synchronize (lcu_event *e) {
  lcu_scope scope;
  if (!may_be_recorded(e)) return lcu_process_check();
  LCU_TRY(lcu_device_enter(e->device, &scope));
  lcu_host_span wait = lcu_timeline_wait("wait for event");
  lcu_status st = lcu_comm_guard(e->device, query_driver, e);
  if (st == LCU_OK) st = LCU_CALL(e->device->drv, cuEventSynchronize, (e->handle));
  st = lcu_device_status(e->device, st);
  lcu_timeline_waited(wait);
  lcu_device_leave(&scope);
  if (st == LCU_OK) learn(e);
  return st;
}

lcu_status lcu_event_query (lcu_event *e, bool *done) {
  lcu_scope scope;
  *done = true;
  if (!may_be_recorded(e)) return lcu_process_check();
  lcu_status st = lcu_device_enter_probe(e->device, &scope);
  if (st != LCU_OK) return st == LCU_E_DEAD ? LCU_OK : st; /* no work runs on a dead device */
  cu_result r = e->device->drv->cuEventQuery(e->handle);
  st = lcu_device_query_status(e->device, "cuEventQuery", r, done);
  lcu_device_leave(&scope);
  if (r == 0) learn(e);
  return st;
}

static lcu_status check_timed (const lcu_event *e, const char *which) {
  if (!e->timing)
    return lcu_fail(LCU_E_STATE, "elapsed_ms: the %s event was made with timing = false", which);
  if (!e->recorded)
    return lcu_fail(LCU_E_STATE, "elapsed_ms: the %s event was never recorded", which);
  return LCU_OK;
}

lcu_status lcu_event_elapsed (lcu_event *start, lcu_event *stop, float *ms) {
  lcu_scope scope;
  if (start->device != stop->device)
    return lcu_fail(LCU_E_ARGUMENT, "elapsed_ms: the events belong to %s and %s",
                    start->device->label, stop->device->label);
  LCU_TRY(check_timed(start, "start"));
  LCU_TRY(check_timed(stop, "stop"));
  LCU_TRY(lcu_event_synchronize(start));
  LCU_TRY(lcu_event_synchronize(stop));
  LCU_TRY(lcu_device_enter(stop->device, &scope));
  lcu_status st =
    LCU_CALL(stop->device->drv, cuEventElapsedTime, (ms, start->handle, stop->handle));
  lcu_device_leave(&scope);
  return lcu_device_status(stop->device, st);
}

static lcu_status order_entered (lcu_stream *s, lcu_event *e) {
  if (s->capture != NULL) return lcu_device_status(s->device, lcu_capture_wait(s, e));
  lcu_status st = LCU_CALL(s->device->drv, cuStreamWaitEvent, (s->handle, e->handle, 0));
  if (st == LCU_OK && !e->interprocess) lcu_order_remember(s, e->stream->id, e->seq);
  return lcu_device_status(s->device, st);
}

lcu_status lcu_stream_wait_event (lcu_stream *s, lcu_event *e) {
  lcu_scope scope;
  if (lcu_unlikely(atomic_load(&e->device->closed))) return lcu_device_fail_dead(e->device);
  bool nothing = !may_be_recorded(e) || (e->stream == s && !e->interprocess);
  if (s->capture == NULL && nothing) return lcu_process_check();
  LCU_TRY(check_captured(e, s));
  if (e->device->drv != s->device->drv) return lcu_event_synchronize(e);
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = order_entered(s, e);
  lcu_device_leave(&scope);
  return st;
}
