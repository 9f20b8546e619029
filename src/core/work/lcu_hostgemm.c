/* lcu_hostgemm.c: matrix products by the CPU device itself, queued on streams like other work. */
#include "lcu_hostgemm.h"

#include "lcu_capture.h"
#include "lcu_device_failure.h"
#include "lcu_scope.h"
#include "lcu_timeline.h"
#include "lcu_wait.h"

#define NO_KERNEL UINT64_MAX /* an id that no function has */

static const char NAME[] = "luacuda_matmul";

static LCU_COLD void open_span (lcu_stream *s) {
  lcu_timeline_open(s, LCU_SPAN_KERNEL);
  lcu_timeline_kernel(NAME, NULL, NULL);
}

static lcu_status queue (lcu_stream *s, const lcu_blas_job *job) {
  const lcu_hostblas *blas;
  if (lcu_process_hostblas(&blas) != LCU_OK) blas = NULL;
  const cux_gemm x = { job->gemm, (int)job->dtype, job->a, job->b, job->c, blas };
  LCU_TRY(lcu_work_begin(s, job->uses, lcu_arraylen(job->uses)));
  if (lcu_timeline_on()) open_span(s);
  lcu_status st = LCU_CALL(s->device->drv, cuxGemm, (&x, s->handle));
  if (lcu_timeline_on()) lcu_timeline_close(s, st);
  lcu_work_end_kernel(s, job->uses, lcu_arraylen(job->uses), true, NAME, NO_KERNEL);
  return lcu_device_status(s->device, st);
}

lcu_status lcu_hostgemm (lcu_stream *s, const lcu_blas_job *job) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = queue(s, job);
  lcu_device_leave(&scope);
  if (lcu_unlikely(lcu_process_launches_wait()) && st == LCU_OK && s->capture == NULL)
    return lcu_stream_synchronize(s);
  return st;
}
