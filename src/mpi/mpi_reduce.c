/* mpi_reduce.c: operators for the dtypes that MPI does not have, and in the same way for all
 * others. */
#include "lcu_float8.h"
#include "mpi_comm_own.h"

/* ---- combining two elements ---- */

#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((b) > (a) ? (b) : (a))
/* As NCCL: a NaN of either one stays. */
#define FMIN(a, b) ((a) != (a) || (a) < (b) ? (a) : (b))
#define FMAX(a, b) ((a) != (a) || (a) > (b) ? (a) : (b))

#define SAME(x) (x)
#define UNSIGNED32(x) ((uint32_t)(x))
#define UNSIGNED64(x) ((uint64_t)(x))

/* A function for MPI: inout[i] = in[i] op inout[i]. `wide` is the type that is computed in. */
#define COMBINE(name, storage, wide, load, store, op) \
  static void name(void *in, void *inout, int *count, mpi_handle *type) { \
    const storage *a = in; \
    storage *b = inout; \
    (void)type; \
    for (int i = 0; i < *count; i++) { \
      wide x = load(a[i]), y = load(b[i]); \
      b[i] = (storage)store((wide)op(x, y)); \
    } \
  }

#define INTEGERS(name, storage, wide, load) \
  COMBINE(name##_sum, storage, wide, load, SAME, SUM) \
  COMBINE(name##_prod, storage, wide, load, SAME, PROD) \
  COMBINE(name##_min, storage, storage, SAME, SAME, MIN) \
  COMBINE(name##_max, storage, storage, SAME, SAME, MAX)

#define FLOATS(name, storage, wide, load, store) \
  COMBINE(name##_sum, storage, wide, load, store, SUM) \
  COMBINE(name##_prod, storage, wide, load, store, PROD) \
  COMBINE(name##_min, storage, wide, load, store, FMIN) \
  COMBINE(name##_max, storage, wide, load, store, FMAX)

/* Integers are computed without sign, so that they wrap around. */
INTEGERS(int8, int8_t, uint32_t, UNSIGNED32)
INTEGERS(uint8, uint8_t, uint32_t, UNSIGNED32)
INTEGERS(int32, int32_t, uint32_t, UNSIGNED32)
INTEGERS(uint32, uint32_t, uint32_t, UNSIGNED32)
INTEGERS(int64, int64_t, uint64_t, UNSIGNED64)
INTEGERS(uint64, uint64_t, uint64_t, UNSIGNED64)
FLOATS(e4m3, uint8_t, float, lcu_e4m3_to_float, lcu_float_to_e4m3)
FLOATS(e5m2, uint8_t, float, lcu_e5m2_to_float, lcu_float_to_e5m2)
FLOATS(float16, uint16_t, float, lcu_half_to_float, lcu_float_to_half)
FLOATS(bfloat16, uint16_t, float, lcu_bf16_to_float, lcu_float_to_bf16)
FLOATS(float32, float, float, SAME, SAME)
FLOATS(float64, double, double, SAME, SAME)


/* ---- the table ---- */

#define ROW(name) \
  { [LCU_REDUCE_SUM] = name##_sum, \
    [LCU_REDUCE_PROD] = name##_prod, \
    [LCU_REDUCE_MIN] = name##_min, \
    [LCU_REDUCE_MAX] = name##_max, \
    [LCU_REDUCE_AVG] = name##_sum }

static mpi_user_function *const functions[LCU_DTYPE_COUNT][LCU_REDUCE_COUNT] = {
  [LCU_BOOL] = ROW(uint8),         [LCU_INT8] = ROW(int8),         [LCU_UINT8] = ROW(uint8),
  [LCU_INT32] = ROW(int32),        [LCU_UINT32] = ROW(uint32),     [LCU_INT64] = ROW(int64),
  [LCU_FLOAT8_E4M3FN] = ROW(e4m3), [LCU_FLOAT8_E5M2] = ROW(e5m2),  [LCU_UINT64] = ROW(uint64),
  [LCU_FLOAT16] = ROW(float16),    [LCU_BFLOAT16] = ROW(bfloat16), [LCU_FLOAT32] = ROW(float32),
  [LCU_FLOAT64] = ROW(float64),    [LCU_COMPLEX64] = ROW(float32), [LCU_COMPLEX128] = ROW(float64),
};

enum { LARGEST = 16 };
static mpi_handle operators[LCU_DTYPE_COUNT][LCU_REDUCE_COUNT], types[LARGEST + 1];

lcu_status mpi_bytes (const lcu_mpi *m, uint32_t size, mpi_handle *type) {
  mpi_handle made = NULL;
  if (types[size] == NULL) {
    LCU_TRY(
      lcu_mpi_status(m, "MPI_Type_contiguous", m->MPI_Type_contiguous((int)size, m->byte, &made)));
    LCU_TRY(lcu_mpi_status(m, "MPI_Type_commit", m->MPI_Type_commit(&made)));
    types[size] = made;
  }
  *type = types[size];
  return LCU_OK;
}

/* A complex number counts as two numbers. */
static uint32_t part_size (const lcu_dtype *t) {
  return t->kind == LCU_KIND_COMPLEX ? t->size / 2 : t->size;
}

lcu_status mpi_reduction (const lcu_mpi *m, lcu_dtype_id dtype, lcu_reduce_op op, mpi_handle *type,
                          mpi_handle *combine) {
  enum { COMMUTES = 1 };
  mpi_handle *known = &operators[dtype][op];
  LCU_TRY(mpi_bytes(m, part_size(&lcu_dtypes[dtype]), type));
  if (*known == NULL)
    LCU_TRY(
      lcu_mpi_status(m, "MPI_Op_create", m->MPI_Op_create(functions[dtype][op], COMMUTES, known)));
  *combine = *known;
  return LCU_OK;
}

void mpi_free_types (const lcu_mpi *m) {
  for (int t = 0; t < LCU_DTYPE_COUNT; t++)
    for (int o = 0; o < LCU_REDUCE_COUNT; o++)
      if (operators[t][o] != NULL) (void)m->MPI_Op_free(&operators[t][o]);
  for (int size = 0; size <= LARGEST; size++)
    if (types[size] != NULL) (void)m->MPI_Type_free(&types[size]);
}

void mpi_average (lcu_dtype_id dtype, void *p, uint64_t n, int ranks) {
  const lcu_dtype *t = &lcu_dtypes[dtype];
  unsigned char *at = p;
  for (uint64_t i = 0; i < n; i++, at += t->size) {
    lcu_scalar v = { 0 };
    lcu_dtype_load(t, at, &v);
    v.d /= ranks;
    v.im /= ranks;
    lcu_dtype_store(t, at, &v);
  }
}
