/* cpu_queue.h: streams as queues of operations. The rules of their order are in cpu_queue.c. */
#ifndef CPU_QUEUE_H
#define CPU_QUEUE_H

#include <pthread.h>

#include "cpu_enter.h"
#include "cpu_op.h"

struct cu_stream_ {
  uint32_t magic;
  cu_context context;
  uint64_t id;          /* no other stream has had it */
  cpu_stream *null;     /* the null stream of the context; for a null stream: itself */
  atomic_bool blocking; /* ordered with the null stream */
  int priority;
  cpu_op *head, *tail;       /* the head stays until it is complete */
  bool running;              /* a thread executes the head */
  atomic_uint_fast64_t last; /* number of the latest operation queued */
  atomic_uint_fast64_t done; /* all operations up to this number are complete */
  struct ptx_trace *trace;   /* of the kernel with the number traced, or NULL */
  uint64_t traced;
  _Atomic(struct cpu_capture *) capture; /* that records the stream, or NULL */
  struct cpu_front *front;               /* the end of the stream in the capture */
  cpu_stream *next_captured;
  cpu_stream *next_active, *prev_active;
  cpu_stream *next_free, *next_all;
};

/* The stream of a handle, or NULL when the handle is invalid. */
cpu_stream *cpu_stream_of (cu_stream s);
/* Is it a stream? Works for any address, as it does not read the object. */
bool cpu_stream_known (cu_stream s);
static inline bool cpu_stream_is_null (const cpu_stream *s) { return s->null == s; }
/* A stream of the current context. NULL: out of memory. */
cpu_stream *cpu_stream_new (bool blocking, int priority);
/* Makes the context's null stream. */
bool cpu_stream_new_null (cu_context ctx);
void cpu_stream_retire (cpu_stream *s); /* its work must be complete */
/* Is everything queued in the stream complete? For a null stream: in all blocking streams of its
 * context. */
bool cpu_stream_idle (cpu_stream *s);
/* Is everything queued in any stream complete? Takes no lock. */
bool cpu_queue_idle (void);
static inline bool cpu_is_done (cpu_stream *s, uint64_t seq) {
  return atomic_load_explicit(&s->done, memory_order_acquire) >= seq;
}

cpu_op *cpu_op_new (cpu_op_kind kind, cpu_op_fn *run); /* NULL: out of memory */
/* Frees an operation that was not submitted. */
void cpu_op_discard (cpu_op *op);
/* A call of a host function (cpu_stream.c). NULL: out of memory. */
cpu_op *cpu_host_op (cu_host_fn fn, void *ud);

/* Invalidates the streams of the context, except the null stream of the primary one. All their work
 * must be complete. */
void cpu_queue_reset (cu_context ctx);
/* Frees streams and operations. No other thread may use them any more. */
void cpu_queue_free (void);

/* ---- cpu_stream.c ---- */

/* cpu_enter, then the stream of a handle. */
cu_result cpu_stream_enter (cu_stream handle, cpu_stream **s);

/* ---- for cpu_worker.c; the functions need this lock ---- */

extern pthread_mutex_t cpu_queue_lock;

/* Numbers the operation and appends it. */
void cpu_queue_append (cpu_stream *s, cpu_op *op);
/* Removes the head of the stream, which was executed. */
void cpu_queue_complete (cpu_stream *s);
/* The number of the operation queued last, in any stream. */
uint64_t cpu_queue_latest (void);
/* May the head of the stream be executed? */
bool cpu_queue_is_ready (cpu_stream *s);
int cpu_queue_count_ready (void);
/* Of the streams that are ready, the one to serve first, or NULL. */
cpu_stream *cpu_queue_best_ready (void);
/* The stream whose head a thread that waits for `s` can execute: `s` or one that `s` waits for; or
 * NULL. `host`: the thread may execute host functions. */
cpu_stream *cpu_queue_ready_for (cpu_stream *s, bool host);
/* The stream whose head is being executed and has to complete before `s` can continue: `s` or one
 * that `s` waits for; or NULL. */
cpu_stream *cpu_queue_running_for (cpu_stream *s);
/* A stream of the context (NULL: of any) with an incomplete operation up to `seq`, or NULL. */
cpu_stream *cpu_queue_busy_until (uint64_t seq, cu_context ctx);

#endif
