/* cu_dtype.c: how other libraries name dtypes, from the table. */
#include "cu_dtype.h"

#include "cu_abi.h"
#include "cu_blas.h"
#include "cu_nccl.h"

enum { NONE = -1, LCU_NCCL_NONE = -1, CU_BLAS_NONE = -1 };

/* DLDataTypeCode */
enum {
  DL_INT = 0,
  DL_UINT = 1,
  DL_FLOAT = 2,
  DL_BFLOAT = 4,
  DL_COMPLEX = 5,
  DL_BOOL = 6,
  DL_FLOAT8_E4M3FN = 10,
  DL_FLOAT8_E5M2 = 12
};

const lcu_dtype_codes lcu_codes[LCU_DTYPE_COUNT + 1] = {
#define LCU_DTYPE_CODES(ID, nccl, tensor_map, texel, channels, blas, dlpack) \
  [LCU_##ID] = { LCU_NCCL_##nccl, tensor_map,     CU_FORMAT_##texel, \
                 channels,        CU_BLAS_##blas, DL_##dlpack },
#include "dtype_codes.def"
#undef LCU_DTYPE_CODES
  [LCU_STRUCT] = { NONE, NONE, NONE, 0, NONE, NONE },
};
