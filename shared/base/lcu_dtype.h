/* lcu_dtype.h: element types, read from dtype.def. Struct types are created at run time and use the
 * same description; all code that handles elements takes a `const lcu_dtype *`. */
#ifndef LCU_DTYPE_H
#define LCU_DTYPE_H

#include "lcu_base.h"

typedef enum lcu_dtype_id {
#define LCU_DTYPE(ID, ...) LCU_##ID,
#include "dtype.def"
#undef LCU_DTYPE
  LCU_DTYPE_COUNT,
  LCU_STRUCT = LCU_DTYPE_COUNT /* described by the object that owns the lcu_dtype */
} lcu_dtype_id;

typedef enum lcu_kind {
  LCU_KIND_BOOL,
  LCU_KIND_INT,
  LCU_KIND_UINT,
  LCU_KIND_FLOAT,
  LCU_KIND_COMPLEX,
  LCU_KIND_STRUCT
} lcu_kind;

typedef struct lcu_dtype {
  lcu_dtype_id id;
  lcu_kind kind;
  uint32_t size, align;          /* bytes */
  const char *name, *short_name; /* "float32", "f32" */
  const char *cuda, *header;     /* CUDA C++ spelling and the header it needs ("" for none) */
  const char *pack, *ptx;
  int mantissa, exponent; /* of a float or a part, else 0 */
  bool finite;            /* a float without infinities */
} lcu_dtype;

/* One element as C sees it. Integers of any width and bool are in `i` (uint64 as the same bits),
 * floats in `d`, complex numbers in `d` and `im`. */
typedef struct lcu_scalar {
  int64_t i;
  double d, im;
} lcu_scalar;

extern const lcu_dtype lcu_dtypes[LCU_DTYPE_COUNT];

/* NULL when there is no such long or short name. */
const lcu_dtype *lcu_dtype_find (const char *name, size_t len);

/* Reads/writes one element at p (any alignment). Store converts as C does and never fails; float ->
 * integer saturates; halves round to nearest even. The caller checks ranges. */
void lcu_dtype_load (const lcu_dtype *t, const void *p, lcu_scalar *out);
void lcu_dtype_store (const lcu_dtype *t, void *p, const lcu_scalar *v);

/* A number as one part of a float or complex dtype holds it. */
double lcu_dtype_rounded (const lcu_dtype *t, double d);

/* Converts n elements between dtypes with byte strides (NumPy's astype rules: float -> int
 * truncates and saturates, NaN -> 0; complex -> real drops the imaginary part; anything -> bool is
 * "not zero"). */
void lcu_dtype_convert (const lcu_dtype *dt, void *dst, int64_t dst_stride, const lcu_dtype *st,
                        const void *src, int64_t src_stride, size_t n);

#endif
