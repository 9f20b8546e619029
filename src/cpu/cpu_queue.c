/* cpu_queue.c: streams as queues of operations, and who executes them.
 *
 * Operations are numbered as they are queued, over all streams. The head of a stream's queue may be
 * executed when
 * - it is not being executed,
 * - it is no wait, or what it waits for is complete,
 * - it is in a blocking stream, and no earlier operation is queued in the null stream,
 * - it is in the null stream, and no earlier operation is queued in any blocking stream.
 * An operation waits for smaller numbers only, so there is always one that can be executed.
 *
 * Workers execute what is ready; so does a thread that waits, for the stream it waits for, which
 * saves small work the time a worker needs to wake. Host functions are left to workers: they may
 * wait for what this thread holds. */
#include "cpu_device.h"

#include <signal.h>
#include <pthread.h>
#include <string.h>

enum { STREAM_MAGIC = 0x5354524d, MAX_WORKERS = 64, MAX_DEPTH = 16, OPS_PER_SLAB = 32 };
#define STREAM_LEGACY ((cu_stream)(uintptr_t)1)     /* CU_STREAM_LEGACY */
#define STREAM_PER_THREAD ((cu_stream)(uintptr_t)2) /* CU_STREAM_PER_THREAD: no such default here */

typedef struct slab {
  struct slab *next;
  cpu_op ops[OPS_PER_SLAB];
} slab;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t work, progress; /* something is ready; something is complete */
  uint64_t seq;                  /* latest number given */
  cpu_stream null;
  cpu_stream *active; /* streams with operations */
  cpu_stream *free_streams, *all_streams;
  cpu_op *free_ops;
  slab *slabs;
  /* threads; asleep; told to wake, or to start, and not there yet */
  int workers, idle, signalled;
  int waiters;
  bool quit;
  pthread_t threads[MAX_WORKERS];
} q = {
  .lock = PTHREAD_MUTEX_INITIALIZER,
  .work = PTHREAD_COND_INITIALIZER,
  .progress = PTHREAD_COND_INITIALIZER,
  .null = { .magic = STREAM_MAGIC, .blocking = true },
};

static _Thread_local bool in_host_function;

bool cpu_in_host_function (void) { return in_host_function; }


/* ---- handles ---- */

cpu_stream *cpu_stream_null (void) { return &q.null; }

cpu_stream *cpu_stream_of (cu_stream s) {
  if (s == NULL || s == STREAM_LEGACY || s == STREAM_PER_THREAD) return &q.null;
  return s->magic == STREAM_MAGIC ? s : NULL;
}

bool cpu_stream_known (cu_stream s) {
  if (s == NULL || s == STREAM_LEGACY || s == STREAM_PER_THREAD) return true;
  pthread_mutex_lock(&q.lock);
  const cpu_stream *at = q.all_streams;
  while (at != NULL && at != s) at = at->next_all;
  pthread_mutex_unlock(&q.lock);
  return at != NULL;
}

/* Streams stay allocated until the device is shut down: what was queued may name them. */
cpu_stream *cpu_stream_new (bool blocking, int priority) {
  pthread_mutex_lock(&q.lock);
  cpu_stream *s = q.free_streams;
  if (s != NULL) q.free_streams = s->next_free;
  else if ((s = lcu_calloc(1, sizeof *s)) != NULL) {
    s->next_all = q.all_streams;
    q.all_streams = s;
  }
  if (s != NULL) {
    s->magic = STREAM_MAGIC;
    s->blocking = blocking;
    s->priority = priority;
  }
  pthread_mutex_unlock(&q.lock);
  return s;
}

void cpu_stream_retire (cpu_stream *s) {
  pthread_mutex_lock(&q.lock);
  s->magic = 0;
  s->next_free = q.free_streams;
  q.free_streams = s;
  pthread_mutex_unlock(&q.lock);
}


/* ---- operations ---- */

static bool more_ops (void) {
  slab *b = lcu_calloc(1, sizeof *b);
  if (b == NULL) return false;
  b->next = q.slabs;
  q.slabs = b;
  for (int i = 0; i < OPS_PER_SLAB; i++) {
    b->ops[i].next = q.free_ops;
    q.free_ops = &b->ops[i];
  }
  return true;
}

cpu_op *cpu_op_new (cpu_op_kind kind, cpu_op_fn *run) {
  pthread_mutex_lock(&q.lock);
  cpu_op *op = q.free_ops != NULL || more_ops() ? q.free_ops : NULL;
  if (op != NULL) q.free_ops = op->next;
  pthread_mutex_unlock(&q.lock);
  if (op == NULL) return NULL;
  op->next = NULL;
  op->seq = 0;
  op->owner = lcu_owner;
  op->kind = kind;
  op->run = run;
  op->memory = NULL;
  return op;
}

static void recycle (cpu_op *op) {
  op->next = q.free_ops;
  q.free_ops = op;
}

void cpu_op_discard (cpu_op *op) {
  lcu_free(op->memory);
  pthread_mutex_lock(&q.lock);
  recycle(op);
  pthread_mutex_unlock(&q.lock);
}


/* ---- what is ready (lock held) ---- */

/* A blocking stream with something earlier than the null stream's head; preferably one nobody works
 * on. */
static cpu_stream *before_null (void) {
  cpu_stream *found = NULL;
  for (cpu_stream *s = q.active; s != NULL; s = s->next_active) {
    if (!s->blocking || s == &q.null || s->head->seq > q.null.head->seq) continue;
    found = s;
    if (!s->running) break;
  }
  return found;
}

/* The stream that has to get on before the head of `s` may be executed, or NULL. */
static cpu_stream *blocker (cpu_stream *s) {
  const cpu_op *op = s->head;
  if (op->kind == CPU_OP_WAIT && !cpu_is_done(op->wait.stream, op->wait.seq))
    return op->wait.stream;
  if (s == &q.null) return before_null();
  if (s->blocking && q.null.head != NULL && q.null.head->seq < op->seq) return &q.null;
  return NULL;
}

static bool ready (cpu_stream *s) { return s->head != NULL && !s->running && blocker(s) == NULL; }

/* The stream whose head a thread waiting for `s` may execute, or NULL. */
static cpu_stream *ready_for (cpu_stream *s, int depth) {
  if (s->head == NULL || s->running || depth == MAX_DEPTH) return NULL;
  cpu_stream *b = blocker(s);
  if (b != NULL) return ready_for(b, depth + 1);
  return s->head->kind == CPU_OP_HOST && q.workers > 0 ? NULL : s;
}

/* Highest priority first (the lowest number), then the oldest. */
static cpu_stream *best_ready (void) {
  cpu_stream *best = NULL;
  for (cpu_stream *s = q.active; s != NULL; s = s->next_active) {
    if (!ready(s)) continue;
    if (best == NULL || s->priority < best->priority ||
        (s->priority == best->priority && s->head->seq < best->head->seq))
      best = s;
  }
  return best;
}

static void activate (cpu_stream *s) {
  s->prev_active = NULL;
  s->next_active = q.active;
  if (q.active != NULL) q.active->prev_active = s;
  q.active = s;
}

static void deactivate (cpu_stream *s) {
  if (s->next_active != NULL) s->next_active->prev_active = s->prev_active;
  if (s->prev_active != NULL) s->prev_active->next_active = s->next_active;
  else q.active = s->next_active;
}


/* ---- execution ---- */

static void *worker_main (void *arg);

/* Signals belong to the program's own threads. */
static bool start_worker (void) {
  sigset_t all, old;
  if (q.workers == MAX_WORKERS || q.quit) return false;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool ok = pthread_create(&q.threads[q.workers], NULL, worker_main, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (ok) q.workers++;
  return ok;
}

static int count_ready (void) {
  int n = 0;
  for (cpu_stream *s = q.active; s != NULL; s = s->next_active) n += ready(s);
  return n;
}

/* Sees to it that a worker is on its way to each ready stream but `spared`, which the caller goes
 * on with. */
static void wake_workers (int spared) {
  int wanted = count_ready() - spared;
  while (q.signalled < wanted) {
    if (q.idle > q.signalled) pthread_cond_signal(&q.work);
    else if (!start_worker()) return;
    q.signalled++;
  }
}

static void complete (cpu_stream *s) {
  cpu_op *op = s->head;
  s->head = op->next;
  s->running = false;
  atomic_store_explicit(&s->done, op->seq, memory_order_release);
  if (s->head == NULL) {
    s->tail = NULL;
    deactivate(s);
  }
  recycle(op);
  if (q.waiters > 0) pthread_cond_broadcast(&q.progress);
}

/* Executes the head of `s`, which is ready. The lock is let go meanwhile. */
static void run_head (cpu_stream *s, int spared) {
  cpu_op *op = s->head;
  s->running = true;
  pthread_mutex_unlock(&q.lock);
  in_host_function = op->kind == CPU_OP_HOST;
  op->run(s, op);
  in_host_function = false;
  lcu_free(op->memory);
  pthread_mutex_lock(&q.lock);
  complete(s);
  if (q.active != NULL) wake_workers(spared);
}

static void *worker_main (void *arg) {
  (void)arg;
  pthread_mutex_lock(&q.lock);
  if (q.signalled > 0) q.signalled--;
  for (;;) {
    cpu_stream *s = best_ready();
    if (s != NULL) {
      run_head(s, 1);
      continue;
    }
    if (q.quit) break;
    q.idle++;
    pthread_cond_wait(&q.work, &q.lock);
    q.idle--;
    if (q.signalled > 0) q.signalled--;
  }
  pthread_mutex_unlock(&q.lock);
  return NULL;
}


/* ---- queueing and waiting ---- */

static void append (cpu_stream *s, cpu_op *op) {
  op->seq = ++q.seq;
  atomic_store_explicit(&s->last, op->seq, memory_order_relaxed);
  op->next = NULL;
  if (s->tail != NULL) s->tail->next = op;
  else {
    s->head = op;
    activate(s);
  }
  s->tail = op;
}

uint64_t cpu_submit (cpu_stream *s, cpu_op *op, cpu_how how) {
  pthread_mutex_lock(&q.lock);
  append(s, op);
  uint64_t seq = op->seq;
  if (s->head == op && ready(s)) {
    if (how == CPU_QUICK) run_head(s, 0);
    else if (how == CPU_ASYNC) wake_workers(0);
  }
  pthread_mutex_unlock(&q.lock);
  return seq;
}

/* Ends the kernel that `s` waits for, or executes. */
static void stop_kernel (cpu_stream *s, int depth) {
  cpu_stream *b;
  if (s->head == NULL || depth == MAX_DEPTH) return;
  if (s->running && s->head->kind == CPU_OP_KERNEL) atomic_store(&s->head->grid.stop, true);
  else if (!s->running && (b = blocker(s)) != NULL) stop_kernel(b, depth + 1);
}

/* Before this thread sleeps or goes its own way, workers take over what it was spared for. */
static void wait_locked (cpu_stream *s, uint64_t seq) {
  while (!cpu_is_done(s, seq)) {
    cpu_stream *r = ready_for(s, 0);
    if (r != NULL) {
      run_head(r, 1);
      continue;
    }
    wake_workers(0);
    if (cpu_wait_stops()) stop_kernel(s, 0);
    q.waiters++;
    lcu_cond_look(&q.progress, &q.lock);
    q.waiters--;
  }
  if (q.active != NULL) wake_workers(0);
}

void cpu_wait (cpu_stream *s, uint64_t seq) {
  if (cpu_is_done(s, seq)) return;
  bool began = cpu_wait_begin();
  pthread_mutex_lock(&q.lock);
  wait_locked(s, seq);
  pthread_mutex_unlock(&q.lock);
  cpu_wait_end(began);
}

/* Some active stream with an operation up to `seq`. */
static cpu_stream *busy_until (uint64_t seq) {
  for (cpu_stream *s = q.active; s != NULL; s = s->next_active)
    if (s->head->seq <= seq) return s;
  return NULL;
}

void cpu_wait_all (void) {
  cpu_stream *s;
  bool began = cpu_wait_begin();
  pthread_mutex_lock(&q.lock);
  uint64_t seq = q.seq;
  while ((s = busy_until(seq)) != NULL) wait_locked(s, s->head->seq);
  pthread_mutex_unlock(&q.lock);
  cpu_wait_end(began);
}

bool cpu_stream_idle (cpu_stream *s) {
  pthread_mutex_lock(&q.lock);
  bool idle = s->head == NULL;
  for (cpu_stream *t = q.active; idle && s == &q.null && t != NULL; t = t->next_active)
    idle = !t->blocking;
  pthread_mutex_unlock(&q.lock);
  return idle;
}


/* ---- end ---- */

static void free_streams (void) {
  while (q.all_streams != NULL) {
    cpu_stream *s = q.all_streams;
    q.all_streams = s->next_all;
    lcu_free(s);
  }
  q.free_streams = NULL;
}

void cpu_queue_reset (void) {
  pthread_mutex_lock(&q.lock);
  for (cpu_stream *s = q.all_streams; s != NULL; s = s->next_all) {
    if (s->magic != STREAM_MAGIC || s->head != NULL) continue;
    s->magic = 0;
    s->next_free = q.free_streams;
    q.free_streams = s;
  }
  pthread_mutex_unlock(&q.lock);
}

void cpu_queue_stop (void) {
  cpu_wait_all();
  pthread_mutex_lock(&q.lock);
  q.quit = true;
  pthread_cond_broadcast(&q.work);
  pthread_mutex_unlock(&q.lock);
  for (int i = 0; i < q.workers; i++) pthread_join(q.threads[i], NULL);
  free_streams();
  while (q.slabs != NULL) {
    slab *b = q.slabs;
    q.slabs = b->next;
    lcu_free(b);
  }
  q.free_ops = NULL;
  q.workers = q.idle = q.signalled = 0;
  q.quit = false;
}
