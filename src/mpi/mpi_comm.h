/* mpi_comm.h: communicators over MPI, and their operations in host memory. MPI is called by one
 * thread at a time. Nothing waits longer than its time limit: after a failure MPI may still use the
 * memory of the operations, and its state is not known, so nothing is sent or received any more. */
#ifndef MPI_COMM_H
#define MPI_COMM_H

#include "cu_collective.h"
#include "cu_mpi.h"

typedef struct mpi_comm mpi_comm;

/* Joins the processes that MPI's launcher started, and initializes MPI if the program has not. All
 * of them have to call it. `timeout_ms` is the time limit of all operations (0: none). It is
 * finalized when the program ends. */
lcu_status mpi_comm_join (const lcu_mpi *m, double timeout_ms, mpi_comm **out);
/* A communicator of this process alone, which needs no MPI. */
lcu_status mpi_comm_alone (double timeout_ms, mpi_comm **out);
/* Divides the ranks by color, in the order of their keys; *out is NULL for a color below 0. All
 * ranks have to call it, with all their operations done. */
lcu_status mpi_comm_split (mpi_comm *c, int color, int key, mpi_comm **out);
/* Ends it, when the last job that holds it has run; jobs in graphs will fail. NULL is fine. */
void mpi_comm_close (mpi_comm *c);
/* For a job with `held`, which lets go when it has run. */
void mpi_comm_hold (mpi_comm *c);
void mpi_comm_let_go (mpi_comm *c);

int mpi_comm_rank (const mpi_comm *c);
int mpi_comm_size (const mpi_comm *c);
uint64_t mpi_comm_id (const mpi_comm *c); /* for cux_collective_job.comm */
double mpi_comm_timeout (const mpi_comm *c);

/* Carries out the operations of a job: its `run`. */
lcu_status mpi_comm_run (const cux_collective_job *job, bool (*stop)(void *ud), void *ud,
                         char why[CUX_WHY_SIZE]);
/* Its `skip`: lets the communicator go. */
void mpi_comm_skip (const cux_collective_job *job);

#endif
