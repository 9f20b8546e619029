/* cu_mpi.h: MPI, opened at run time: the transport of communicators of the CPU device. Handles of
 * Open MPI are addresses of its objects. Those of MPICH, and of others with its binary interface,
 * are ints: functions read and write the lower half of a handle, so a handle that one of them sets
 * has to be NULL before. */
#ifndef CU_MPI_H
#define CU_MPI_H

#include "cu_library.h"
#include "lcu_status.h"

typedef void *mpi_handle;
/* What MPI says of a request that is done; larger than theirs. */
typedef struct mpi_status {
  uint64_t opaque[8];
} mpi_status;
typedef void mpi_user_function (void *in, void *inout, int *count, mpi_handle *type);

enum { MPI_SUCCESS_ = 0, MPI_THREAD_SERIALIZED_ = 2, MPI_UNDEFINED_ = -32766 };

typedef struct lcu_mpi {
#define LCU_MPI(name, params) int(*name) params;
#include "mpi.def"
#undef LCU_MPI
  mpi_handle world, byte, request_null, errors_return; /* predefined objects */
  void *in_place;                                      /* MPI_IN_PLACE */
  char name[32];                                       /* "Open MPI 4.1.4", "MPICH 4.0.2" */
  int version[2];
  char path[512]; /* the file that was opened */
} lcu_mpi;

/* Searched for by its usual names only. Opening it does not initialize it. */
extern const lcu_library lcu_mpi_library;

/* Converts an error code of MPI to a status, and records the call and MPI's text. */
lcu_status lcu_mpi_status (const lcu_mpi *m, const char *call, int r);

#endif
