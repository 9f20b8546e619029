/* mpi_comm_own.h: what the files of this folder share. */
#ifndef MPI_COMM_OWN_H
#define MPI_COMM_OWN_H

#include <stdatomic.h>

#include "mpi_comm.h"

struct mpi_comm {
  const lcu_mpi *lib; /* NULL: of this process alone */
  mpi_handle handle;
  uint64_t id;
  int rank, size;
  double timeout_ms;
  /* guarded by the lock of mpi_comm.c */
  int users; /* jobs that hold it or run */
  bool closed;
  mpi_comm *next;
};

/* The communicator of a job that runs, until mpi_comm_let_go; NULL: it was closed. */
mpi_comm *mpi_comm_of (const cux_collective_job *job);

/* What a wait is for, and how long it may take. */
typedef struct mpi_wait {
  const lcu_mpi *lib;
  const char *what;
  double timeout_ms;
  bool (*stop)(void *ud); /* NULL: nothing stops it */
  void *ud;
  const cux_collective_job *job; /* the requests are its operations; NULL: others */
} mpi_wait;

/* Was as much received as the operation asks for? Of other operations there is nothing to check.
 * The lock is held. */
lcu_status mpi_check_received (const lcu_mpi *m, const lcu_collective *op,
                               const mpi_status *status);

/* Surround every call of MPI. */
void mpi_lock (void);
void mpi_unlock (void);
/* Waits for n requests. LCU_E_COMM after the time limit; *stopped (may be NULL) where `stop` said
 * so. Afterwards MPI is broken in both cases. */
lcu_status mpi_wait_all (const mpi_wait *w, mpi_handle requests[], int n, bool *stopped);
/* Has an operation failed? Then MPI cannot be used any more. */
bool mpi_is_broken (void);
lcu_status mpi_check_usable (void);
void mpi_set_broken (void);

/* LCU_E_COMM on all ranks, unless the job asks the same of all of them. Sends and receives are not
 * looked at. */
lcu_status mpi_check_job (const mpi_comm *c, const cux_collective_job *job, const mpi_wait *wait,
                          bool *stopped);

/* The type of elements that are combined, and the operator. Each is made at its first use; the lock
 * is held. */
lcu_status mpi_reduction (const lcu_mpi *m, lcu_dtype_id dtype, lcu_reduce_op op, mpi_handle *type,
                          mpi_handle *combine);
/* A type of `size` bytes. */
lcu_status mpi_bytes (const lcu_mpi *m, uint32_t size, mpi_handle *type);
/* Frees the types and operators, before the end of MPI. */
void mpi_free_types (const lcu_mpi *m);
/* Divides n elements by the number of ranks. */
void mpi_average (lcu_dtype_id dtype, void *p, uint64_t n, int ranks);

#endif
