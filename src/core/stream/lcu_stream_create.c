/* lcu_stream_create.c: creates streams, and wraps streams of the host program. */
#include <unistd.h>

#include "lcu_device_failure.h"
#include "lcu_partition.h"
#include "lcu_scope.h"
#include "lcu_stream.h"

static lcu_status ask_handle (lcu_stream *s) {
  const lcu_driver *drv = s->device->drv;
  unsigned flags = s->blocking ? CU_STREAM_DEFAULT_ : CU_STREAM_NON_BLOCKING_;
  if (s->partition != NULL)
    return LCU_CALL(drv, cuGreenCtxStreamCreate,
                    (&s->handle, s->partition->handle, flags, s->priority));
  return LCU_CALL(drv, cuStreamCreateWithPriority, (&s->handle, flags, s->priority));
}

static lcu_status create_stream_handle (lcu_stream *s) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = ask_handle(s);
  /* the driver clamps it */
  if (st == LCU_OK) st = LCU_CALL(s->device->drv, cuStreamGetPriority, (s->handle, &s->priority));
  lcu_device_leave(&scope);
  return lcu_device_status(s->device, st);
}

static lcu_status create (lcu_device *d, lcu_partition *p, int priority, bool blocking,
                          lcu_stream **out) {
  *out = NULL;
  LCU_TRY(lcu_device_open(d));
  lcu_stream *s = lcu_stream_new(d);
  if (s == NULL) return LCU_E_NOMEM;
  s->priority = priority;
  s->blocking = blocking;
  if (p != NULL) s->partition = lcu_ref(p);
  lcu_status st = create_stream_handle(s);
  if (st != LCU_OK) {
    lcu_unref(s);
    return st;
  }
  *out = s;
  return LCU_OK;
}

lcu_status lcu_stream_create (lcu_device *d, int priority, bool blocking, lcu_stream **out) {
  return create(d, NULL, priority, blocking, out);
}

lcu_status lcu_stream_create_in (lcu_partition *p, int priority, lcu_stream **out) {
  return create(p->device, p, priority, false, out);
}

/* Can the word at an address be read? write() reports an unmapped address without a fault. */
static bool readable (const void *p) {
  int ends[2];
  if (pipe(ends) != 0) return true;
  bool ok = write(ends[1], p, sizeof(void *)) == (ssize_t)sizeof(void *);
  close(ends[0]);
  close(ends[1]);
  return ok;
}

/* Checks a foreign handle. libcuda does not: it reads the memory the handle points to, and crashes
 * where none is mapped. (The handles 1 and 2 stand for the two default streams.) */
static lcu_status know_handle (lcu_stream *s) {
  lcu_scope scope;
  if ((uintptr_t)s->handle > 2 && !readable(s->handle))
    return lcu_fail(CU_ERR_INVALID_HANDLE, "%p is not a stream: that address is not mapped",
                    (void *)s->handle);
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = LCU_CALL(s->device->drv, cuStreamGetPriority, (s->handle, &s->priority));
  lcu_device_leave(&scope);
  return lcu_device_status(s->device, st);
}

lcu_status lcu_stream_wrap (lcu_device *d, cu_stream handle, lcu_stream **out) {
  *out = NULL;
  LCU_TRY(lcu_device_open(d));
  lcu_stream *s = lcu_stream_new(d);
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
