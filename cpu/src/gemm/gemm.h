/* gemm.h: matrix products in host memory: the kernels of the CPU device for every dtype, and a BLAS
 * where one was found. */
#ifndef GEMM_H
#define GEMM_H

#include "cu_hostblas.h"
#include "lcu_dtype.h"
#include "lcu_gemm.h"
#include "lcu_thread.h"

typedef struct gemm_job {
  const lcu_gemm *plan; /* no extent is 0 */
  lcu_dtype_id dtype;   /* sums are as in gemm_source.lua: float32 for half types, integers wrap */
  const void *a, *b;    /* the first elements, aligned to the dtype */
  void *c;
  const lcu_hostblas *blas; /* NULL: only the kernels */
  const char *isa;          /* the instruction set, as ptx_isa_name spells it */
  lcu_team *team;           /* NULL: only the calling thread */
  int threads;              /* of the device, for the BLAS */
  /* Whether to stop; c is incomplete then. Called now and then by every thread. */
  bool (*stop)(void *ud);
  void *ud;
} gemm_job;

/* Computes all products. The only failure is LCU_E_NOMEM. */
lcu_status gemm_run (const gemm_job *job);

#endif
