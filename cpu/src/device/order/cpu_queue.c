/* cpu_queue.c: streams as queues of operations, and their order.
 *
 * Operations are numbered in the order in which they are queued, over all streams. The head of a
 * stream's queue may be executed when
 * - it is not being executed,
 * - it is not a wait, or the operation it waits for is complete,
 * - it is in a blocking stream, and no earlier operation is queued in the null stream of the
 *   context,
 * - it is in a null stream, and no earlier operation is queued in any blocking stream of the
 *   context.
 * An operation waits only for operations with smaller numbers. So whenever operations are queued,
 * at least one can be executed, and streams cannot deadlock.
 *
 * The head stays in its queue until it is complete. A stream is active, that is in the list of
 * streams that the rules look at, while its queue holds an operation. Streams stay allocated until
 * the device is shut down, since queued operations, events and faults may refer to one that the
 * program has destroyed; a destroyed stream is recognized by its magic number and used for the next
 * new one. */
#include "cpu_caller.h"
#include "cpu_queue.h"

#include "cpu_enter.h"
#include "ptx.h"

enum { STREAM_MAGIC = 0x5354524d, MAX_DEPTH = 16, OPS_PER_SLAB = 32 };
#define STREAM_LEGACY ((cu_stream)(uintptr_t)1)     /* CU_STREAM_LEGACY */
#define STREAM_PER_THREAD ((cu_stream)(uintptr_t)2) /* CU_STREAM_PER_THREAD: the same */

typedef struct slab {
  struct slab *next;
  cpu_op ops[OPS_PER_SLAB];
} slab;

/* Guards the state of this file and of cpu_worker.c. */
pthread_mutex_t cpu_queue_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
  uint64_t seq; /* the latest number */
  cpu_stream null;
  cpu_stream *active; /* streams with operations */
  atomic_int num_active;
  cpu_stream *free_streams, *all_streams;
  cpu_op *free_ops;
  slab *slabs;
  uint64_t last_id; /* of a stream; the null stream of the primary context has 0 */
} q = { .null = {
          .magic = STREAM_MAGIC, .context = &cpu_contexts[0], .null = &q.null, .blocking = true } };


/* ---- handles ---- */

cpu_stream *cpu_stream_of (cu_stream s) {
  if (s == NULL || s == STREAM_LEGACY || s == STREAM_PER_THREAD) return cpu_current()->null;
  return s->magic == STREAM_MAGIC ? s : NULL;
}

bool cpu_stream_known (cu_stream s) {
  if (s == NULL || s == STREAM_LEGACY || s == STREAM_PER_THREAD) return true;
  pthread_mutex_lock(&cpu_queue_lock);
  const cpu_stream *at = q.all_streams;
  while (at != NULL && at != s) at = at->next_all;
  pthread_mutex_unlock(&cpu_queue_lock);
  return at != NULL;
}

/* A stream of the context; it is the context's null stream if the context has none yet. */
static cpu_stream *stream_new (cu_context ctx, bool blocking, int priority) {
  pthread_mutex_lock(&cpu_queue_lock);
  cpu_stream *s = q.free_streams;
  if (s != NULL) q.free_streams = s->next_free;
  else if ((s = lcu_calloc(1, sizeof *s)) != NULL) {
    s->next_all = q.all_streams;
    q.all_streams = s;
  }
  if (s != NULL) {
    s->magic = STREAM_MAGIC;
    s->id = ++q.last_id;
    s->context = ctx;
    s->null = ctx->null != NULL ? ctx->null : s;
    s->blocking = blocking;
    s->priority = priority;
  }
  pthread_mutex_unlock(&cpu_queue_lock);
  return s;
}

cpu_stream *cpu_stream_new (bool blocking, int priority) {
  return stream_new(cpu_current(), blocking, priority);
}

bool cpu_stream_new_null (cu_context ctx) {
  ctx->null = NULL;
  ctx->null = ctx == cpu_primary() ? &q.null : stream_new(ctx, true, 0);
  return ctx->null != NULL;
}

/* Its work is complete. */
static void forget_trace (cpu_stream *s) {
  ptx_trace_free(s->trace);
  s->trace = NULL;
}

void cpu_stream_retire (cpu_stream *s) {
  forget_trace(s);
  pthread_mutex_lock(&cpu_queue_lock);
  s->magic = 0;
  s->next_free = q.free_streams;
  q.free_streams = s;
  pthread_mutex_unlock(&cpu_queue_lock);
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
  pthread_mutex_lock(&cpu_queue_lock);
  cpu_op *op = q.free_ops != NULL || more_ops() ? q.free_ops : NULL;
  if (op != NULL) q.free_ops = op->next;
  pthread_mutex_unlock(&cpu_queue_lock);
  if (op == NULL) return NULL;
  op->next = NULL;
  op->seq = 0;
  op->owner = cpu_caller()->owner;
  op->kind = kind;
  op->run = run;
  op->copy_of = NULL;
  op->memory = NULL;
  atomic_store_explicit(&op->stop, false, memory_order_relaxed);
  return op;
}

static void recycle (cpu_op *op) {
  op->next = q.free_ops;
  q.free_ops = op;
}

void cpu_op_discard (cpu_op *op) {
  lcu_free(op->memory);
  pthread_mutex_lock(&cpu_queue_lock);
  recycle(op);
  pthread_mutex_unlock(&cpu_queue_lock);
}


/* ---- what is ready; needs the lock ---- */

/* A blocking stream of the context with an operation earlier than the head of the null stream, or
 * NULL. Prefers one that is not being executed. */
static cpu_stream *before_null (const cpu_stream *null) {
  cpu_stream *found = NULL;
  for (cpu_stream *s = q.active; s != NULL; s = s->next_active) {
    if (!s->blocking || s == null || s->null != null || s->head->seq > null->head->seq) continue;
    found = s;
    if (!s->running) break;
  }
  return found;
}

/* A stream that has to make progress before the head of `s` may be executed, or NULL. */
static cpu_stream *blocker (cpu_stream *s) {
  const cpu_op *op = s->head;
  if (op->kind == CPU_OP_WAIT && !cpu_is_done(op->wait.stream, op->wait.seq))
    return op->wait.stream;
  cpu_stream *null = s->null;
  if (s == null) return before_null(s);
  if (s->blocking && null->head != NULL && null->head->seq < op->seq) return null;
  return NULL;
}

bool cpu_queue_is_ready (cpu_stream *s) {
  return s->head != NULL && !s->running && blocker(s) == NULL;
}

cpu_stream *cpu_queue_ready_for (cpu_stream *s, bool host) {
  for (int depth = 0; depth < MAX_DEPTH; depth++) {
    if (s->head == NULL || s->running) return NULL;
    cpu_stream *b = blocker(s);
    if (b == NULL) return host || s->head->kind != CPU_OP_HOST ? s : NULL;
    s = b;
  }
  return NULL;
}

cpu_stream *cpu_queue_running_for (cpu_stream *s) {
  for (int depth = 0; s != NULL && s->head != NULL && depth < MAX_DEPTH; depth++) {
    if (s->running) return s;
    s = blocker(s);
  }
  return NULL;
}

/* The highest priority (the lowest number) comes first, then the oldest operation. */
cpu_stream *cpu_queue_best_ready (void) {
  cpu_stream *best = NULL;
  for (cpu_stream *s = q.active; s != NULL; s = s->next_active) {
    if (!cpu_queue_is_ready(s)) continue;
    if (best == NULL || s->priority < best->priority ||
        (s->priority == best->priority && s->head->seq < best->head->seq))
      best = s;
  }
  return best;
}

int cpu_queue_count_ready (void) {
  int n = 0;
  for (cpu_stream *s = q.active; s != NULL; s = s->next_active) n += cpu_queue_is_ready(s);
  return n;
}

cpu_stream *cpu_queue_busy_until (uint64_t seq, cu_context ctx) {
  for (cpu_stream *s = q.active; s != NULL; s = s->next_active)
    if (s->head->seq <= seq && (ctx == NULL || s->context == ctx)) return s;
  return NULL;
}

uint64_t cpu_queue_latest (void) { return q.seq; }


/* ---- changes; need the lock ---- */

static void activate (cpu_stream *s) {
  atomic_fetch_add_explicit(&q.num_active, 1, memory_order_relaxed);
  s->prev_active = NULL;
  s->next_active = q.active;
  if (q.active != NULL) q.active->prev_active = s;
  q.active = s;
}

static void deactivate (cpu_stream *s) {
  if (s->next_active != NULL) s->next_active->prev_active = s->prev_active;
  if (s->prev_active != NULL) s->prev_active->next_active = s->next_active;
  else q.active = s->next_active;
  atomic_fetch_sub_explicit(&q.num_active, 1, memory_order_release);
}

void cpu_queue_append (cpu_stream *s, cpu_op *op) {
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

void cpu_queue_complete (cpu_stream *s) {
  cpu_op *op = s->head;
  s->head = op->next;
  s->running = false;
  atomic_store_explicit(&s->done, op->seq, memory_order_release);
  if (s->head == NULL) {
    s->tail = NULL;
    deactivate(s);
  }
  recycle(op);
}

bool cpu_queue_idle (void) {
  return atomic_load_explicit(&q.num_active, memory_order_acquire) == 0;
}

bool cpu_stream_idle (cpu_stream *s) {
  pthread_mutex_lock(&cpu_queue_lock);
  bool idle = s->head == NULL;
  for (cpu_stream *t = q.active; idle && s == s->null && t != NULL; t = t->next_active)
    idle = !t->blocking || t->null != s;
  pthread_mutex_unlock(&cpu_queue_lock);
  return idle;
}


/* ---- reset and shutdown ---- */

static void free_streams (void) {
  while (q.all_streams != NULL) {
    cpu_stream *s = q.all_streams;
    q.all_streams = s->next_all;
    forget_trace(s);
    lcu_free(s);
  }
  q.free_streams = NULL;
  forget_trace(&q.null);
}

void cpu_queue_reset (cu_context ctx) {
  pthread_mutex_lock(&cpu_queue_lock);
  for (cpu_stream *s = q.all_streams; s != NULL; s = s->next_all) {
    if (s->magic != STREAM_MAGIC || s->head != NULL || s->context != ctx) continue;
    s->magic = 0;
    forget_trace(s);
    s->next_free = q.free_streams;
    q.free_streams = s;
  }
  pthread_mutex_unlock(&cpu_queue_lock);
}

void cpu_queue_free (void) {
  free_streams();
  while (q.slabs != NULL) {
    slab *b = q.slabs;
    q.slabs = b->next;
    lcu_free(b);
  }
  q.free_ops = NULL;
}
