/* cu_hostblas.h: a BLAS for the CPU device, opened at run time. */
#ifndef CU_HOSTBLAS_H
#define CU_HOSTBLAS_H

#include "lcu_dtype.h"
#include "lcu_mem.h"
#include "lcu_status.h"

/* BLAS's own interface, that of Fortran: matrices by columns, every argument a pointer. Libraries
 * read 32 or 64 bits of an integer; as machines are little-endian, an int64_t serves both. */
typedef void lcu_hostblas_gemm (const char *op_a, const char *op_b, const int64_t *m,
                                const int64_t *n, const int64_t *k, const void *alpha,
                                const void *a, const int64_t *lda, const void *b,
                                const int64_t *ldb, const void *beta, void *c, const int64_t *ldc,
                                size_t op_a_length, size_t op_b_length);
typedef void lcu_hostblas_gemv (const char *op, const int64_t *m, const int64_t *n,
                                const void *alpha, const void *a, const int64_t *lda, const void *x,
                                const int64_t *step_x, const void *beta, void *y,
                                const int64_t *step_y, size_t op_length);

/* The functions for one type of numbers. */
typedef struct lcu_hostblas_set {
  lcu_hostblas_gemm *gemm;
  lcu_hostblas_gemv *gemv;
} lcu_hostblas_set;

enum { LCU_HOSTBLAS_TYPES = 4 };

typedef struct lcu_hostblas {
  lcu_hostblas_set sets[LCU_HOSTBLAS_TYPES];
  void (*set_threads)(int n); /* or NULL */
  char path[512];             /* the file that was opened */
} lcu_hostblas;

/* The functions for float32, float64, complex64 or complex128; NULL for other dtypes. */
const lcu_hostblas_set *lcu_hostblas_for (const lcu_hostblas *lib, lcu_dtype_id dtype);
/* Makes the library use up to n threads for a product, if it can be told. */
void lcu_hostblas_use_threads (const lcu_hostblas *lib, int n);

#endif
