/* lcu_block_use.c: which queued work uses a block, and whether it is complete. */
#include "lcu_block.h"

#include "lcu_device_failure.h"
#include "lcu_scope.h"
#include "lcu_stream.h"

int lcu_block_open_points (lcu_block *b, bool write, lcu_point out[LCU_MARKS]) {
  int n = 0;
  pthread_mutex_lock(&b->device->lock);
  for (int i = 0; i < b->num_marks; i++) {
    lcu_point p = { b->marks[i].stream, lcu_mark_before(&b->marks[i], write) };
    if (lcu_point_reached(&p)) continue;
    lcu_object_ref(&p.stream->base);
    out[n++] = p;
  }
  pthread_mutex_unlock(&b->device->lock);
  return n;
}

void lcu_points_drop (const lcu_point *points, int n) {
  for (int i = 0; i < n; i++) lcu_unref(points[i].stream);
}

/* Enters the device without reporting: a query must not take a pending failure away from the call
 * that should raise it. A failure of the query itself is kept for that call. */
static bool is_over (const lcu_point *p) {
  lcu_scope scope;
  lcu_stream *s = p->stream;
  lcu_device *d = s->device;
  if (lcu_point_reached(p)) return true;
  if (!lcu_device_enter_quiet(d, &scope)) return atomic_load(&d->dead);
  uint64_t seq = atomic_load(&s->submitted);
  cu_result r = lcu_stream_query_driver(s);
  if (r == 0) lcu_stream_completed(s, seq);
  else if (r != CU_ERR_NOT_READY)
    lcu_device_defer(d, lcu_device_status(d, lcu_driver_status(d->drv, "cuStreamQuery", r)));
  lcu_device_leave(&scope);
  return r == 0;
}

bool lcu_block_idle (lcu_block *b, bool write) {
  lcu_point points[LCU_MARKS];
  bool idle = true;
  int n = lcu_block_open_points(b, write, points);
  for (int i = 0; i < n && idle; i++) idle = is_over(&points[i]);
  lcu_points_drop(points, n);
  return idle;
}

static void settle_stream (lcu_stream *s) {
  lcu_scope scope;
  if (!lcu_device_enter_quiet(s->device, &scope)) return;
  (void)lcu_stream_sync_entered(s);
  lcu_device_leave(&scope);
}

/* Where the device is lost there is nothing to wait for. */
void lcu_block_wait_quiet (lcu_block *b) {
  lcu_point points[LCU_MARKS];
  int n = lcu_block_open_points(b, true, points);
  for (int i = 0; i < n; i++)
    if (!lcu_point_reached(&points[i])) settle_stream(points[i].stream);
  lcu_points_drop(points, n);
}
