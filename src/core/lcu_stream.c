/* lcu_stream.c: streams: making, waiting, asking. */
#include "lcu_stream.h"

#include <unistd.h>

#include "lcu_internal.h"

static atomic_uint_fast64_t next_id = 1;


/* ---- making and ending ---- */

/* Failure reports keep naming kernels that may still run. */
static void detach_recent (lcu_stream *s) {
  lcu_device *d = s->device;
  pthread_mutex_lock(&d->lock);
  for (unsigned i = 0; i < LCU_RECENT; i++) {
    if (d->recent[i].stream != s) continue;
    if (atomic_load(&s->completed) >= d->recent[i].seq) d->recent[i].name[0] = '\0';
    d->recent[i].stream = NULL;
  }
  pthread_mutex_unlock(&d->lock);
}

static void destroy_handles (lcu_stream *s) {
  lcu_scope scope;
  if (!lcu_device_enter_quiet(s->device, &scope)) return;
  if (s->order_event != NULL)
    lcu_device_defer(s->device, LCU_CALL(s->device->drv, cuEventDestroy, (s->order_event)));
  if (s->handle != NULL && !s->foreign)
    lcu_device_defer(s->device, LCU_CALL(s->device->drv, cuStreamDestroy, (s->handle)));
  lcu_device_leave(&scope);
}

/* The driver lets queued work finish. */
static void stream_destroy (lcu_object *o) {
  lcu_stream *s = (lcu_stream *)(void *)o;
  if (!lcu_process_forked() && !s->gone) {
    destroy_handles(s);
    detach_recent(s);
  }
  lcu_order_forget(s);
  if (!s->gone) lcu_unref(s->device);
  lcu_free(s);
}

static lcu_stream *stream_new (lcu_device *d) {
  lcu_stream *s = lcu_calloc(1, sizeof *s);
  if (s == NULL) {
    lcu_no_memory("a stream");
    return NULL;
  }
  s->device = lcu_ref(d);
  s->id = atomic_fetch_add(&next_id, 1);
  lcu_object_init(&s->base, LCU_OBJ_STREAM, stream_destroy);
  return s;
}

lcu_status lcu_stream_create_null (lcu_device *d, lcu_stream **out) {
  *out = stream_new(d);
  if (*out == NULL) return LCU_E_NOMEM;
  (*out)->is_null = (*out)->blocking = true;
  return LCU_OK;
}

static lcu_status create_handle (lcu_stream *s) {
  unsigned flags = s->blocking ? CU_STREAM_DEFAULT_ : CU_STREAM_NON_BLOCKING_;
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st =
    LCU_CALL(s->device->drv, cuStreamCreateWithPriority, (&s->handle, flags, s->priority));
  /* clamped */
  if (st == LCU_OK) st = LCU_CALL(s->device->drv, cuStreamGetPriority, (s->handle, &s->priority));
  lcu_device_leave(&scope);
  return lcu_device_status(s->device, st);
}

lcu_status lcu_stream_create (lcu_device *d, int priority, bool blocking, lcu_stream **out) {
  *out = NULL;
  LCU_TRY(lcu_device_open(d));
  lcu_stream *s = stream_new(d);
  if (s == NULL) return LCU_E_NOMEM;
  s->priority = priority;
  s->blocking = blocking;
  lcu_status st = create_handle(s);
  if (st != LCU_OK) {
    lcu_unref(s);
    return st;
  }
  *out = s;
  return LCU_OK;
}

/* Can the word at an address be read? The kernel answers without a fault. */
static bool readable (const void *p) {
  int ends[2];
  if (pipe(ends) != 0) return true;
  bool ok = write(ends[1], p, sizeof(void *)) == (ssize_t)sizeof(void *);
  close(ends[0]);
  close(ends[1]);
  return ok;
}

/* Does the driver know the stream of somebody else? libcuda does not ask: it reads what the handle
 * points to, and ends the process where nothing is. (1 and 2 are its names for the two default
 * streams.) */
static lcu_status know_handle (lcu_stream *s) {
  lcu_scope scope;
  if ((uintptr_t)s->handle > 2 && !readable(s->handle))
    return lcu_fail(CU_ERR_INVALID_HANDLE, "%p is no stream: there is no memory at that address",
                    (void *)s->handle);
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = LCU_CALL(s->device->drv, cuStreamGetPriority, (s->handle, &s->priority));
  lcu_device_leave(&scope);
  return lcu_device_status(s->device, st);
}

lcu_status lcu_stream_wrap (lcu_device *d, cu_stream handle, lcu_stream **out) {
  *out = NULL;
  LCU_TRY(lcu_device_open(d));
  lcu_stream *s = stream_new(d);
  if (s == NULL) return LCU_E_NOMEM;
  s->handle = handle;
  s->foreign = true;
  lcu_status st = know_handle(s);
  if (st != LCU_OK) {
    lcu_unref(s);
    return st;
  }
  *out = s;
  return LCU_OK;
}


/* ---- waiting ---- */

void lcu_stream_completed (lcu_stream *s, uint64_t seq) {
  uint_fast64_t now = atomic_load(&s->completed);
  while (now < seq && !atomic_compare_exchange_weak(&s->completed, &now, seq)) continue;
}

cu_result lcu_stream_ask (const lcu_stream *s) {
  const lcu_driver *drv = s->device->drv;
  return lcu_stream_is_left(s) ? drv->cuEventQuery(s->order_event) : drv->cuStreamQuery(s->handle);
}

static lcu_status synchronize (const lcu_stream *s) {
  const lcu_driver *drv = s->device->drv;
  return lcu_stream_is_left(s) ? LCU_CALL(drv, cuEventSynchronize, (s->order_event))
                               : LCU_CALL(drv, cuStreamSynchronize, (s->handle));
}

lcu_status lcu_stream_sync_entered (lcu_stream *s) {
  uint64_t seq = atomic_load(&s->submitted);
  lcu_status st = lcu_device_status(s->device, synchronize(s));
  if (st == LCU_OK) lcu_stream_completed(s, seq);
  return st;
}

/* With nothing of ours queued there may still be work of others (raw handles), so the driver is
 * asked in any case. */
lcu_status lcu_stream_synchronize (lcu_stream *s) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = lcu_stream_sync_entered(s);
  lcu_device_leave(&scope);
  /* calls of its own must not take the place of a failure's words */
  if (st == LCU_OK) lcu_stream_poll(s);
  return st;
}

static lcu_status query_entered (lcu_stream *s, bool *done) {
  uint64_t seq = atomic_load(&s->submitted);
  cu_result r = lcu_stream_ask(s);
  if (r == 0) lcu_stream_completed(s, seq);
  return lcu_device_answer(s->device, "cuStreamQuery", r, done);
}

lcu_status lcu_stream_query (lcu_stream *s, bool *done) {
  lcu_scope scope;
  lcu_status st = lcu_device_enter_probe(s->device, &scope);
  *done = st == LCU_E_DEAD; /* nothing runs there any more */
  if (st != LCU_OK) return *done ? LCU_OK : st;
  st = query_entered(s, done);
  lcu_device_leave(&scope);
  if (*done) lcu_stream_poll(s);
  return st;
}

static lcu_status order_entered (lcu_stream *s, lcu_event *e) {
  lcu_status st = LCU_CALL(s->device->drv, cuStreamWaitEvent, (s->handle, e->handle, 0));
  if (st == LCU_OK) lcu_order_remember(s, e->stream->id, e->seq);
  return lcu_device_status(s->device, st);
}

lcu_status lcu_stream_wait_stream (lcu_stream *s, lcu_stream *other) {
  if (s == other) return lcu_process_check();
  return lcu_order_after(s, other);
}

lcu_status lcu_stream_wait_event (lcu_stream *s, lcu_event *e) {
  lcu_scope scope;
  if (!e->recorded || e->stream == s) return lcu_process_check();
  if (e->device->drv != s->device->drv) return lcu_event_synchronize(e);
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = order_entered(s, e);
  lcu_device_leave(&scope);
  return st;
}


void lcu_stream_poll (lcu_stream *s) {
  if (lcu_process_forked()) return;
  lcu_block_poll_limbo(s->device);
}
