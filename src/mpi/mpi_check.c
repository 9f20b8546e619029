/* mpi_check.c: the ranks tell each other what they are about to do. MPI writes past the end of
 * memory where sizes differ, and waits for ever where operations do; so all ranks fail before. */
#include <stdio.h>

#include "mpi_comm_own.h"

/* What a job asks of all ranks: its first operation, the number of them, and all in one number. */
typedef struct digest {
  int64_t n, kind, op, peer, dtype, count;
  uint64_t hash;
} digest;

static bool is_for_all (const lcu_collective *op) {
  return op->kind != LCU_COLLECTIVE_SEND && op->kind != LCU_COLLECTIVE_RECV;
}

/* The root of operations without one, and the operator of those without one, are 0. */
static void add (digest *d, const lcu_collective *op) {
  const uint64_t parts[] = { (uint64_t)op->kind, (uint64_t)op->op, (uint64_t)op->peer,
                             (uint64_t)op->dtype, op->count };
  for (size_t i = 0; i < lcu_arraylen(parts); i++)
    d->hash = (d->hash ^ parts[i]) * UINT64_C(0x100000001b3);
  if (d->n++ > 0) return;
  d->kind = op->kind;
  d->op = op->op;
  d->peer = op->peer;
  d->dtype = op->dtype;
  d->count = (int64_t)op->count;
}

static digest digest_of (const cux_collective_job *job) {
  digest d = { .hash = UINT64_C(0xcbf29ce484222325) };
  for (int i = 0; i < job->n; i++)
    if (is_for_all(&job->ops[i])) add(&d, &job->ops[i]);
  return d;
}

static void describe (const digest *d, char *out, size_t size) {
  bool reduces = d->n > 0 && lcu_collective_reduces((lcu_collective_kind)d->kind);
  if (d->n == 0) snprintf(out, size, "nothing");
  else
    snprintf(out, size, "%s of %lld %s elements%s%s, root %d%s", lcu_collectives[d->kind].name,
             (long long)d->count, lcu_dtypes[d->dtype].name, reduces ? ", op " : "",
             reduces ? lcu_reduce_ops[d->op] : "", (int)d->peer,
             d->n > 1 ? " and more in a group" : "");
}

static lcu_status compare (const digest *all, int size) {
  char first[160], other[160];
  for (int r = 1; r < size; r++) {
    if (all[r].hash == all[0].hash && all[r].n == all[0].n) continue;
    describe(&all[0], first, sizeof first);
    describe(&all[r], other, sizeof other);
    return lcu_fail(LCU_E_COMM,
                    "the ranks of a communicator differ: rank 0 calls %s; rank %d "
                    "calls %s",
                    first, r, other);
  }
  return LCU_OK;
}

static lcu_status exchange (const mpi_comm *c, const digest *mine, digest *all,
                            const mpi_wait *wait, bool *stopped) {
  const lcu_mpi *m = c->lib;
  mpi_handle request = NULL;
  mpi_lock();
  lcu_status st = lcu_mpi_status(m, "MPI_Iallgather",
                                 m->MPI_Iallgather(mine, (int)sizeof *mine, m->byte, all,
                                                   (int)sizeof *all, m->byte, c->handle, &request));
  mpi_unlock();
  return st == LCU_OK ? mpi_wait_all(wait, &request, 1, stopped) : st;
}

lcu_status mpi_check_job (const mpi_comm *c, const cux_collective_job *job, const mpi_wait *wait,
                          bool *stopped) {
  const digest mine = digest_of(job);
  if (mine.n == 0) return LCU_OK;
  digest *all = lcu_alloc((size_t)c->size * sizeof *all);
  if (all == NULL) return lcu_no_memory("the operations of a communicator");
  lcu_status st = exchange(c, &mine, all, wait, stopped);
  if (st == LCU_OK && !*stopped) st = compare(all, c->size);
  /* while MPI may still write to it, it stays */
  if (!mpi_is_broken()) lcu_free(all);
  return st;
}
