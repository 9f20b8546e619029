/* mpi_run.c: the operations of a job, started together and waited for together. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "mpi_comm_own.h"

static void *memory (cu_deviceptr p) { return (void *)(uintptr_t)p; }


/* ---- one operation over MPI ---- */

typedef struct call {
  const lcu_mpi *m;
  const mpi_comm *c;
  const lcu_collective *op;
  int count; /* elements of `type` */
  mpi_handle type, combine;
  mpi_handle *request;
} call;

/* MPI wants a word in place of the input where input and output are one, and that on all ranks or
 * on none; so the input is in its place in the output always. */
static void put (cu_deviceptr out, const lcu_collective *o) {
  size_t n = (size_t)(o->count * lcu_dtypes[o->dtype].size);
  if (n != 0 && out != o->in) memmove(memory(out), memory(o->in), n);
}

static cu_deviceptr own_part (const call *x, cu_deviceptr whole) {
  return whole + x->op->count * lcu_dtypes[x->op->dtype].size * (uint64_t)x->c->rank;
}

static bool is_root (const call *x) { return x->op->peer == x->c->rank; }

static lcu_status all_reduce (const call *x) {
  const lcu_collective *o = x->op;
  put(o->out, o);
  return lcu_mpi_status(x->m, "MPI_Iallreduce",
                        x->m->MPI_Iallreduce(x->m->in_place, memory(o->out), x->count, x->type,
                                             x->combine, x->c->handle, x->request));
}

static lcu_status reduce (const call *x) {
  const lcu_collective *o = x->op;
  const void *in = is_root(x) ? x->m->in_place : memory(o->in);
  if (is_root(x)) put(o->out, o);
  return lcu_mpi_status(x->m, "MPI_Ireduce",
                        x->m->MPI_Ireduce(in, memory(o->out), x->count, x->type, x->combine,
                                          o->peer, x->c->handle, x->request));
}

static lcu_status reduce_scatter (const call *x) {
  const lcu_collective *o = x->op;
  return lcu_mpi_status(x->m, "MPI_Ireduce_scatter_block",
                        x->m->MPI_Ireduce_scatter_block(memory(o->in), memory(o->out), x->count,
                                                        x->type, x->combine, x->c->handle,
                                                        x->request));
}

/* The root also sends its output. */
static lcu_status broadcast (const call *x) {
  const lcu_collective *o = x->op;
  if (is_root(x)) put(o->out, o);
  return lcu_mpi_status(
    x->m, "MPI_Ibcast",
    x->m->MPI_Ibcast(memory(o->out), x->count, x->type, o->peer, x->c->handle, x->request));
}

static lcu_status all_gather (const call *x) {
  const lcu_collective *o = x->op;
  put(own_part(x, o->out), o);
  return lcu_mpi_status(x->m, "MPI_Iallgather",
                        x->m->MPI_Iallgather(x->m->in_place, x->count, x->type, memory(o->out),
                                             x->count, x->type, x->c->handle, x->request));
}

static lcu_status all_to_all (const call *x) {
  const lcu_collective *o = x->op;
  return lcu_mpi_status(x->m, "MPI_Ialltoall",
                        x->m->MPI_Ialltoall(memory(o->in), x->count, x->type, memory(o->out),
                                            x->count, x->type, x->c->handle, x->request));
}

static lcu_status gather (const call *x) {
  const lcu_collective *o = x->op;
  return lcu_mpi_status(x->m, "MPI_Igather",
                        x->m->MPI_Igather(memory(o->in), x->count, x->type, memory(o->out),
                                          x->count, x->type, o->peer, x->c->handle, x->request));
}

static lcu_status scatter (const call *x) {
  const lcu_collective *o = x->op;
  return lcu_mpi_status(x->m, "MPI_Iscatter",
                        x->m->MPI_Iscatter(memory(o->in), x->count, x->type, memory(o->out),
                                           x->count, x->type, o->peer, x->c->handle, x->request));
}

/* Sends and receives of two ranks meet in their order. The tag is the dtype, so that those of
 * different ones do not meet. */
static lcu_status send (const call *x) {
  return lcu_mpi_status(x->m, "MPI_Isend",
                        x->m->MPI_Isend(memory(x->op->in), x->count, x->type, x->op->peer,
                                        (int)x->op->dtype, x->c->handle, x->request));
}

static lcu_status recv (const call *x) {
  return lcu_mpi_status(x->m, "MPI_Irecv",
                        x->m->MPI_Irecv(memory(x->op->out), x->count, x->type, x->op->peer,
                                        (int)x->op->dtype, x->c->handle, x->request));
}

lcu_status mpi_check_received (const lcu_mpi *m, const lcu_collective *op,
                               const mpi_status *status) {
  int came = 0;
  mpi_handle type;
  if (op->kind != LCU_COLLECTIVE_RECV) return LCU_OK;
  LCU_TRY(mpi_bytes(m, lcu_dtypes[op->dtype].size, &type));
  LCU_TRY(lcu_mpi_status(m, "MPI_Get_count", m->MPI_Get_count(status, type, &came)));
  if ((uint64_t)came == op->count) return LCU_OK;
  return lcu_fail(LCU_E_COMM, "%llu elements were expected, and %d came",
                  (unsigned long long)op->count, came);
}

static lcu_status (*const starts[LCU_COLLECTIVE_COUNT])(const call *x) = {
  [LCU_COLLECTIVE_ALL_REDUCE] = all_reduce,
  [LCU_COLLECTIVE_BROADCAST] = broadcast,
  [LCU_COLLECTIVE_REDUCE] = reduce,
  [LCU_COLLECTIVE_ALL_GATHER] = all_gather,
  [LCU_COLLECTIVE_GATHER] = gather,
  [LCU_COLLECTIVE_REDUCE_SCATTER] = reduce_scatter,
  [LCU_COLLECTIVE_SCATTER] = scatter,
  [LCU_COLLECTIVE_ALL_TO_ALL] = all_to_all,
  [LCU_COLLECTIVE_SEND] = send,
  [LCU_COLLECTIVE_RECV] = recv,
};

/* The lock is held. */
static lcu_status start (const mpi_comm *c, const lcu_collective *op, mpi_handle *request) {
  const lcu_dtype *t = &lcu_dtypes[op->dtype];
  call x = { .m = c->lib, .c = c, .op = op, .request = request };
  bool reduces = lcu_collective_reduces(op->kind);
  uint64_t parts = reduces && t->kind == LCU_KIND_COMPLEX ? 2 : 1;
  if (op->count > (uint64_t)INT_MAX / parts)
    return lcu_fail(LCU_E_COMM, "MPI moves at most %d elements in one operation", INT_MAX);
  x.count = (int)(op->count * parts);
  if (reduces) LCU_TRY(mpi_reduction(c->lib, op->dtype, op->op, &x.type, &x.combine));
  else LCU_TRY(mpi_bytes(c->lib, t->size, &x.type));
  return starts[op->kind](&x);
}

static lcu_status start_all (const mpi_comm *c, const cux_collective_job *job,
                             mpi_handle requests[]) {
  lcu_status st = LCU_OK;
  mpi_lock();
  for (int i = 0; i < job->n; i++) requests[i] = c->lib->request_null;
  for (int i = 0; i < job->n && st == LCU_OK; i++) {
    st = start(c, &job->ops[i], &requests[i]);
    if (st == LCU_E_COMM && i > 0) mpi_set_broken(); /* earlier ones are on their way */
  }
  mpi_unlock();
  return st;
}


/* ---- afterwards, and alone ---- */

static void copy (const lcu_collective *op, const mpi_comm *c) {
  uint64_t n = lcu_collective_bytes(op, c->size, true);
  if (n != 0 && op->in != op->out) memmove(memory(op->out), memory(op->in), (size_t)n);
}

static void finish (const lcu_collective *op, const mpi_comm *c) {
  if (lcu_collective_reduces(op->kind) && op->op == LCU_REDUCE_AVG && op->out != 0)
    mpi_average(op->dtype, memory(op->out), op->count, c->size);
}

/* The n-th send of a job, which the n-th receive gets. */
static const lcu_collective *nth_send (const cux_collective_job *job, int n) {
  for (int i = 0; i < job->n; i++)
    if (job->ops[i].kind == LCU_COLLECTIVE_SEND && n-- == 0) return &job->ops[i];
  return NULL;
}

/* Gives a receive the input of the send that it meets. */
static lcu_status meet (const lcu_collective *sent, lcu_collective *received) {
  if (sent == NULL)
    return lcu_fail(LCU_E_COMM,
                    "recv: the only rank sends nothing: put send and recv into a group");
  if (sent->dtype != received->dtype || sent->count != received->count)
    return lcu_fail(LCU_E_COMM, "recv: %llu elements of %s were expected, and %llu of %s came",
                    (unsigned long long)received->count, lcu_dtypes[received->dtype].name,
                    (unsigned long long)sent->count, lcu_dtypes[sent->dtype].name);
  received->in = sent->in;
  return LCU_OK;
}

/* In a communicator of one rank every output is the input, and a rank may send to itself. */
static lcu_status run_alone (const cux_collective_job *job, const mpi_comm *c) {
  int received = 0;
  for (int i = 0; i < job->n; i++) {
    lcu_collective op = job->ops[i];
    if (op.kind == LCU_COLLECTIVE_SEND) continue;
    if (op.kind == LCU_COLLECTIVE_RECV) LCU_TRY(meet(nth_send(job, received++), &op));
    if (op.in != 0) copy(&op, c);
  }
  if (nth_send(job, received) == NULL) return LCU_OK;
  return lcu_fail(LCU_E_COMM,
                  "send: the only rank receives nothing: put send and recv into a group");
}

static lcu_status run (const mpi_comm *c, const cux_collective_job *job, mpi_handle requests[],
                       bool (*stop)(void *ud), void *ud) {
  const char *what = lcu_collectives[job->ops[0].kind].name;
  const mpi_wait check = { c->lib, what, c->timeout_ms, stop, ud, NULL },
                 wait = { c->lib, what, c->timeout_ms, stop, ud, job };
  bool stopped = false;
  LCU_TRY(mpi_check_usable());
  LCU_TRY(mpi_check_job(c, job, &check, &stopped));
  if (stopped) return LCU_OK;
  LCU_TRY(start_all(c, job, requests));
  LCU_TRY(mpi_wait_all(&wait, requests, job->n, &stopped));
  for (int i = 0; i < job->n && !stopped; i++) finish(&job->ops[i], c);
  return LCU_OK;
}

static lcu_status run_over (const mpi_comm *c, const cux_collective_job *job,
                            bool (*stop)(void *ud), void *ud) {
  enum { FEW = 16 };
  mpi_handle few[FEW];
  if (c->lib == NULL) return run_alone(job, c);
  if (job->n <= FEW) return run(c, job, few, stop, ud);
  mpi_handle *requests = lcu_alloc((size_t)job->n * sizeof *requests);
  if (requests == NULL) return lcu_no_memory("the operations of a communicator");
  lcu_status st = run(c, job, requests, stop, ud);
  lcu_free(requests);
  return st;
}

static lcu_status run_job (const cux_collective_job *job, bool (*stop)(void *ud), void *ud) {
  mpi_comm *c = mpi_comm_of(job);
  if (c == NULL) return lcu_fail(LCU_E_COMM, "the communicator was closed");
  lcu_status st = run_over(c, job, stop, ud);
  mpi_comm_let_go(c);
  return st;
}

lcu_status mpi_comm_run (const cux_collective_job *job, bool (*stop)(void *ud), void *ud,
                         char why[CUX_WHY_SIZE]) {
  lcu_status st = run_job(job, stop, ud);
  if (st != LCU_OK) snprintf(why, CUX_WHY_SIZE, "%.1000s", lcu_failure_get()->message);
  return st;
}

void mpi_comm_skip (const cux_collective_job *job) {
  mpi_comm *c = job->held ? mpi_comm_of(job) : NULL;
  if (c != NULL) mpi_comm_let_go(c);
}
