/* cpu_queue.h: streams as queues of operations. */
#ifndef CPU_QUEUE_H
#define CPU_QUEUE_H

#include <pthread.h>

#include "cpu_op.h"

struct cu_stream_ {
  uint32_t magic;
  /* with the null stream; read of streams that end and begin anew meanwhile */
  atomic_bool blocking;
  int priority;
  cpu_op *head, *tail;       /* the head stays until it is complete */
  bool running;              /* a thread executes the head */
  atomic_uint_fast64_t last; /* number of the latest operation queued */
  atomic_uint_fast64_t done; /* all up to this one are complete */
  cpu_stream *next_active, *prev_active;
  cpu_stream *next_free, *next_all;
};

/* Handle to stream; NULL when it is not one. */
cpu_stream *cpu_stream_of (cu_stream s);
/* cpu_enter, and the stream of a handle. */
cu_result cpu_stream_enter (cu_stream handle, cpu_stream **s);
/* looks it up without touching it */
bool cpu_stream_known (cu_stream s);
cpu_stream *cpu_stream_null (void);
cpu_stream *cpu_stream_new (bool blocking, int priority); /* NULL: no memory */
void cpu_stream_retire (cpu_stream *s);                   /* its work is complete */
/* All that was queued so far in the stream (in all blocking ones for the null stream) is
 * complete. */
bool cpu_stream_idle (cpu_stream *s);
static inline bool cpu_is_done (cpu_stream *s, uint64_t seq) {
  return atomic_load_explicit(&s->done, memory_order_acquire) >= seq;
}

cpu_op *cpu_op_new (cpu_op_kind kind, cpu_op_fn *run); /* NULL: no memory */
/* one that was not submitted */
void cpu_op_discard (cpu_op *op);

/* Forgets all streams but the null stream; all work is complete. */
void cpu_queue_reset (void);
/* Frees streams and operations; no other thread uses them any more. */
void cpu_queue_free (void);

/* ---- for cpu_worker.c: what follows is used with this lock held ---- */

extern pthread_mutex_t cpu_queue_lock;

/* Numbers the operation and puts it last. */
void cpu_queue_append (cpu_stream *s, cpu_op *op);
/* The head of the stream was executed: takes it away. */
void cpu_queue_complete (cpu_stream *s);
/* Number of the operation queued last, in any stream. */
uint64_t cpu_queue_latest (void);
/* May the head of the stream be executed? */
bool cpu_queue_is_ready (cpu_stream *s);
int cpu_queue_count_ready (void);
/* The stream whose head to execute first, or NULL. */
cpu_stream *cpu_queue_best_ready (void);
/* The stream whose head a thread that waits for `s` may execute, or NULL. `host`: host functions
 * too. */
cpu_stream *cpu_queue_ready_for (cpu_stream *s, bool host);
/* The stream whose head has to be complete before that of `s`: where a kernel runs that `s` waits
 * for, or `s` itself; NULL when nothing runs. */
cpu_stream *cpu_queue_running_for (cpu_stream *s);
/* Some stream with an operation up to `seq`, or NULL. */
cpu_stream *cpu_queue_busy_until (uint64_t seq);

#endif
