/* cpu_gemm.h: products of matrices as operations. */
#ifndef CPU_GEMM_H
#define CPU_GEMM_H

#include "cpu_op.h"

/* Makes `to`, which is new (CPU_OP_PRODUCT), the same product as `from`. Returns `to`, or NULL when
 * out of memory; then `to` is gone. */
cpu_op *cpu_gemm_copy (cpu_op *to, const cpu_op *from);

#endif
