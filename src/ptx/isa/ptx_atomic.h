/* ptx_atomic.h: atomics. Mode and type are in I->used_bytes = mode | type << 8 (ptx_mode,
 * ptx_type). */
#ifndef PTX_ATOMIC_H
#define PTX_ATOMIC_H

#include "ptx_match.h"

/* Whether `mode` exists for `type`; red: the form without a result. */
bool ptx_atomic_known (ptx_mode mode, ptx_type type, bool red);

#endif
