/* lcu_collective.c: see lcu_collective.h. */
#include "lcu_collective.h"

#include <string.h>

#include "lcu_capture.h"
#include "lcu_routine.h"
#include "mpi_comm.h"

typedef struct work {
  lcu_comm *comm;
  const lcu_collective *ops;
  int n;
} work;

static cux_collective_job *job_new (const work *w, const lcu_stream *s) {
  const lcu_comm *c = w->comm;
  cux_collective_job *job = lcu_alloc(cux_collective_bytes(w->n));
  if (job == NULL) return NULL;
  *job = (cux_collective_job){ .run = mpi_comm_run,
                               .skip = mpi_comm_skip,
                               .comm = mpi_comm_id(c->mpi),
                               .held = s->capture == NULL,
                               .rank = c->rank,
                               .size = c->size,
                               .n = w->n };
  memcpy(job->ops, w->ops, (size_t)w->n * sizeof *w->ops);
  return job;
}

static lcu_status call_mpi (const work *w, lcu_stream *s) {
  cux_collective_job *job = job_new(w, s);
  if (job == NULL) return lcu_no_memory("the operations of a communicator");
  if (job->held) mpi_comm_hold(w->comm->mpi);
  lcu_status st = LCU_CALL(s->device->drv, cuxCollective, (job, s->handle));
  if (job->held && st != LCU_OK) mpi_comm_let_go(w->comm->mpi);
  lcu_free(job);
  return st;
}

static lcu_status call_collectives (lcu_stream *s, const void *ud) {
  const work *w = ud;
  if (s->capture != NULL) LCU_TRY(lcu_capture_comm(s, w->comm));
  if (w->comm->nccl == NULL) return call_mpi(w, s);
  return lcu_collective_nccl(w->comm, s, w->ops, w->n);
}

lcu_status lcu_collective_queue (lcu_comm *c, lcu_stream *s, const lcu_collective *ops,
                                 const lcu_use *uses, int n) {
  const work w = { c, ops, n };
  const lcu_routine r = { lcu_collectives[ops[0].kind].name, uses, 2 * (size_t)n,
                          call_collectives };
  lcu_status st = lcu_routine_queue(s, &r, &w);
  if (st == LCU_OK && s->capture == NULL) lcu_comm_queued(c, s, atomic_load(&s->submitted));
  return st;
}
