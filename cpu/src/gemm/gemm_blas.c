/* gemm_blas.c: products by a BLAS: one call for each, of gemm, or of gemv for vectors. */
#include "gemm_blas.h"

#include <string.h>

#include "gemm_block.h"

/* 1 and 0 of every type, each followed by an imaginary part. */
static const float one32[2] = { 1, 0 }, zero32[2] = { 0, 0 };
static const double one64[2] = { 1, 0 }, zero64[2] = { 0, 0 };

/* One call: out = first second, by columns. */
typedef struct call {
  const lcu_hostblas_set *set;
  const void *one, *zero;
  int64_t size; /* of an element */
  int64_t m, n, k, ld_first, ld_second, ld_out;
  char op_first, op_second; /* 'N' or 'T' */
  const uint8_t *first, *second;
  uint8_t *out;
} call;

static void call_gemm (const call *c) {
  c->set->gemm(&c->op_first, &c->op_second, &c->m, &c->n, &c->k, c->one, c->first, &c->ld_first,
               c->second, &c->ld_second, c->zero, c->out, &c->ld_out, 1, 1);
}

/* y = op(a) x. Some libraries multiply the old y by 0, which may be NaN. */
static void call_gemv (const call *c, char op, const uint8_t *a, int64_t rows, int64_t columns,
                       int64_t ld, const uint8_t *x, int64_t step_x, int64_t step_y) {
  int64_t n = op == 'N' ? rows : columns;
  for (int64_t i = 0; i < n; i++) memset(c->out + i * step_y * c->size, 0, (size_t)c->size);
  c->set->gemv(&op, &rows, &columns, c->one, a, &ld, x, &step_x, c->zero, c->out, &step_y, 1);
}

static void first_times_vector (const call *c) {
  bool plain = c->op_first == 'N';
  call_gemv(c, c->op_first, c->first, plain ? c->m : c->k, plain ? c->k : c->m, c->ld_first,
            c->second, c->op_second == 'N' ? 1 : c->ld_second, 1);
}

/* As the transpose: second' first'. */
static void vector_times_second (const call *c) {
  bool plain = c->op_second == 'N';
  call_gemv(c, plain ? 'T' : 'N', c->second, plain ? c->k : c->n, plain ? c->n : c->k, c->ld_second,
            c->first, c->op_first == 'N' ? c->ld_first : 1, c->ld_out);
}

/* Columns of out that take well below a second, so that a stop is noticed. */
static int64_t columns_at_once (const call *c) {
  const double work = 4e9;
  double n = work / ((double)c->m * (double)c->k);
  return n < 1 ? 1 : n < (double)c->n ? (int64_t)n : c->n;
}

static void run_columns (const call *whole, const gemm_job *job) {
  call c = *whole;
  int64_t step = columns_at_once(whole);
  for (int64_t j = 0; j < whole->n && !gemm_stops(job); j += step) {
    c.n = whole->n - j < step ? whole->n - j : step;
    c.second = whole->second + j * (c.op_second == 'N' ? c.ld_second : 1) * c.size;
    c.out = whole->out + j * c.ld_out * c.size;
    call_gemm(&c);
  }
}

static void run_call (const call *c, const gemm_job *job) {
  if (c->n == 1) first_times_vector(c);
  else if (c->m == 1) vector_times_second(c);
  else run_columns(c, job);
}

static call describe (const gemm_job *job, const lcu_blas_args *x) {
  bool wide = job->dtype == LCU_FLOAT64 || job->dtype == LCU_COMPLEX128;
  return (call){ .set = lcu_hostblas_for(job->blas, job->dtype),
                 .one = wide ? (const void *)one64 : one32,
                 .zero = wide ? (const void *)zero64 : zero32,
                 .size = lcu_dtypes[job->dtype].size,
                 .m = x->m,
                 .n = x->n,
                 .k = x->k,
                 .ld_first = x->ld_first,
                 .ld_second = x->ld_second,
                 .ld_out = x->ld_out,
                 .op_first = x->transpose_first ? 'T' : 'N',
                 .op_second = x->transpose_second ? 'T' : 'N' };
}

static void run_all (const gemm_job *job, const lcu_blas_args *x) {
  call c = describe(job, x);
  int64_t count = lcu_gemm_count(job->plan), a, b, o;
  for (int64_t i = 0; i < count && !gemm_stops(job); i++) {
    lcu_gemm_offsets(job->plan, -1, i, &a, &b, &o);
    const uint8_t *at_a = (const uint8_t *)job->a + a * c.size;
    const uint8_t *at_b = (const uint8_t *)job->b + b * c.size;
    c.first = x->swapped ? at_b : at_a;
    c.second = x->swapped ? at_a : at_b;
    c.out = (uint8_t *)job->c + o * c.size;
    run_call(&c, job);
  }
}

/* Is a call not worth it? gemv is slow for one result, and gemm adds 0 to a single product, which
 * may be -0. */
static bool is_too_small (const lcu_gemm *g) {
  const int64_t few = 5;
  return (g->m == 1 && g->n == 1) || g->k == 1 || (g->m <= few && g->n <= few && g->k <= few);
}

bool gemm_blas_run (const gemm_job *job) {
  lcu_blas_args x;
  int strided;
  if (job->blas == NULL || lcu_hostblas_for(job->blas, job->dtype) == NULL) return false;
  if (is_too_small(job->plan)) return false;
  if (lcu_gemm_blas(job->plan, &x, &strided) != LCU_GEMM_FITS) return false;
  lcu_hostblas_use_threads(job->blas, job->threads);
  run_all(job, &x);
  return true;
}
