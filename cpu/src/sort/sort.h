/* sort.h: sorts in host memory, for the CPU device. The order is that of the kernels of
 * sort_source.lua, bit for bit. */
#ifndef SORT_H
#define SORT_H

#include "lcu_dtype.h"
#include "lcu_thread.h"

typedef struct sort_job {
  bool places; /* positions (int64, from 1) instead of elements; equal elements keep their order */
  bool descending;
  lcu_dtype_id dtype;
  int64_t rows, m; /* rows of m elements, one after the other; 1 at least */
  const void *in;
  void *out;       /* may be `in`, unless positions are wanted */
  void *scratch;   /* of sort_scratch bytes, aligned to 16 */
  int threads;     /* as for sort_scratch */
  const char *isa; /* the instruction set, as ptx_isa_name spells it */
  lcu_team *team;  /* NULL: only the calling thread */
  /* Whether to stop; `out` is incomplete then. Called now and then by every thread. */
  bool (*stop)(void *ud);
  void *ud;
} sort_job;

/* The memory that the job needs beside its operands, in bytes. */
uint64_t sort_scratch (const sort_job *job);
/* Is it for sort_run? Positions of rows of 2^32 elements are not. */
bool sort_fits (const sort_job *job);
/* The only failure is LCU_E_NOMEM. */
lcu_status sort_run (const sort_job *job);

#endif
