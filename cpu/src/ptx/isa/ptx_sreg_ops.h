/* ptx_sreg_ops.h: special registers. */
#ifndef PTX_SREG_OPS_H
#define PTX_SREG_OPS_H

#include "ptx_warp.h"
#include "ptx_sreg.h"

/* The value of a special register that is the same for all lanes of a warp. */
uint64_t ptx_sreg_value (const ptx_warp *w, ptx_sreg r);

#endif
