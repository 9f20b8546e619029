/* gemm_vector.c: products of a vector and a matrix. They read the matrix once, so they are as fast
 * as memory if it is read in its order: along p where that is contiguous, with several sums at a
 * time for one result, else along i. As in tiles, sums begin with -0. */
#include "gemm_vector.h"

#include "lcu_float8.h"

/* Sums at a time for one result; results at a time; rows of the matrix that are added at once. */
enum { LANES = 32, RESULTS = 2048, ROWS = 4 };

/* ---- numbers of one part ---- */

#define DOT(name, T, S, WIDEN) \
  static inline S dot_##name(const T *x, const T *m, int64_t step_x, int64_t step_m, int64_t k) { \
    S sums[LANES], sum = -(S)0; \
    int64_t p = 0; \
    for (int l = 0; l < LANES; l++) sums[l] = -(S)0; \
    for (; p + LANES <= k; p += LANES) \
      for (int l = 0; l < LANES; l++) \
        sums[l] += WIDEN(x[(p + l) * step_x]) * WIDEN(m[(p + l) * step_m]); \
    for (; p < k; p++) sum += WIDEN(x[p * step_x]) * WIDEN(m[p * step_m]); \
    for (int l = 0; l < LANES; l++) sum += sums[l]; \
    return sum; \
  }

/* Adds `rows` rows of the matrix, each times a number, to n sums. */
#define ADD(name, T, S, WIDEN) \
  static inline void add_##name(S *restrict sums, const S x[ROWS], const T *restrict m, \
                                int64_t side, int64_t deep, int rows, int n) { \
    for (int i = 0; i < n; i++) { \
      S sum = sums[i]; \
      for (int r = 0; r < rows; r++) { \
        const S y = WIDEN(m[i * side + r * deep]); \
        sum += x[r] * y; \
      } \
      sums[i] = sum; \
    } \
  }

#define REALS(name, T, S, WIDEN, NARROW) \
  DOT(name, T, S, WIDEN) \
  ADD(name, T, S, WIDEN) \
  static void along_terms_##name(const gemm_vector *v) { \
    const T *x = v->x, *m = v->m; \
    T *out = v->out; \
    for (int64_t i = 0; i < v->n; i++, m += v->side, out += v->out_step) \
      *out = NARROW(v->x_step == 1 && v->deep == 1 ? dot_##name(x, m, 1, 1, v->k) \
                                                   : dot_##name(x, m, v->x_step, v->deep, v->k)); \
  } \
  static void along_results_##name(const gemm_vector *v, int64_t from, int n) { \
    const T *x = v->x, *m = (const T *)v->m + from * v->side; \
    T *out = (T *)v->out + from * v->out_step; \
    S sums[RESULTS], some[ROWS] = { 0 }; \
    int64_t rows = ROWS; \
    for (int i = 0; i < n; i++) sums[i] = -(S)0; \
    for (int64_t p = 0; p < v->k; p += rows, m += rows * v->deep) { \
      rows = v->k - p < ROWS ? 1 : ROWS; \
      for (int r = 0; r < rows; r++) some[r] = WIDEN(x[(p + r) * v->x_step]); \
      if (rows == 1) add_##name(sums, some, m, v->side, v->deep, 1, n); \
      else if (v->side == 1) add_##name(sums, some, m, 1, v->deep, ROWS, n); \
      else add_##name(sums, some, m, v->side, v->deep, ROWS, n); \
    } \
    for (int i = 0; i < n; i++) out[i * v->out_step] = NARROW(sums[i]); \
  } \
  static void vector_##name(const gemm_vector *v) { \
    if (v->deep == 1 || v->n == 1) { \
      along_terms_##name(v); \
      return; \
    } \
    for (int64_t i = 0; i < v->n; i += RESULTS) \
      along_results_##name(v, i, v->n - i < RESULTS ? (int)(v->n - i) : RESULTS); \
  }


/* ---- complex numbers ---- */

#define PAIRS(name, T) \
  static inline void dot_##name(const T *x, const T *m, int64_t step_x, int64_t step_m, int64_t k, \
                                T *out) { \
    T re[LANES], im[LANES]; \
    for (int l = 0; l < LANES; l++) re[l] = im[l] = -(T)0; \
    int64_t p = 0; \
    for (; p + LANES <= k; p += LANES) \
      for (int l = 0; l < LANES; l++) { \
        const T *u = x + 2 * (p + l) * step_x, *v = m + 2 * (p + l) * step_m; \
        re[l] += u[0] * v[0] - u[1] * v[1]; \
        im[l] += u[0] * v[1] + u[1] * v[0]; \
      } \
    for (; p < k; p++) { \
      const T *u = x + 2 * p * step_x, *v = m + 2 * p * step_m; \
      re[0] += u[0] * v[0] - u[1] * v[1]; \
      im[0] += u[0] * v[1] + u[1] * v[0]; \
    } \
    for (int l = 1; l < LANES; l++) re[0] += re[l], im[0] += im[l]; \
    out[0] = re[0]; \
    out[1] = im[0]; \
  } \
  static void along_results_##name(const gemm_vector *v, int64_t from, int n) { \
    const T *x = v->x, *m = (const T *)v->m + 2 * from * v->side; \
    T *out = (T *)v->out + 2 * from * v->out_step, re[RESULTS], im[RESULTS]; \
    for (int i = 0; i < n; i++) re[i] = im[i] = -(T)0; \
    for (int64_t p = 0; p < v->k; p++, x += 2 * v->x_step, m += 2 * v->deep) \
      for (int i = 0; i < n; i++) { \
        const T *y = m + 2 * i * v->side; \
        re[i] += x[0] * y[0] - x[1] * y[1]; \
        im[i] += x[0] * y[1] + x[1] * y[0]; \
      } \
    for (int i = 0; i < n; i++) { \
      out[2 * i * v->out_step] = re[i]; \
      out[2 * i * v->out_step + 1] = im[i]; \
    } \
  } \
  static void vector_##name(const gemm_vector *v) { \
    const T *m = v->m; \
    T *out = v->out; \
    if (v->deep == 1 || v->n == 1) { \
      for (int64_t i = 0; i < v->n; i++, m += 2 * v->side, out += 2 * v->out_step) { \
        if (v->x_step == 1 && v->deep == 1) dot_##name(v->x, m, 1, 1, v->k, out); \
        else dot_##name(v->x, m, v->x_step, v->deep, v->k, out); \
      } \
      return; \
    } \
    for (int64_t i = 0; i < v->n; i += RESULTS) \
      along_results_##name(v, i, v->n - i < RESULTS ? (int)(v->n - i) : RESULTS); \
  }


/* ---- the table ---- */

#define NUMBER(ID, name, T, S, WIDEN, NARROW) REALS(name, T, S, WIDEN, NARROW)
#define SAME_NUMBER(ID, name)
#define COMPLEX(ID, name, T) PAIRS(name, T)
#include "gemm_numbers.def"

gemm_vector_fn *const gemm_vectors[LCU_DTYPE_COUNT] = {
#define NUMBER(ID, name, T, S, WIDEN, NARROW) [LCU_##ID] = vector_##name,
#define SAME_NUMBER(ID, name) [LCU_##ID] = vector_##name,
#define COMPLEX(ID, name, T) [LCU_##ID] = vector_##name,
#include "gemm_numbers.def"
};

#undef PAIRS
