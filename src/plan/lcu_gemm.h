/* lcu_gemm.h: products of strided matrices in a form that kernels and cuBLAS can be called with. No
 * device is needed. */
#ifndef LCU_GEMM_H
#define LCU_GEMM_H

#include "cu_blas.h"

enum { LCU_GEMM_AXES = 14 }; /* an array's axes less the two of the matrix */

/* count products c = a b with a of m x k, b of k x n and c of m x n elements. Steps are in
 * elements. The kernels of gemm_source.lua have the same struct as a parameter. */
typedef struct lcu_gemm {
  int64_t m, n, k;
  /* from row to row, from column to column */
  int64_t a_row, a_col, b_row, b_col, c_row, c_col;
  int64_t axes; /* of the batch, outermost first */
  struct {
    int64_t extent, a, b, c;
  } batch[LCU_GEMM_AXES];
} lcu_gemm;

/* An operand: shape and strides in bytes of ndim axes, the last two being the matrix. */
typedef struct lcu_operand {
  const int64_t *shape, *strides;
} lcu_operand;

/* All operands have ndim axes; the batch axes of a and b are c's (stride 0 where they are
 * repeated). Neighbouring batch axes become one, or rows or columns, where memory allows. False
 * when a stride is no multiple of `size` or there are more axes than can be. */
bool lcu_gemm_plan (lcu_gemm *g, int ndim, int64_t size, lcu_operand a, lcu_operand b,
                    lcu_operand c);
int64_t lcu_gemm_count (const lcu_gemm *g); /* products */

/* The same as arguments of cuBLAS, which knows columns only. `first` and `second` are its two
 * factors. */
typedef struct lcu_blas_args {
  int m, n, k;
  cu_blas_op op_first, op_second;
  int ld_first, ld_second, ld_out;
  /* first is b, second is a: the transpose of the product is asked for */
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

/* What cuBLAS cannot take as it lies is named. Batch axis `*strided` (-1: none) goes into one call;
 * there is a call for each index of the others. */
lcu_gemm_fit lcu_gemm_blas (const lcu_gemm *g, lcu_blas_args *out, int *strided);

/* Offsets in elements of call number `call` (0 ...) where axis `strided` is done by the call
 * itself. */
void lcu_gemm_offsets (const lcu_gemm *g, int strided, int64_t call, int64_t *a, int64_t *b,
                       int64_t *c);

#endif
