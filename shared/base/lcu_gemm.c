/* lcu_gemm.c: plans products of strided matrices for kernels and for cuBLAS. */
#include "lcu_gemm.h"

#include <limits.h>
#include <string.h>

/* ---- the plan ---- */

static bool whole (lcu_gemm_array x, int ndim, int64_t size) {
  for (int i = 0; i < ndim; i++)
    if (x.strides[i] % size != 0) return false;
  return true;
}

/* The step of an axis of one element is irrelevant: 0. */
static int64_t step (lcu_gemm_array x, int axis, int64_t size) {
  return x.shape[axis] == 1 ? 0 : x.strides[axis] / size;
}

/* Does `outer` continue where `inner` ends, in all three operands? */
static bool continues (const lcu_gemm *g, int outer, int inner) {
  int64_t n = g->batch[inner].extent;
  return g->batch[outer].a == n * g->batch[inner].a && g->batch[outer].b == n * g->batch[inner].b &&
         g->batch[outer].c == n * g->batch[inner].c;
}

static void add_axis (lcu_gemm *g, int64_t extent, int64_t a, int64_t b, int64_t c) {
  int i = (int)g->axes;
  g->batch[i].extent = extent;
  g->batch[i].a = a;
  g->batch[i].b = b;
  g->batch[i].c = c;
  if (i > 0 && continues(g, i - 1, i)) {
    g->batch[i].extent *= g->batch[i - 1].extent;
    g->batch[i - 1] = g->batch[i];
  } else g->axes++;
}

/* Turns the innermost batch axis into rows, where b is the same for all and the rows of a and c
 * continue evenly. */
static bool fold_rows (lcu_gemm *g) {
  int i = (int)g->axes - 1;
  int64_t n = g->batch[i].extent, a = g->batch[i].a, c = g->batch[i].c;
  if (g->batch[i].b != 0) return false;
  if (g->m == 1) {
    g->a_row = a;
    g->c_row = c;
  } else if (a != g->m * g->a_row || c != g->m * g->c_row) return false;
  g->m *= n;
  g->axes--;
  return true;
}

static bool fold_columns (lcu_gemm *g) {
  int i = (int)g->axes - 1;
  int64_t n = g->batch[i].extent, b = g->batch[i].b, c = g->batch[i].c;
  if (g->batch[i].a != 0) return false;
  if (g->n == 1) {
    g->b_col = b;
    g->c_col = c;
  } else if (b != g->n * g->b_col || c != g->n * g->c_col) return false;
  g->n *= n;
  g->axes--;
  return true;
}

bool lcu_gemm_plan (lcu_gemm *g, int ndim, int64_t size, lcu_gemm_array a, lcu_gemm_array b,
                    lcu_gemm_array c) {
  int row = ndim - 2, col = ndim - 1;
  memset(g, 0, sizeof *g);
  if (row > LCU_GEMM_AXES || !whole(a, ndim, size) || !whole(b, ndim, size) ||
      !whole(c, ndim, size))
    return false;
  g->m = c.shape[row];
  g->n = c.shape[col];
  g->k = a.shape[col];
  g->a_row = step(a, row, size);
  g->a_col = step(a, col, size);
  g->b_row = step(b, row, size);
  g->b_col = step(b, col, size);
  g->c_row = step(c, row, size);
  g->c_col = step(c, col, size);
  for (int i = 0; i < row; i++)
    if (c.shape[i] != 1)
      add_axis(g, c.shape[i], step(a, i, size), step(b, i, size), step(c, i, size));
  while (g->axes > 0 && (fold_rows(g) || fold_columns(g)));
  return true;
}

int64_t lcu_gemm_count (const lcu_gemm *g) {
  int64_t n = 1;
  for (int i = 0; i < g->axes; i++) n *= g->batch[i].extent;
  return n;
}


/* ---- cuBLAS ---- */

/* A matrix of rows x cols whose rows (or, transposed, columns) are contiguous, `ld` elements
 * apart. */
static bool find_runs (int64_t rows, int64_t cols, int64_t row, int64_t col, bool *transposed,
                       int64_t *ld) {
  if ((cols == 1 || col == 1) && (rows == 1 || row >= cols)) {
    *transposed = false;
    *ld = rows == 1 ? cols : row;
    return true;
  }
  *transposed = true;
  *ld = cols == 1 ? rows : col;
  return (rows == 1 || row == 1) && (cols == 1 || col >= rows);
}

static bool is_int (int64_t v) { return v <= INT_MAX; }

static int longest_axis (const lcu_gemm *g) {
  int best = -1;
  for (int i = 0; i < g->axes; i++)
    if (best < 0 || g->batch[i].extent > g->batch[best].extent) best = i;
  return best;
}

/* cuBLAS stores matrices by columns, so rows in memory are columns to it. Where the rows of c are
 * contiguous it computes c' = b' a', and takes a factor with contiguous rows without transposing
 * it. Where the columns of c are contiguous it computes c = a b, and takes a factor with contiguous
 * columns without transposing it. */
lcu_gemm_fit lcu_gemm_blas (const lcu_gemm *g, lcu_blas_args *out, int *strided) {
  bool a_columns, b_columns, c_columns;
  int64_t lda, ldb, ldc;
  memset(out, 0, sizeof *out);
  if (!find_runs(g->m, g->n, g->c_row, g->c_col, &c_columns, &ldc)) return LCU_GEMM_COPY_C;
  if (!find_runs(g->m, g->k, g->a_row, g->a_col, &a_columns, &lda)) return LCU_GEMM_COPY_A;
  if (!find_runs(g->k, g->n, g->b_row, g->b_col, &b_columns, &ldb)) return LCU_GEMM_COPY_B;
  if (!is_int(g->m) || !is_int(g->n) || !is_int(g->k) || !is_int(lda) || !is_int(ldb) ||
      !is_int(ldc))
    return LCU_GEMM_TOO_LARGE;
  *strided = longest_axis(g);
  bool transpose_a = a_columns != c_columns, transpose_b = b_columns != c_columns;
  out->swapped = !c_columns;
  out->m = (int)(out->swapped ? g->n : g->m);
  out->n = (int)(out->swapped ? g->m : g->n);
  out->k = (int)g->k;
  out->transpose_first = out->swapped ? transpose_b : transpose_a;
  out->transpose_second = out->swapped ? transpose_a : transpose_b;
  out->ld_first = (int)(out->swapped ? ldb : lda);
  out->ld_second = (int)(out->swapped ? lda : ldb);
  out->ld_out = (int)ldc;
  out->count = 1;
  if (*strided < 0) return LCU_GEMM_FITS;
  if (!is_int(g->batch[*strided].extent)) return LCU_GEMM_TOO_LARGE;
  out->count = (int)g->batch[*strided].extent;
  out->step_a = g->batch[*strided].a;
  out->step_b = g->batch[*strided].b;
  out->step_c = g->batch[*strided].c;
  return LCU_GEMM_FITS;
}

void lcu_gemm_offsets (const lcu_gemm *g, int strided, int64_t call, int64_t *a, int64_t *b,
                       int64_t *c) {
  *a = *b = *c = 0;
  for (int i = (int)g->axes - 1; i >= 0; i--) {
    if (i == strided) continue;
    int64_t at = call % g->batch[i].extent;
    call /= g->batch[i].extent;
    *a += at * g->batch[i].a;
    *b += at * g->batch[i].b;
    *c += at * g->batch[i].c;
  }
}
