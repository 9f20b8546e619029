/* cu_blas.h: cuBLAS, opened at run time. */
#ifndef CU_BLAS_H
#define CU_BLAS_H

#include "cu_abi.h"
#include "cu_library.h"
#include "lcu_status.h"

typedef struct cu_blas_ *cu_blas; /* a handle */

/* Its enumerations, named by their use. */
typedef int cu_blas_status, cu_blas_property, cu_blas_op, cu_blas_type, cu_blas_compute,
  cu_blas_algorithm;

enum { CU_BLAS_N = 0, CU_BLAS_T = 1 }; /* operations */
enum {
  CU_BLAS_R_16F = 2,
  CU_BLAS_R_16BF = 14,
  CU_BLAS_R_32F = 0,
  CU_BLAS_R_64F = 1,
  CU_BLAS_C_32F = 4,
  CU_BLAS_C_64F = 5
};
enum { CU_BLAS_COMPUTE_32F = 68, CU_BLAS_COMPUTE_64F = 70, CU_BLAS_COMPUTE_32F_FAST_TF32 = 77 };
enum { CU_BLAS_ALGORITHM_DEFAULT = -1 };

typedef struct lcu_cublas {
#define LCU_BLAS(name, params) cu_blas_status(*name) params;
#include "cublas.def"
#undef LCU_BLAS
  int version[3]; /* 13, 0, 2 */
  char path[512]; /* the file that was opened */
} lcu_cublas;

extern const lcu_library lcu_cublas_library;

/* Converts a cublasStatus_t to a status, and records the call. */
lcu_status lcu_cublas_status (const char *call, int r);

#endif
