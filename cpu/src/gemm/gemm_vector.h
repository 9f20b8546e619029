/* gemm_vector.h: products of a vector and a matrix. */
#ifndef GEMM_VECTOR_H
#define GEMM_VECTOR_H

#include "lcu_base.h"
#include "lcu_dtype.h"

/* out[i] = sum of x[p] m[p, i] for i from 0 to n - 1 and p from 0 to k - 1; steps in elements. */
typedef struct gemm_vector {
  int64_t n, k;
  const void *x, *m;
  void *out;
  int64_t x_step, side, deep, out_step; /* `side`: from i to i + 1; `deep`: from p to p + 1 */
} gemm_vector;

typedef void gemm_vector_fn (const gemm_vector *v);

extern gemm_vector_fn *const gemm_vectors[LCU_DTYPE_COUNT];

#endif
