/* cpu_worker.c: executing operations.
 *
 * Workers execute operations that are ready. So does a thread that waits, but only operations that
 * it waits for: small work is then done before a worker would have woken up. Host functions are
 * left to workers, since they may wait for a lock that the waiting thread holds.
 *
 * Workers start on demand and sleep when nothing is ready. Invariant: whenever cpu_queue_lock is
 * released, each stream that is ready has a thread that will serve it. This is a worker that was
 * woken or started and does not have the lock yet (`signaled`), or a thread that continues with the
 * stream itself (`spared`, CPU_SYNC). Before a waiting thread sleeps or returns, it wakes workers
 * for the streams it was spared for. Without workers, because none can be started, threads that
 * wait execute host functions too.
 *
 * cpu_queue_lock is not held while an operation is executed. The function of cuxSetStop is called
 * with cpu_queue_lock held, so it must not call the driver. */
#include "cpu_worker.h"

#include <signal.h>

#include "cpu_interrupt.h"
#include "cpu_trace.h"
#include "lcu_thread.h"

enum { MAX_WORKERS = 64 };

static struct {
  pthread_cond_t work, progress; /* an operation is ready; an operation is complete */
  int count;                     /* workers */
  int idle;                      /* workers that sleep */
  int signaled;                  /* workers woken or started that do not have the lock yet */
  int waiters;                   /* threads that wait for progress */
  bool quit;
  pthread_t threads[MAX_WORKERS];
} workers = { .work = PTHREAD_COND_INITIALIZER, .progress = PTHREAD_COND_INITIALIZER };

static void *worker_main (void *arg);

/* Workers block all signals: the program's own threads handle them. */
static bool start_worker (void) {
  sigset_t all, old;
  if (workers.count == MAX_WORKERS || workers.quit) return false;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool ok = pthread_create(&workers.threads[workers.count], NULL, worker_main, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (ok) workers.count++;
  return ok;
}

/* Wakes or starts a worker for each stream that is ready, except `spared` streams with which the
 * caller continues. */
static void wake_workers (int spared) {
  int wanted = cpu_queue_count_ready() - spared;
  while (workers.signaled < wanted) {
    if (workers.idle > workers.signaled) pthread_cond_signal(&workers.work);
    else if (!start_worker()) return;
    workers.signaled++;
  }
}

void cpu_work_tell (void) {
  if (workers.waiters > 0) pthread_cond_broadcast(&workers.progress);
}

/* Executes the head of `s`, which is ready. Releases the lock meanwhile. */
static void run_head (cpu_stream *s, int spared) {
  cpu_op *op = s->head;
  s->running = true;
  pthread_mutex_unlock(&cpu_queue_lock);
  op->run(s, op);
  lcu_free(op->memory);
  pthread_mutex_lock(&cpu_queue_lock);
  cpu_queue_complete(s);
  cpu_work_tell();
  wake_workers(spared);
}

static void *worker_main (void *arg) {
  (void)arg;
  pthread_mutex_lock(&cpu_queue_lock);
  if (workers.signaled > 0) workers.signaled--;
  for (;;) {
    cpu_stream *s = cpu_queue_best_ready();
    if (s != NULL) {
      run_head(s, 1);
      continue;
    }
    if (workers.quit) break;
    workers.idle++;
    pthread_cond_wait(&workers.work, &cpu_queue_lock);
    workers.idle--;
    if (workers.signaled > 0) workers.signaled--;
  }
  pthread_mutex_unlock(&cpu_queue_lock);
  return NULL;
}


/* ---- submitting and waiting ---- */

uint64_t cpu_submit (cpu_stream *s, cpu_op *op, cpu_how how) {
  pthread_mutex_lock(&cpu_queue_lock);
  cpu_queue_append(s, op);
  uint64_t seq = op->seq;
  if (s->head == op && cpu_queue_is_ready(s)) {
    if (how == CPU_QUICK) run_head(s, 0);
    else if (how == CPU_ASYNC) wake_workers(0);
  }
  pthread_mutex_unlock(&cpu_queue_lock);
  return seq;
}

/* Stops the kernels of the operation that runs in `s`, or that `s` waits for. */
static void stop_kernels (cpu_stream *s) {
  cpu_stream *running = cpu_queue_running_for(s);
  if (running != NULL) atomic_store(&running->head->stop, true);
}

/* Sleeps until there is progress, of which `s` needs some. */
static void sleep_for (cpu_stream *s) {
  wake_workers(0);
  if (cpu_wait_stops()) stop_kernels(s);
  workers.waiters++;
  lcu_cond_wait_tick(&workers.progress, &cpu_queue_lock);
  workers.waiters--;
}

/* Waits with the lock held. */
static void wait_locked (cpu_stream *s, uint64_t seq) {
  while (!cpu_is_done(s, seq)) {
    cpu_stream *r = cpu_queue_ready_for(s, workers.count == 0);
    if (r != NULL) run_head(r, 1);
    else sleep_for(s);
  }
  wake_workers(0);
}

void cpu_wait (cpu_stream *s, uint64_t seq) {
  if (cpu_is_done(s, seq)) return;
  bool began = cpu_wait_begin();
  pthread_mutex_lock(&cpu_queue_lock);
  cpu_trace_wait_begin();
  wait_locked(s, seq);
  cpu_trace_wait_end();
  pthread_mutex_unlock(&cpu_queue_lock);
  cpu_wait_end(began);
}

void cpu_wait_context (cu_context ctx) {
  cpu_stream *s;
  bool began = cpu_wait_begin();
  pthread_mutex_lock(&cpu_queue_lock);
  uint64_t seq = cpu_queue_latest();
  cpu_trace_wait_begin();
  while ((s = cpu_queue_busy_until(seq, ctx)) != NULL) wait_locked(s, s->head->seq);
  cpu_trace_wait_end();
  pthread_mutex_unlock(&cpu_queue_lock);
  cpu_wait_end(began);
}

bool cpu_wait_unless (const bool *early) {
  cpu_stream *s;
  bool began = cpu_wait_begin();
  pthread_mutex_lock(&cpu_queue_lock);
  uint64_t seq = cpu_queue_latest();
  wake_workers(0);
  while (!*early && workers.count > 0 && (s = cpu_queue_busy_until(seq, NULL)) != NULL)
    sleep_for(s);
  bool came = *early;
  pthread_mutex_unlock(&cpu_queue_lock);
  cpu_wait_end(began);
  return came;
}

void cpu_wait_all (void) { cpu_wait_context(NULL); }

uint64_t cpu_work_latest (void) {
  pthread_mutex_lock(&cpu_queue_lock);
  uint64_t seq = cpu_queue_latest();
  pthread_mutex_unlock(&cpu_queue_lock);
  return seq;
}

bool cpu_work_done (uint64_t seq) {
  pthread_mutex_lock(&cpu_queue_lock);
  bool done = cpu_queue_busy_until(seq, NULL) == NULL;
  pthread_mutex_unlock(&cpu_queue_lock);
  return done;
}


/* ---- shutdown ---- */

void cpu_workers_stop (void) {
  cpu_wait_all();
  pthread_mutex_lock(&cpu_queue_lock);
  workers.quit = true;
  pthread_cond_broadcast(&workers.work);
  pthread_mutex_unlock(&cpu_queue_lock);
  for (int i = 0; i < workers.count; i++) pthread_join(workers.threads[i], NULL);
  workers.count = workers.idle = workers.signaled = 0;
  workers.quit = false;
}
