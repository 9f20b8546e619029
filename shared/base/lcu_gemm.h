/* lcu_gemm.h: plans products of strided matrices for kernels and for cuBLAS. Plain arithmetic,
 * without a device. */
#ifndef LCU_GEMM_H
#define LCU_GEMM_H

#include "lcu_base.h"

enum { LCU_GEMM_AXES = 14 }; /* an array's axes without the two of the matrix */

/* count products c = a b with a of m x k, b of k x n and c of m x n elements. Steps are in
 * elements. The kernels of gemm_source.lua have the same struct as a parameter. */
typedef struct lcu_gemm {
  int64_t m, n, k;
  /* steps from row to row, and from column to column */
  int64_t a_row, a_col, b_row, b_col, c_row, c_col;
  int64_t axes; /* of the batch, outermost first */
  struct {
    int64_t extent, a, b, c;
  } batch[LCU_GEMM_AXES];
} lcu_gemm;

/* An operand: shape and strides in bytes of ndim axes, the last two being the matrix. */
typedef struct lcu_gemm_array {
  const int64_t *shape, *strides;
} lcu_gemm_array;

/* All operands have ndim axes; the batch axes of a and b are those of c (stride 0 where they are
 * repeated). Merges adjacent batch axes with each other, or with rows or columns, where memory
 * allows. False: a stride is not a multiple of `size`, or there are too many axes. */
bool lcu_gemm_plan (lcu_gemm *g, int ndim, int64_t size, lcu_gemm_array a, lcu_gemm_array b,
                    lcu_gemm_array c);
int64_t lcu_gemm_count (const lcu_gemm *g); /* products */

/* The same as arguments of cuBLAS, which stores matrices by columns. `first` and `second` are its
 * two factors. */
typedef struct lcu_blas_args {
  int m, n, k;
  bool transpose_first, transpose_second;
  int ld_first, ld_second, ld_out;
  /* first is b, second is a: cuBLAS computes the transpose of the product */
  bool swapped;
  int count;                      /* products of one call */
  int64_t step_a, step_b, step_c; /* elements from product to product within a call */
} lcu_blas_args;

typedef enum lcu_gemm_fit {
  LCU_GEMM_FITS,
  LCU_GEMM_COPY_A,
  LCU_GEMM_COPY_B,
  LCU_GEMM_COPY_C,
  LCU_GEMM_TOO_LARGE
} lcu_gemm_fit;

/* Returns what prevents the use of cuBLAS, if anything. One call covers batch axis `*strided` (-1:
 * none); every index of the other batch axes needs a call. */
lcu_gemm_fit lcu_gemm_blas (const lcu_gemm *g, lcu_blas_args *out, int *strided);

/* Offsets in elements of call number `call` (0 ...); each call covers axis `strided`. */
void lcu_gemm_offsets (const lcu_gemm *g, int strided, int64_t call, int64_t *a, int64_t *b,
                       int64_t *c);

#endif
