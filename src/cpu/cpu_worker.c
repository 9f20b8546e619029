/* cpu_worker.c: who executes operations.
 *
 * Workers execute what is ready; so does a thread that waits, for the stream it waits for, which
 * saves small work the time a worker needs to wake. Host functions are left to workers: they may
 * wait for what this thread holds. */
#include "cpu_worker.h"

#include <signal.h>

#include "cpu_interrupt.h"
#include "lcu_thread.h"

enum { MAX_WORKERS = 64 };

/* Guarded by cpu_queue_lock. */
static struct {
  pthread_cond_t work, progress; /* something is ready; something is complete */
  /* threads; asleep; told to wake, or to start, and not there yet */
  int count, idle, signalled;
  int waiters;
  bool quit;
  pthread_t threads[MAX_WORKERS];
} workers = { .work = PTHREAD_COND_INITIALIZER, .progress = PTHREAD_COND_INITIALIZER };

static void *worker_main (void *arg);

/* Signals belong to the program's own threads. */
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

/* Sees to it that a worker is on its way to each ready stream but `spared`, which the caller goes
 * on with. */
static void wake_workers (int spared) {
  int wanted = cpu_queue_count_ready() - spared;
  while (workers.signalled < wanted) {
    if (workers.idle > workers.signalled) pthread_cond_signal(&workers.work);
    else if (!start_worker()) return;
    workers.signalled++;
  }
}

/* Executes the head of `s`, which is ready. The lock is let go meanwhile. */
static void run_head (cpu_stream *s, int spared) {
  cpu_op *op = s->head;
  s->running = true;
  pthread_mutex_unlock(&cpu_queue_lock);
  op->run(s, op);
  lcu_free(op->memory);
  pthread_mutex_lock(&cpu_queue_lock);
  cpu_queue_complete(s);
  if (workers.waiters > 0) pthread_cond_broadcast(&workers.progress);
  wake_workers(spared);
}

static void *worker_main (void *arg) {
  (void)arg;
  pthread_mutex_lock(&cpu_queue_lock);
  if (workers.signalled > 0) workers.signalled--;
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
    if (workers.signalled > 0) workers.signalled--;
  }
  pthread_mutex_unlock(&cpu_queue_lock);
  return NULL;
}


/* ---- queueing and waiting ---- */

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

/* Ends the kernel that `s` waits for, or executes. */
static void stop_kernel (cpu_stream *s) {
  cpu_stream *running = cpu_queue_running_for(s);
  if (running != NULL && running->head->kind == CPU_OP_KERNEL)
    atomic_store(&running->head->grid.stop, true);
}

/* Before this thread sleeps or goes its own way, workers take over what it was spared for. */
static void wait_locked (cpu_stream *s, uint64_t seq) {
  while (!cpu_is_done(s, seq)) {
    cpu_stream *r = cpu_queue_ready_for(s, workers.count == 0);
    if (r != NULL) {
      run_head(r, 1);
      continue;
    }
    wake_workers(0);
    if (cpu_wait_stops()) stop_kernel(s);
    workers.waiters++;
    lcu_cond_wait_tick(&workers.progress, &cpu_queue_lock);
    workers.waiters--;
  }
  wake_workers(0);
}

void cpu_wait (cpu_stream *s, uint64_t seq) {
  if (cpu_is_done(s, seq)) return;
  bool began = cpu_wait_begin();
  pthread_mutex_lock(&cpu_queue_lock);
  wait_locked(s, seq);
  pthread_mutex_unlock(&cpu_queue_lock);
  cpu_wait_end(began);
}

void cpu_wait_all (void) {
  cpu_stream *s;
  bool began = cpu_wait_begin();
  pthread_mutex_lock(&cpu_queue_lock);
  uint64_t seq = cpu_queue_latest();
  while ((s = cpu_queue_busy_until(seq)) != NULL) wait_locked(s, s->head->seq);
  pthread_mutex_unlock(&cpu_queue_lock);
  cpu_wait_end(began);
}


/* ---- end ---- */

void cpu_workers_stop (void) {
  cpu_wait_all();
  pthread_mutex_lock(&cpu_queue_lock);
  workers.quit = true;
  pthread_cond_broadcast(&workers.work);
  pthread_mutex_unlock(&cpu_queue_lock);
  for (int i = 0; i < workers.count; i++) pthread_join(workers.threads[i], NULL);
  workers.count = workers.idle = workers.signalled = 0;
  workers.quit = false;
}
