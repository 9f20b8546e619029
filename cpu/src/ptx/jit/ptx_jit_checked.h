/* ptx_jit_checked.h: calls of ptx_checks. */
#ifndef PTX_JIT_CHECKED_H
#define PTX_JIT_CHECKED_H

#include "ptx_jit_access.h"

/* May threads be in the basic block of uop i after they have passed a barrier at which others
 * wait? Then ptx_jit_passes looks, at the start of the block. */
bool ptx_jit_may_pass (const ptx_jit_facts *f, uint32_t i);
void ptx_jit_passes (ptx_jit_emitter *E, uint32_t i);

/* With all checks on, the variable of shared memory whose address access i uses; NULL: not known. */
const ptx_variable *ptx_jit_shared_variable (const ptx_jit_emitter *E, uint32_t i);

/* With all checks on: the access at t is in bounds. Goes on behind this if it is fine and noted,
 * else at X`slow`. Returns whether it was made as well. */
bool ptx_jit_note (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t,
                   uint32_t slow);

#endif
