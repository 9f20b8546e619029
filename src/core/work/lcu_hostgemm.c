/* lcu_hostgemm.c: matrix products by the CPU device itself, queued on streams like other work. */
#include "cu_search.h"
#include "lcu_process_open.h"
#include "lcu_routine.h"

static lcu_status call_hostgemm (lcu_stream *s, const void *job) {
  return LCU_CALL(s->device->drv, cuxGemm, (job, s->handle));
}

/* NULL: the device's own kernels. They never replace a BLAS that the user named. */
static lcu_status find_blas (const lcu_hostblas **out) {
  lcu_status s = lcu_process_hostblas(out);
  if (s == LCU_OK || lcu_search_names("LUACUDA_LIBBLAS")) return s;
  *out = NULL;
  return LCU_OK;
}

lcu_status lcu_hostgemm (lcu_stream *s, const lcu_blas_job *job) {
  const lcu_hostblas *blas;
  LCU_TRY(find_blas(&blas));
  const cux_gemm x = { job->gemm, (int)job->dtype, job->a, job->b, job->c, blas };
  const lcu_routine r = { CUX_GEMM_NAME, job->uses, lcu_arraylen(job->uses), call_hostgemm };
  return lcu_routine_queue(s, &r, &x);
}
