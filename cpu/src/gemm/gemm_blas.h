/* gemm_blas.h: products by a BLAS. */
#ifndef GEMM_BLAS_H
#define GEMM_BLAS_H

#include "gemm.h"

/* Computes the products of the job, or returns false where there is no BLAS, or none for the dtype
 * or the strides. */
bool gemm_blas_run (const gemm_job *job);

#endif
