/* fake_cublas.c: a library with cuBLAS's entry points for test_blas.c. It computes in host memory,
 * within the call, as BLAS defines it: column order, leading dimensions, operations.
 * FAKE_CUBLAS_FAIL="cublasCreate_v2 3 1" makes the call of that name return 3 once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_blas.h"
#include "lcu_dtype.h"

/* Counts of: handles created, handles destroyed, single products, batched calls. */
LCU_EXPORT int fake_cublas_counts[4];
LCU_EXPORT cu_stream fake_cublas_stream;
LCU_EXPORT void *fake_cublas_workspace; /* NULL: the handle's own */
LCU_EXPORT size_t fake_cublas_size;

#define LCU_BLAS(name, params) LCU_EXPORT int name params;
#include "cublas.def"
#undef LCU_BLAS

static int failure (const char *call) {
  static int done;
  const char *e = getenv("FAKE_CUBLAS_FAIL");
  char name[64];
  int code, times;
  if (e == NULL) done = 0;
  if (e == NULL || sscanf(e, "%63s %d %d", name, &code, &times) != 3 || strcmp(name, call) != 0)
    return 0;
  return done++ < times ? code : 0;
}

int cublasGetProperty (int property, int *value) {
  *value = 90 + property;
  return failure("cublasGetProperty");
}

int cublasCreate_v2 (cu_blas *h) {
  int r = failure("cublasCreate_v2");
  if (r != 0) return r;
  *h = malloc(1);
  fake_cublas_counts[0]++;
  return 0;
}

int cublasDestroy_v2 (cu_blas h) {
  free(h);
  fake_cublas_counts[1]++;
  return 0;
}

int cublasSetStream_v2 (cu_blas h, cu_stream s) {
  fake_cublas_stream = s;
  fake_cublas_workspace = NULL;
  return h == NULL ? 1 : failure("cublasSetStream_v2");
}

int cublasSetWorkspace_v2 (cu_blas h, void *workspace, size_t size) {
  fake_cublas_workspace = workspace;
  fake_cublas_size = size;
  return h == NULL ? 1 : failure("cublasSetWorkspace_v2");
}

static const lcu_dtype *type_of (int type) {
  switch (type) {
    case 2: return &lcu_dtypes[LCU_FLOAT16];
    case 14: return &lcu_dtypes[LCU_BFLOAT16];
    case 0: return &lcu_dtypes[LCU_FLOAT32];
    case 1: return &lcu_dtypes[LCU_FLOAT64];
    case 4: return &lcu_dtypes[LCU_COMPLEX64];
    case 5: return &lcu_dtypes[LCU_COMPLEX128];
    default: return NULL;
  }
}

/* Is the factor `want`? alpha and beta have the type of the computation. */
static int is_factor (const lcu_dtype *t, const void *p, double want) {
  int wide = t->id == LCU_FLOAT64 || t->id == LCU_COMPLEX128, complex = t->kind == LCU_KIND_COMPLEX;
  double v[2] = { 0, 0 };
  for (int i = 0; i <= complex; i++)
    v[i] = wide ? ((const double *)p)[i] : (double)((const float *)p)[i];
  return v[0] == want && v[1] == 0;
}

static int compute_fits (const lcu_dtype *t, int compute) {
  if (t->id == LCU_FLOAT64 || t->id == LCU_COMPLEX128) return compute == CU_BLAS_COMPUTE_64F;
  return compute == CU_BLAS_COMPUTE_32F ||
         (compute == CU_BLAS_COMPUTE_32F_FAST_TF32 && t->size > 2);
}

/* Element (i, j) of op(x). */
static lcu_scalar at (const lcu_dtype *t, const void *x, int ld, int op, int i, int j) {
  lcu_scalar v;
  size_t place =
    op == CU_BLAS_N ? (size_t)i + (size_t)j * (size_t)ld : (size_t)j + (size_t)i * (size_t)ld;
  lcu_dtype_load(t, (const char *)x + place * t->size, &v);
  if (t->kind != LCU_KIND_COMPLEX) v.im = 0;
  return v;
}

static int max (int a, int b) { return a > b ? a : b; }

int cublasGemmEx (cu_blas h, int op_a, int op_b, int m, int n, int k, const void *alpha,
                  const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
                  const void *beta, void *c, int c_type, int ldc, int compute, int algorithm) {
  const lcu_dtype *t = type_of(a_type);
  int r = failure("cublasGemmEx");
  if (r != 0) return r;
  if (h == NULL || t == NULL || b_type != a_type || c_type != a_type || algorithm != -1 || m < 1 ||
      n < 1 || k < 1)
    return 7;
  if (op_a < 0 || op_a > 1 || op_b < 0 || op_b > 1 || !compute_fits(t, compute)) return 7;
  if (lda < max(1, op_a == CU_BLAS_N ? m : k) || ldb < max(1, op_b == CU_BLAS_N ? k : n) ||
      ldc < max(1, m))
    return 7;
  if (!is_factor(t, alpha, 1) || !is_factor(t, beta, 0)) return 7;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      lcu_scalar sum = { 0 };
      for (int p = 0; p < k; p++) {
        lcu_scalar x = at(t, a, lda, op_a, i, p), y = at(t, b, ldb, op_b, p, j);
        sum.d += x.d * y.d - x.im * y.im;
        sum.im += x.d * y.im + x.im * y.d;
      }
      lcu_dtype_store(t, (char *)c + ((size_t)i + (size_t)j * (size_t)ldc) * t->size, &sum);
    }
  fake_cublas_counts[2]++;
  return 0;
}

int cublasGemmStridedBatchedEx (cu_blas h, int op_a, int op_b, int m, int n, int k,
                                const void *alpha, const void *a, int a_type, int lda,
                                long long stride_a, const void *b, int b_type, int ldb,
                                long long stride_b, const void *beta, void *c, int c_type, int ldc,
                                long long stride_c, int count, int compute, int algorithm) {
  const lcu_dtype *t = type_of(a_type);
  int r = failure("cublasGemmStridedBatchedEx");
  if (r != 0 || t == NULL || count < 1) return r != 0 ? r : 7;
  long long size = t->size;
  for (int i = 0; i < count && r == 0; i++)
    r = cublasGemmEx(h, op_a, op_b, m, n, k, alpha, (const char *)a + i * stride_a * size, a_type,
                     lda, (const char *)b + i * stride_b * size, b_type, ldb, beta,
                     (char *)c + i * stride_c * size, c_type, ldc, compute, algorithm);
  fake_cublas_counts[2] -= r == 0 ? count : 0;
  fake_cublas_counts[3]++;
  return r;
}
