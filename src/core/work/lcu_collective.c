/* lcu_collective.c: see lcu_collective.h. */
#include "lcu_collective.h"

#include <string.h>

#include "lcu_capture.h"
#include "lcu_collective_nccl.h"
#include "lcu_routine.h"
#include "mpi_comm.h"

typedef struct work {
  lcu_comm *comm;
  cux_collective_job *job;
} work;

static lcu_status call (lcu_stream *s, const void *ud) {
  const work *w = ud;
  if (s->capture != NULL) LCU_TRY(lcu_capture_comm(s, w->comm));
  lcu_comm_queueing(w->comm, s);
  if (w->comm->nccl != NULL) return lcu_collective_nccl(w->comm, s, w->job->ops, w->job->n);
  if (w->job->held) mpi_comm_hold(w->comm->mpi);
  lcu_status st = LCU_CALL(s->device->drv, cuxCollective, (w->job, s->handle));
  if (w->job->held && st != LCU_OK) mpi_comm_let_go(w->comm->mpi);
  return st;
}

static lcu_status queue_job (const work *w, lcu_stream *s, const lcu_collective *ops,
                             const lcu_use *uses, int n) {
  const lcu_comm *c = w->comm;
  const lcu_routine r = { lcu_collectives[ops[0].kind].name, uses, 2 * (size_t)n, call };
  *w->job = (cux_collective_job){ .run = mpi_comm_run,
                                  .skip = mpi_comm_skip,
                                  .comm = c->mpi != NULL ? mpi_comm_id(c->mpi) : 0,
                                  .held = s->capture == NULL,
                                  .rank = c->rank,
                                  .size = c->size,
                                  .n = n };
  memcpy(w->job->ops, ops, (size_t)n * sizeof *ops);
  return lcu_routine_queue(s, &r, w);
}

lcu_status lcu_collective_queue (lcu_comm *c, lcu_stream *s, const lcu_collective *ops,
                                 const lcu_use *uses, int n) {
  const work w = { c, lcu_alloc(cux_collective_bytes(n)) };
  if (w.job == NULL) return lcu_no_memory("the operations of a communicator");
  lcu_status st = queue_job(&w, s, ops, uses, n);
  lcu_free(w.job);
  if (st == LCU_OK && s->capture == NULL) lcu_comm_queued(c, s, atomic_load(&s->submitted));
  return st;
}
