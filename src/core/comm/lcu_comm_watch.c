/* lcu_comm_watch.c: the communicators of GPUs that waits look at. */

#include <sched.h>
#include <time.h>

#include "lcu_comm_guard.h"
#include "lcu_comm_own.h"
#include "lcu_state_hooks.h"
#include "lcu_thread.h"

static struct {
  pthread_mutex_t lock;
  lcu_comm *first;
} watched = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The next communicator after `c` (NULL: the first) that has operations in the queue, with a
 * reference. `c` loses its own. */
static lcu_comm *next_busy (const lcu_device *d, lcu_comm *c) {
  pthread_mutex_lock(&watched.lock);
  lcu_comm *x = c != NULL ? c->next : watched.first;
  while (x != NULL && (x->device != d || atomic_load(&x->failed) || !lcu_comm_is_busy(x) ||
                       !lcu_object_try_ref(&x->base)))
    x = x->next;
  pthread_mutex_unlock(&watched.lock);
  lcu_unref(c);
  return x;
}

/* How long its operations may have run. `since`: the beginning of the wait. */
static double run_ms (lcu_comm *c, double since) {
  pthread_mutex_lock(&c->device->lock);
  if (c->is_behind && c->device->drv->cuEventQuery(c->begin) != CU_ERR_NOT_READY) {
    c->is_behind = false;
    c->begun_ms = lcu_now_ms();
  }
  double from = c->begun_ms > since ? c->begun_ms : since;
  double ms = c->is_behind ? 0 : lcu_now_ms() - from;
  pthread_mutex_unlock(&c->device->lock);
  return ms;
}

static lcu_status ask (const lcu_comm *c, nccl_comm comm) {
  nccl_result r = 0;
  if (comm == NULL) return LCU_OK;
  LCU_TRY(lcu_nccl_status("ncclCommGetAsyncError", c->lib->ncclCommGetAsyncError(comm, &r)));
  return r != NCCL_IN_PROGRESS ? lcu_nccl_status("an operation of NCCL", r) : LCU_OK;
}

static lcu_status look (lcu_comm *c, double since) {
  lcu_status st = ask(c, c->nccl);
  if (st == LCU_OK) st = ask(c, c->direct);
  if (st == LCU_OK && c->timeout_ms > 0 && run_ms(c, since) > c->timeout_ms)
    st = lcu_fail(LCU_E_COMM,
                  "an operation of a communicator is not done after %.0f ms: a rank has not called "
                  "it, has ended, or called something else (option timeout_ms)",
                  c->timeout_ms);
  return st == LCU_OK ? LCU_OK : lcu_comm_abort(c, st);
}

static lcu_status interrupt (lcu_comm *c, double since) {
  (void)since;
  return lcu_comm_abort(c, lcu_comm_interrupted("an operation of a communicator"));
}

/* Looks at every communicator, and aborts those that failed, so that all streams go on; *busy:
 * there was one to look at. */
static lcu_status for_all (lcu_device *d, lcu_status (*fn)(lcu_comm *c, double since), double since,
                           bool *busy) {
  lcu_failure kept;
  lcu_status result = LCU_OK;
  *busy = false;
  for (lcu_comm *c = next_busy(d, NULL); c != NULL; c = next_busy(d, c)) {
    lcu_status st = fn(c, since);
    *busy = true;
    if (st == LCU_OK || result != LCU_OK) continue;
    result = st;
    kept = *lcu_failure_get();
  }
  return result == LCU_OK ? LCU_OK : lcu_fail_again(&kept);
}

/* Operations of NCCL take microseconds: at first nothing else is done than asking. */
static lcu_status wait_watched (lcu_device *d, cu_result (*query)(const void *ud), const void *ud) {
  const struct timespec pause = { 0, 50000 };
  enum { SPINS = 2000, LOOKS = 64 };
  double started = lcu_now_ms();
  bool busy = true, stops = lcu_state_hooks_stop(true);
  for (int round = 0; busy && query(ud) == CU_ERR_NOT_READY; round++) {
    if (round % LOOKS == 0) {
      stops = stops || lcu_state_hooks_stop(false);
      LCU_TRY(for_all(d, stops ? interrupt : look, started, &busy));
    }
    if (round > SPINS) nanosleep(&pause, NULL);
    else if (round > LOOKS) sched_yield();
  }
  /* operations may have ended because they failed */
  return for_all(d, look, lcu_now_ms(), &busy);
}

/* Where the last operations of all communicators of the device are. */
static cu_result query_busy (const void *ud) {
  const lcu_device *d = ud;
  cu_result r = 0;
  for (lcu_comm *c = next_busy(d, NULL); c != NULL; c = next_busy(d, c))
    if (lcu_stream_query_driver(c->stream) == CU_ERR_NOT_READY) r = CU_ERR_NOT_READY;
  return r;
}

static const lcu_comm_guards guards = { .wait = wait_watched, .busy = query_busy };

void lcu_comm_watch (lcu_comm *c) {
  pthread_mutex_lock(&watched.lock);
  c->next = watched.first;
  watched.first = c;
  lcu_comm_guards_count(&guards);
  pthread_mutex_unlock(&watched.lock);
}

void lcu_comm_unwatch (lcu_comm *c) {
  pthread_mutex_lock(&watched.lock);
  for (lcu_comm **at = &watched.first; *at != NULL; at = &(*at)->next) {
    if (*at != c) continue;
    *at = c->next;
    lcu_comm_guards_count(NULL);
    break;
  }
  pthread_mutex_unlock(&watched.lock);
}
