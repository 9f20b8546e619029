/* lcu_wait.c: waits and queries, and the release of blocks after them. */
#include "lcu_wait.h"

#include <string.h>

#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_block.h"
#include "lcu_pool.h"
#include "lcu_device.h"
#include "lcu_recent.h"
#include "lcu_scope.h"
#include "lcu_state_hooks.h"
#include "lcu_timeline.h"


/* ---- streams ---- */

/* Calls the driver even where nothing is counted: the host program may have queued work by the raw
 * handle. */
lcu_status lcu_stream_synchronize (lcu_stream *s) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_host_span wait = lcu_timeline_wait("wait for stream");
  lcu_status st = lcu_stream_sync_entered(s);
  lcu_timeline_waited(wait);
  lcu_device_leave(&scope);
  /* only then: its driver calls must not overwrite the record of a failure */
  if (st == LCU_OK) lcu_limbo_poll(s->device);
  return st;
}

static lcu_status query_entered (lcu_stream *s, bool *done) {
  uint64_t seq = atomic_load(&s->submitted);
  cu_result r = lcu_stream_query_driver(s);
  if (r == 0) lcu_stream_completed(s, seq);
  return lcu_device_query_status(s->device, "cuStreamQuery", r, done);
}

lcu_status lcu_stream_query (lcu_stream *s, bool *done) {
  lcu_scope scope;
  lcu_status st = lcu_device_enter_probe(s->device, &scope);
  *done = st == LCU_E_DEAD; /* no work runs on a dead device */
  if (st != LCU_OK) return *done ? LCU_OK : st;
  st = query_entered(s, done);
  lcu_device_leave(&scope);
  if (*done) lcu_limbo_poll(s->device);
  return st;
}


/* ---- devices ---- */

/* It would break the capture, and fail itself. */
static lcu_status fail_recording (lcu_device *d) {
  lcu_fail(
    LCU_E_STATE,
    "work for %s is being recorded in a graph, which waiting for the whole device would break",
    d->label);
  return lcu_fail_device(LCU_E_STATE, d->label);
}

static lcu_status sync_whole (lcu_device *d) {
  if (!lcu_recording_forbid(d)) return fail_recording(d);
  lcu_status st = lcu_comm_guard_device(d);
  if (st == LCU_OK) st = LCU_CALL(d->drv, cuCtxSynchronize, ());
  lcu_recording_allow(d);
  return lcu_device_status(d, st);
}

static lcu_status sync_entered (lcu_device *d) {
  uint64_t null_seq = d->null_stream != NULL ? atomic_load(&d->null_stream->submitted) : 0;
  LCU_TRY(sync_whole(d));
  if (d->null_stream != NULL) lcu_stream_completed(d->null_stream, null_seq);
  lcu_recent_forget(d);
  return LCU_OK;
}

lcu_status lcu_device_synchronize (lcu_device *d) {
  lcu_scope scope;
  if (!atomic_load(&d->opened)) return lcu_process_check(); /* nothing has been queued yet */
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_host_span wait = lcu_timeline_wait("wait for device");
  lcu_status st = sync_entered(d);
  lcu_timeline_waited(wait);
  lcu_device_leave(&scope);
  if (st == LCU_OK) lcu_limbo_poll(d);
  return st;
}

void lcu_device_synchronize_quiet (lcu_device *d) {
  lcu_scope scope;
  if (!lcu_device_enter_quiet(d, &scope)) return;
  (void)sync_entered(d);
  lcu_device_leave(&scope);
  lcu_limbo_poll(d);
}


lcu_status lcu_device_make_room (lcu_device *d, bool wait) {
  lcu_state_hooks_reclaim();
  /* before the wait, so that kept memory is freed during it */
  LCU_TRY(lcu_pool_trim(d, 0));
  if (wait) LCU_TRY(lcu_device_synchronize(d));
  return lcu_pool_trim(d, 0);
}


/* ---- blocks ---- */

/* Some devices cannot use managed memory while the host does: there all work that may use it has to
 * end, which attaching it narrows to a stream or to none. */
static lcu_status wait_managed (const lcu_block *b) {
  if ((b->memory != LCU_MEM_MANAGED && !b->managed) || b->pinned_for == NULL ||
      b->pinned_for->limits.managed_concurrent)
    return LCU_OK;
  if (b->attach == CU_MEM_ATTACH_HOST_) return LCU_OK;
  if (b->attach == CU_MEM_ATTACH_SINGLE_ && !b->attached->gone)
    return lcu_stream_synchronize(b->attached);
  return lcu_device_synchronize(b->pinned_for);
}

uint8_t *lcu_block_marks (const lcu_block *b) {
  const lcu_driver *drv = b->device->drv;
  uint8_t *marks = NULL;
  if (drv->cuxMemMarks != NULL && b->memory == LCU_MEM_DEVICE && b->size != 0)
    (void)drv->cuxMemMarks(b->address, &marks);
  return marks;
}

/* Has all work of the device ended, and is every failure raised? */
static bool is_quiet (const lcu_device *d) {
  return d->drv->cuxIdle != NULL && !atomic_load_explicit(&d->has_pending, memory_order_acquire) &&
         d->drv->cuxIdle() == 0;
}

/* Work on a blocking stream follows that of the null stream. */
static lcu_status wait_turn (lcu_stream *s) {
  if (s->blocking && !s->is_null) LCU_TRY(lcu_stream_synchronize(s->device->null_stream));
  return lcu_stream_synchronize(s);
}

static lcu_status wait_points (lcu_block *b, bool write) {
  lcu_point points[LCU_MARKS];
  lcu_status st = LCU_OK;
  int n = lcu_block_open_points(b, write, points);
  for (int i = 0; i < n && st == LCU_OK; i++)
    if (!lcu_point_reached(&points[i])) st = lcu_stream_synchronize(points[i].stream);
  lcu_points_drop(points, n);
  return st;
}

/* The usual case takes no lock: no other stream uses the block, and the device is quiet. */
static lcu_status wait (lcu_block *b, lcu_stream *s, bool write) {
  LCU_TRY(lcu_process_check());
  LCU_TRY(lcu_block_allows(b, write));
  if (s != NULL && s->capture == NULL && lcu_block_in_place(b)) {
    bool quiet = is_quiet(b->device);
    if (lcu_likely(quiet && atomic_load_explicit(&b->sole, memory_order_acquire) == s))
      return LCU_OK;
    if (!quiet) LCU_TRY(wait_turn(s));
  }
  LCU_TRY(wait_points(b, write));
  return wait_managed(b);
}

lcu_status lcu_block_wait_part (lcu_block *b, lcu_stream *s, size_t offset, size_t size) {
  LCU_TRY(wait(b, s, true));
  uint8_t *marks = lcu_block_marks(b);
  if (marks != NULL) memset(marks + offset, 1, size);
  return LCU_OK;
}

lcu_status lcu_block_wait (lcu_block *b, lcu_stream *s, bool write) {
  return write ? lcu_block_wait_part(b, s, 0, b->size) : wait(b, s, false);
}
