/* ptx_jit_queue.c: the thread that compiles. */
#include "ptx_jit_queue.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "ptx_jit_llvm.h"

/* How long a job may go on after the thread was asked to rest, so that it writes its object to the
 * disk; how long to wait for its end after that. */
enum { MOST_END_MS = 1000, MOST_REST_MS = 10000, STACK_BYTES = 8 << 20 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  ptx_jit_job *first, **last, *current;
  void (*work)(ptx_jit_job *j);
  bool running, reading; /* there is a thread; it reads the code of `current` */
  bool resting;          /* abandon jobs */
  atomic_int owner;      /* the process that it is in; 0: it was never asked for */
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

/* A child of fork() does not have the thread, and nobody may be left to release the lock. */
static bool is_forked (void) {
  int owner = atomic_load(&queue.owner);
  return owner != 0 && owner != (int)getpid();
}

/* ---- the thread */

static ptx_jit_job *take_job (void) {
  ptx_jit_job *j = queue.first;
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
  for (ptx_jit_job *j; (j = take_job()) != NULL;) {
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
  (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
  (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool started = pthread_create(&thread, &attributes, thread_main, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  (void)pthread_attr_destroy(&attributes);
  return started;
}

/* ---- jobs */

bool ptx_jit_queue_begin (void) {
  int none = 0;
  if (atomic_compare_exchange_strong(&queue.owner, &none, (int)getpid()))
    (void)atexit(ptx_jit_queue_rest);
  return !is_forked();
}

/* With the lock. */
static bool has_thread (void (*work)(ptx_jit_job *j)) {
  if (queue.running) return true;
  queue.work = work;
  queue.running = start_thread();
  return queue.running;
}

static bool enqueue (ptx_jit_job *j, void (*work)(ptx_jit_job *j)) {
  pthread_mutex_lock(&queue.lock);
  bool ok = has_thread(work);
  if (ok) {
    if (queue.first == NULL) queue.last = &queue.first;
    *queue.last = j;
    queue.last = &j->next;
  }
  pthread_mutex_unlock(&queue.lock);
  return ok;
}

bool ptx_jit_queue_add (ptx_jit_job *j, void (*work)(ptx_jit_job *j)) {
  bool ok = ptx_jit_queue_begin() && enqueue(j, work);
  if (!ok) lcu_free(j);
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

void ptx_jit_queue_wait (const atomic_int *state) {
  pthread_mutex_lock(&queue.lock);
  while (atomic_load(state) < PTX_JIT_READY) pthread_cond_wait(&queue.changed, &queue.lock);
  pthread_mutex_unlock(&queue.lock);
}

bool ptx_jit_queue_is_resting (void) {
  pthread_mutex_lock(&queue.lock);
  bool resting = queue.resting;
  pthread_mutex_unlock(&queue.lock);
  return resting;
}

void ptx_jit_queue_forget (const ptx_code *code) {
  if (is_forked()) return;
  pthread_mutex_lock(&queue.lock);
  for (ptx_jit_job *j = queue.first; j != NULL; j = j->next)
    if (j->code == code) j->code = NULL;
  while (queue.current != NULL && queue.current->code == code && queue.reading)
    pthread_cond_wait(&queue.changed, &queue.lock);
  if (queue.current != NULL && queue.current->code == code) queue.current->code = NULL;
  pthread_mutex_unlock(&queue.lock);
}

/* ---- resting */

/* With the lock. A job without a folder is of no use to another process. */
static void let_rest (void) {
  const ptx_jit_job *j = queue.current;
  double now = lcu_now_ms(),
         stop_at = now + (j != NULL && j->folder.path[0] != '\0' ? MOST_END_MS : 0);
  queue.resting = true;
  while (queue.running && now < stop_at + MOST_REST_MS) {
    if (now >= stop_at) ptx_jit_llvm_stop();
    lcu_cond_wait_tick(&queue.changed, &queue.lock);
    now = lcu_now_ms();
  }
  queue.resting = false;
}

void ptx_jit_queue_rest (void) {
  if (is_forked()) return;
  pthread_mutex_lock(&queue.lock);
  if (queue.running) let_rest();
  pthread_mutex_unlock(&queue.lock);
  ptx_jit_llvm_stop();
}
