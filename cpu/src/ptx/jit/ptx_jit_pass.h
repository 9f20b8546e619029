/* ptx_jit_pass.h: with all checks on, threads that have gone past a barrier. */
#ifndef PTX_JIT_PASS_H
#define PTX_JIT_PASS_H

#include "ptx_jit_emit.h"

/* Before uop i. If it begins a basic block where threads must not be while others wait at a barrier
 * before it, the interpreter takes over, which reports that. */
void ptx_jit_pass (ptx_jit_emitter *E, uint32_t i);
/* The same for a block that the branch skips, before the branch. */
void ptx_jit_pass_skipped (ptx_jit_emitter *E, uint32_t branch);

#endif
