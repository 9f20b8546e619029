/* ptx_jit_queue.c: the thread that compiles. */
#include "ptx_jit_queue.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "ptx_jit_llvm.h"

enum { MOST_REST_MS = 10000 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  ptx_jit_job *first, **last, *current;
  void (*work)(ptx_jit_job *j);
  bool running, reading; /* there is a thread; it reads the code of `current` */
  bool resting, parked;  /* it should rest at the next pause; it does */
  bool quitting;         /* the process ends */
  pid_t owner;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

/* ---- the thread */

static ptx_jit_job *take (void) {
  ptx_jit_job *j = queue.resting ? NULL : queue.first;
  if (j == NULL) return NULL;
  queue.first = j->next;
  queue.current = j;
  queue.reading = true;
  return j;
}

static void end_job (ptx_jit_job *j) {
  queue.current = NULL;
  queue.reading = false;
  lcu_free(j);
  pthread_cond_broadcast(&queue.changed);
}

static void *thread_main (void *unused) {
  pthread_mutex_lock(&queue.lock);
  for (ptx_jit_job *j; (j = take()) != NULL;) {
    pthread_mutex_unlock(&queue.lock);
    queue.work(j);
    pthread_mutex_lock(&queue.lock);
    end_job(j);
  }
  queue.running = false;
  pthread_cond_broadcast(&queue.changed);
  pthread_mutex_unlock(&queue.lock);
  return unused;
}

/* Signals are for the threads of the program. */
static bool start_thread (void) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, old;
  if (pthread_attr_init(&attributes) != 0) return false;
  (void)pthread_attr_setstacksize(&attributes, PTX_JIT_STACK_BYTES);
  (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool started = pthread_create(&thread, &attributes, thread_main, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  (void)pthread_attr_destroy(&attributes);
  return started;
}

/* ---- jobs */

bool ptx_jit_queue_add (ptx_jit_job *j, void (*work)(ptx_jit_job *j)) {
  pthread_mutex_lock(&queue.lock);
  if (!queue.running) {
    queue.owner = getpid();
    queue.work = work;
    queue.running = !queue.quitting && start_thread();
  }
  bool ok = queue.running && !queue.quitting;
  if (ok) {
    queue.resting = false;
    pthread_cond_broadcast(&queue.changed);
    if (queue.first == NULL) queue.last = &queue.first;
    *queue.last = j;
    queue.last = &j->next;
  } else {
    lcu_free(j);
  }
  pthread_mutex_unlock(&queue.lock);
  return ok;
}

void ptx_jit_queue_release (void) {
  pthread_mutex_lock(&queue.lock);
  queue.reading = false;
  pthread_cond_broadcast(&queue.changed);
  pthread_mutex_unlock(&queue.lock);
}

void ptx_jit_queue_finish (ptx_jit_job *j, void (*done)(ptx_jit_job *j, void *ud), void *ud) {
  pthread_mutex_lock(&queue.lock);
  done(j, ud);
  pthread_cond_broadcast(&queue.changed);
  pthread_mutex_unlock(&queue.lock);
}

void ptx_jit_queue_wait (const ptx_jit_slot *slot) {
  pthread_mutex_lock(&queue.lock);
  while (atomic_load(&slot->state) < PTX_JIT_READY) pthread_cond_wait(&queue.changed, &queue.lock);
  pthread_mutex_unlock(&queue.lock);
}

void ptx_jit_queue_forget (const ptx_code *code) {
  pthread_mutex_lock(&queue.lock);
  for (ptx_jit_job *j = queue.first; j != NULL; j = j->next)
    if (j->code == code) j->code = NULL;
  while (queue.current != NULL && queue.current->code == code && queue.reading)
    pthread_cond_wait(&queue.changed, &queue.lock);
  if (queue.current != NULL && queue.current->code == code) queue.current->code = NULL;
  pthread_mutex_unlock(&queue.lock);
}

/* ---- resting, and the end of the process */

/* With the lock. */
static void let_rest (void) {
  double latest = lcu_now_ms() + MOST_REST_MS;
  queue.resting = true;
  while (queue.running && !queue.parked && lcu_now_ms() < latest)
    lcu_cond_wait_tick(&queue.changed, &queue.lock);
}

void ptx_jit_queue_rest (void) {
  pthread_mutex_lock(&queue.lock);
  if (queue.running) let_rest();
  pthread_mutex_unlock(&queue.lock);
}

void ptx_jit_queue_pause (void) {
  pthread_mutex_lock(&queue.lock);
  while (queue.resting) {
    queue.parked = true;
    pthread_cond_broadcast(&queue.changed);
    pthread_cond_wait(&queue.changed, &queue.lock);
  }
  queue.parked = false;
  pthread_mutex_unlock(&queue.lock);
}

/* A forked child does not have the thread. */
static void end_of_process (void) {
  if (queue.owner != getpid()) return;
  pthread_mutex_lock(&queue.lock);
  queue.quitting = true;
  if (queue.running) let_rest();
  pthread_mutex_unlock(&queue.lock);
}

void ptx_jit_queue_guard_exit (void) {
  enum { MOST_TIMES = 16 };
  static int times; /* of the one thread */
  if (times++ < MOST_TIMES) (void)atexit(end_of_process);
}
