/* cu_dtype.h: how other libraries name dtypes. */
#ifndef CU_DTYPE_H
#define CU_DTYPE_H

#include "lcu_dtype.h"

/* Columns of dtype_codes.def; -1: none. */
typedef struct lcu_dtype_codes {
  int nccl, tensor_map;
  int texel, channels; /* of CUDA arrays; channels 0: they have no such elements */
  int blas, dlpack;
} lcu_dtype_codes;

/* By id; struct types have none. */
extern const lcu_dtype_codes lcu_codes[LCU_DTYPE_COUNT + 1];

#endif
