/* ptx_jit_queue.h: what waits to be compiled, and the thread that does it. The thread exists as
 * long as there is something to do. */
#ifndef PTX_JIT_QUEUE_H
#define PTX_JIT_QUEUE_H

#include "ptx.h"
#include "ptx_code.h"

typedef struct ptx_jit_job {
  struct ptx_jit_job *next;
  ptx_code *code; /* NULL: its module is gone */
  int form;
  int half;
  ptx_jit_folder folder;
} ptx_jit_job;

/* Is the thread, or its lock, of use to this process? Not to a child of fork(). */
bool ptx_jit_queue_begin (void);

/* Adds a job, which is freed after work(job), and starts the thread. False: there is no thread; the
 * job is freed. */
bool ptx_jit_queue_add (ptx_jit_job *j, void (*work)(ptx_jit_job *j));

/* For work: it does not read the code any more, which may go from now on. */
void ptx_jit_queue_release (void);

/* Runs done(job, ud) with job->code as it is now, so that it cannot go meanwhile. */
void ptx_jit_queue_finish (ptx_jit_job *j, void (*done)(ptx_jit_job *j, void *ud), void *ud);

/* Waits until the state is READY or later. */
void ptx_jit_queue_wait (const atomic_int *state);

/* No job is to do anything to this code any more. */
void ptx_jit_queue_forget (const ptx_code *code);

/* Waits until the thread has ended. A job with a folder may go on for a second before it is
 * stopped; any other is stopped at once. Waiting jobs are not begun. */
void ptx_jit_queue_rest (void);

/* For work: must jobs not be begun now? */
bool ptx_jit_queue_is_resting (void);

#endif
