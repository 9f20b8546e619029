/* lcu_context.c: contexts besides the primary one: creation and end. */
#include "lcu_context.h"

#include <stdio.h>

#include "lcu_block.h"
#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_growth.h"
#include "lcu_peers.h"
#include "lcu_pool.h"
#include "lcu_recent.h"
#include "lcu_device.h"
#include "lcu_scope.h"
#include "lcu_state_hooks.h"
#include "lcu_stream.h"
#include "lcu_timeline.h"


/* ---- records of closed contexts ---- */

/* Functions that run other Lua code may have found a context that this code closes. So the records
 * of the contexts closed last, and of their null streams, are kept for a while. */
enum { KEPT = 16 };
static struct {
  pthread_mutex_t lock;
  lcu_device *kept[KEPT];
  unsigned next;
} closed = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Exchanges the oldest record kept for another one, or for none. */
static void keep_closed (lcu_device *c) {
  pthread_mutex_lock(&closed.lock);
  lcu_device *oldest = closed.kept[closed.next % KEPT];
  closed.kept[closed.next++ % KEPT] = c;
  pthread_mutex_unlock(&closed.lock);
  if (oldest == NULL) return;
  lcu_stream *null_stream = oldest->null_stream;
  oldest->null_stream = NULL;
  lcu_unref(null_stream);
  lcu_unref(oldest);
}

long lcu_context_kept (void) {
  long n = 0;
  pthread_mutex_lock(&closed.lock);
  for (int i = 0; i < KEPT; i++) n += closed.kept[i] != NULL;
  pthread_mutex_unlock(&closed.lock);
  return n;
}

static void drop_closed (void) {
  for (int i = 0; i < KEPT; i++) keep_closed(NULL);
}


/* ---- creation ---- */

static lcu_status fill (lcu_device *c) {
  LCU_TRY(lcu_pool_create(c, &c->pool));
  lcu_status st = lcu_stream_create_null(c, &c->null_stream);
  if (st == LCU_OK) return LCU_OK;
  lcu_pool_destroy(c, c->pool);
  c->pool = NULL;
  return st;
}

/* cuCtxCreate makes the new context current; it is popped, or destroyed after a failure. */
static lcu_status make (lcu_device *c, unsigned flags) {
  cu_context popped;
  LCU_TRY(LCU_CALL(c->drv, cuCtxCreate, (&c->context, flags, c->handle)));
  lcu_status st = fill(c);
  if (st != LCU_OK) {
    (void)c->drv->cuCtxDestroy(c->context);
    c->context = NULL;
    return st;
  }
  cu_result r = c->drv->cuCtxPopCurrent(&popped);
  if (r != 0) lcu_device_leave_failed(c->parent, r);
  return LCU_OK;
}

/* Garbage may hold places of contexts. */
static lcu_status take_place (lcu_device *c) {
  if (lcu_process_add_context(c)) return LCU_OK;
  lcu_state_hooks_reclaim();
  lcu_context_sweep();
  drop_closed();
  if (lcu_process_add_context(c)) return LCU_OK;
  return lcu_fail(LCU_E_STATE,
                  "%s cannot have another context: there are %d devices and contexts that are open "
                  "or whose objects are still referenced; close contexts and drop their objects",
                  c->parent->label, LCU_MAX_DEVICES);
}

lcu_status lcu_context_create (lcu_device *d, unsigned flags, lcu_device **out) {
  lcu_device *c;
  *out = NULL;
  d = lcu_device_root(d);
  LCU_TRY(lcu_device_open(d));
  lcu_context_sweep();
  LCU_TRY(lcu_device_create_like(d, &c));
  c->parent = lcu_ref(d);
  snprintf(c->label, sizeof c->label, "%.8s.%u", d->label, atomic_fetch_add(&d->contexts, 1) + 1);
  lcu_status st = take_place(c);
  if (st == LCU_OK) st = lcu_device_status(d, make(c, flags));
  if (st != LCU_OK) {
    lcu_unref(c);
    return st;
  }
  /* one for the process, until the context is closed; one for the caller */
  *out = lcu_ref(c);
  atomic_store(&c->opened, true);
  return LCU_OK;
}


/* ---- the end of its memory ---- */

/* Takes the memory of a live block of the context: the block stays, and each use of it fails. */
static bool take_block (lcu_device *c, lcu_block *taken, lcu_point points[LCU_MARKS], int *n) {
  pthread_mutex_lock(&c->lock);
  lcu_block *b = c->heap.blocks;
  while (b != NULL && b->ended) b = b->next;
  if (b != NULL) {
    *n = 0;
    for (int i = 0; i < b->num_marks; i++)
      points[(*n)++] = (lcu_point){ lcu_ref(b->marks[i].stream), b->marks[i].used };
    *taken = *b;
    b->ended = true;
    b->pooled = false;
    b->host = NULL;
    b->growth = NULL;
    atomic_store(&b->sole, NULL);
  }
  pthread_mutex_unlock(&c->lock);
  return b != NULL;
}

/* Streams of other devices may still use the memory. */
static void wait_points (const lcu_point *points, int n) {
  lcu_scope scope;
  for (int i = 0; i < n; i++) {
    lcu_stream *s = points[i].stream;
    if (lcu_point_reached(&points[i]) || !lcu_device_enter_quiet(s->device, &scope)) continue;
    lcu_device_defer(s->device, lcu_stream_sync_entered(s));
    lcu_device_leave(&scope);
  }
}

static void end_blocks (lcu_device *c) {
  lcu_point points[LCU_MARKS];
  lcu_block b;
  lcu_scope scope;
  int n;
  while (take_block(c, &b, points, &n)) {
    wait_points(points, n);
    if (b.pooled && b.address != 0 && lcu_device_enter_quiet(c, &scope)) {
      lcu_pool_free(c, b.address, b.size, c->null_stream, b.ordered);
      lcu_device_leave(&scope);
    }
    lcu_growth_free(&b);
    lcu_points_drop(points, n);
  }
}


/* ---- the end ---- */

/* Nothing asks the driver about a stream of a closed context: all its work counts as complete. */
static void end_streams (lcu_device *c) {
  pthread_mutex_lock(&c->lock);
  for (lcu_stream *s = c->streams; s != NULL; s = s->next_of_device) {
    atomic_store(&s->completed, UINT64_MAX);
    s->gone = true;
    s->order_event = NULL;
  }
  pthread_mutex_unlock(&c->lock);
  lcu_recent_clear(c);
}

static void wait_all (lcu_device *c) {
  lcu_scope scope;
  if (!lcu_device_enter_quiet(c, &scope)) return;
  lcu_device_defer(c, lcu_device_status(c, lcu_comm_guard_device(c)));
  lcu_device_defer(c, lcu_device_status(c, LCU_CALL(c->drv, cuCtxSynchronize, ())));
  lcu_device_leave(&scope);
}

static void end_contents (lcu_device *c) {
  lcu_scope scope;
  wait_all(c);
  lcu_timeline_leave_context(c);
  lcu_limbo_drain(c);
  lcu_device_end_parts(c);
  end_blocks(c);
  end_streams(c);
  if (!lcu_device_enter_quiet(c, &scope)) {
    lcu_pool_forget(c->pool);
    return;
  }
  lcu_pool_destroy(c, c->pool);
  lcu_device_leave(&scope);
}

static void set_closed (lcu_device *c) {
  pthread_mutex_lock(&c->lock);
  c->pool = NULL;
  atomic_store(&c->closed, true);
  atomic_store(&c->dead, true);
  atomic_store(&c->opened, false);
  pthread_mutex_unlock(&c->lock);
}

static lcu_status fail_recording (const lcu_device *c) {
  lcu_fail(LCU_E_STATE, "%s cannot be closed: its work is being recorded in a graph", c->label);
  return lcu_fail_device(LCU_E_STATE, c->label);
}

static void end_context (lcu_device *c) {
  end_contents(c);
  bool lost = atomic_load(&c->dead);
  set_closed(c);
  lcu_pending_move(c, c->parent);
  lcu_peers_forget(c);
  if (!lost) lcu_device_defer(c->parent, LCU_CALL(c->drv, cuCtxDestroy, (c->context)));
  c->context = NULL;
}

lcu_status lcu_context_close (lcu_device *c) {
  if (lcu_process_forked()) return lcu_process_check();
  if (!lcu_recording_forbid(c)) return fail_recording(c);
  bool ends = !atomic_exchange(&c->closing, true);
  if (ends) end_context(c);
  lcu_recording_allow(c);
  if (ends) keep_closed(c);
  return LCU_OK;
}

void lcu_context_vacate (lcu_device *c) {
  if (lcu_process_states() == 1) lcu_process_remove_context(c);
}

static bool is_unused (lcu_device *c) {
  return atomic_load(&c->boxes) == 0 && lcu_device_outside_references(c) == 0;
}

static bool is_any (lcu_device *c) {
  (void)c;
  return true;
}

/* An open context stays while it is being looked for: only its close drops the last references. */
static void close_where (bool (*wanted)(lcu_device *c)) {
  for (size_t i = 0; i < LCU_MAX_DEVICES; i++) {
    lcu_device *c = lcu_process_context(i, wanted);
    if (c != NULL) (void)lcu_context_close(c);
  }
}

void lcu_context_sweep (void) { close_where(is_unused); }

void lcu_context_close_all (void) {
  close_where(is_any);
  drop_closed();
}

void lcu_context_leave (lcu_device *c) {
  lcu_process_remove_context(c);
  lcu_unref(c->parent);
  c->parent = NULL;
}
