/* cpu_worker.h: submitting operations and waiting for them. */
#ifndef CPU_WORKER_H
#define CPU_WORKER_H

#include "cpu_queue.h"

typedef enum cpu_how {
  CPU_ASYNC, /* a worker executes the operation */
  CPU_QUICK, /* it is so short that the caller executes it, if nothing is queued before it */
  CPU_SYNC   /* the caller waits for it next, so no worker is woken */
} cpu_how;

/* Queues the operation and returns its number. */
uint64_t cpu_submit (cpu_stream *s, cpu_op *op, cpu_how how);
/* Waits for the operation with that number. Meanwhile this thread executes operations up to it that
 * no worker has started. */
void cpu_wait (cpu_stream *s, uint64_t seq);
/* Waits for all operations queued so far, in the context or in all of them. */
void cpu_wait_context (cu_context ctx);
void cpu_wait_all (void);
/* Waits like cpu_wait_all, but executes nothing, and only until *early is true: that is set with
 * cpu_queue_lock held, and cpu_work_tell called. Returns *early. Ends at once if there is no
 * worker. */
bool cpu_wait_unless (const bool *early);
void cpu_work_tell (void);
/* The number of the operation that was queued last, and whether all up to a number are complete. */
uint64_t cpu_work_latest (void);
bool cpu_work_done (uint64_t seq);
/* Completes all work and joins the workers. */
void cpu_workers_stop (void);

#endif
