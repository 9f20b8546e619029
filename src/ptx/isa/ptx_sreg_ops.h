/* ptx_sreg_ops.h: reading special registers. */
#ifndef PTX_SREG_OPS_H
#define PTX_SREG_OPS_H

#include "ptx_warp.h"
#include "ptx_sreg.h"

/* Of a register that has one value for the warp. */
uint64_t ptx_sreg_value (const ptx_warp *w, ptx_sreg r);

#endif
