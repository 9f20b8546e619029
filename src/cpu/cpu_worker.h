/* cpu_worker.h: operations are executed, by workers and by threads that wait. */
#ifndef CPU_WORKER_H
#define CPU_WORKER_H

#include "cpu_queue.h"

/* How the submitter goes on. QUICK: may be executed here and now when nothing is before it; SYNC:
 * the caller waits for it next, so nobody has to be woken. */
typedef enum cpu_how { CPU_ASYNC, CPU_QUICK, CPU_SYNC } cpu_how;

/* Queues; returns its number. */
uint64_t cpu_submit (cpu_stream *s, cpu_op *op, cpu_how how);
/* Waits for the operation of that number, executing what stands before it where no worker does so
 * already. */
void cpu_wait (cpu_stream *s, uint64_t seq);
void cpu_wait_all (void);
/* Completes all work and joins the workers. */
void cpu_workers_stop (void);

#endif
