/* ptx_jit_checked.h: calls of ptx_checks. */
#ifndef PTX_JIT_CHECKED_H
#define PTX_JIT_CHECKED_H

#include "ptx_jit_access.h"

/* With all checks on, the variable of shared memory whose address access i uses; NULL: not
 * known. */
const ptx_variable *ptx_jit_shared_variable (const ptx_jit_emitter *E, uint32_t i);

/* With all checks on: the access at t is in bounds. Goes on behind this if it is fine and noted,
 * else at X`slow`. Returns whether it was made as well. */
bool ptx_jit_note (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t,
                   uint32_t slow);

#endif
