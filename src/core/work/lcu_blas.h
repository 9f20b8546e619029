/* lcu_blas.h: matrix products by cuBLAS, in the order of streams like every other work. */
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
  cu_deviceptr a, b, c; /* of the first element, as the device sees it */
  lcu_use uses[3];
} lcu_blas_job;

bool lcu_blas_has (lcu_dtype_id dtype);
/* Makes the device's handle where there is none yet (tens of milliseconds); it ends with the
 * device. */
lcu_status lcu_blas_ready (lcu_device *d);
/* Queues the product on `s`. Nothing is done, and *fit says why, when cuBLAS cannot take an operand
 * as it lies. Makes the handle, too. */
lcu_status lcu_blas_gemm (lcu_stream *s, const lcu_blas_job *job, lcu_gemm_fit *fit);

#endif
