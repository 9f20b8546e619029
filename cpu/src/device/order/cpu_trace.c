/* cpu_trace.c: handing the stops of a traced kernel to the thread that wants them.
 *
 * The grid runs on a worker. When it has many stops it pauses there, until its owner has taken them
 * with cuxTraceNext. An owner that waits for the device in another call, such as a copy of results,
 * will not come for them: meanwhile the grid does not pause. */
#include "cpu_trace.h"

#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_worker.h"

static _Thread_local lcu_trace *mine;
static pthread_cond_t resumed = PTHREAD_COND_INITIALIZER;

static void resume (lcu_trace *t) {
  t->paused = false;
  pthread_cond_broadcast(&resumed);
}

/* On the thread that executes the grid. */
static void pause_grid (lcu_trace *t) {
  pthread_mutex_lock(&cpu_queue_lock);
  if (t->waited == 0) {
    t->paused = true;
    cpu_work_tell();
  }
  while (t->paused) pthread_cond_wait(&resumed, &cpu_queue_lock);
  pthread_mutex_unlock(&cpu_queue_lock);
}

void cpu_trace_begin (lcu_trace *t) {
  t->full = pause_grid;
  mine = t;
}

void cpu_trace_wait_begin (void) {
  if (lcu_likely(mine == NULL)) return;
  mine->waited++;
  resume(mine);
}

void cpu_trace_wait_end (void) {
  if (lcu_unlikely(mine != NULL)) mine->waited--;
}

/* The grid may be running: it pauses no more. */
void cpu_trace_end (void) {
  if (mine == NULL) return;
  pthread_mutex_lock(&cpu_queue_lock);
  cpu_trace_wait_begin();
  pthread_mutex_unlock(&cpu_queue_lock);
  mine = NULL;
}

static void take_trace (lcu_trace *t) {
  lcu_buf_free(&t->taken);
  t->taken = t->stops;
  t->stops = (lcu_buf){ 0 };
}

/* Lets the caller's kernels go on until they have many stops or all work is done. Either way their
 * stops are in `taken` then. *more: they have paused. */
cu_result cpu_cuxTraceNext (bool *more) {
  cu_result r = cpu_enter();
  *more = false;
  if (r != 0 || mine == NULL) return r;
  pthread_mutex_lock(&cpu_queue_lock);
  resume(mine);
  pthread_mutex_unlock(&cpu_queue_lock);
  *more = cpu_wait_unless(&mine->paused);
  if (!*more) cpu_wait_all();
  take_trace(mine);
  return 0;
}
