/* lcu_blas.h: matrix products by cuBLAS, queued on streams like other work. */
#ifndef LCU_BLAS_H
#define LCU_BLAS_H

#include "lcu_dtype.h"
#include "lcu_gemm.h"
#include "lcu_work.h"

typedef struct lcu_blas_job {
  const lcu_gemm *gemm;
  lcu_dtype_id dtype; /* float16 bfloat16 float32 float64 complex64 complex128 */
  /* float32 and complex64 may be rounded to TF32 before they are multiplied */
  bool tf32;
  cu_deviceptr a, b, c; /* addresses of the first elements on the device */
  lcu_use uses[3];
} lcu_blas_job;

bool lcu_blas_has (lcu_dtype_id dtype);
/* Creates the device's handle if it has none (tens of milliseconds); it ends with the device. */
lcu_status lcu_blas_ready (lcu_device *d);
/* Has it one? */
bool lcu_blas_is_ready (const lcu_device *d);
/* Queues the product on `s`. Where cuBLAS cannot take the memory layout of an operand, queues
 * nothing and sets *fit to the reason. Creates the handle if necessary. */
lcu_status lcu_blas_gemm (lcu_stream *s, const lcu_blas_job *job, lcu_gemm_fit *fit);

#endif
