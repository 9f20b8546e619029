/* ptx_jit_alu.h: lane loops and values of the warp, from the table ptx_jit_ops.def. */
#ifndef PTX_JIT_ALU_H
#define PTX_JIT_ALU_H

#include "ptx_jit_operands.h"

struct ptx_jit_emitter;

/* Is it computed by the code itself? */
bool ptx_jit_alu_knows (const ptx_uop *I);
void ptx_jit_alu (struct ptx_jit_emitter *E, uint32_t i);
/* The results of comparison `at`, whose operands are the same at uop i, as the bits of an i32; 0:
 * not known, or vectors of predicates are as fast. */
uint32_t ptx_jit_alu_bits (struct ptx_jit_emitter *E, uint32_t i, uint32_t at);
/* The declarations of the intrinsics. */
void ptx_jit_alu_declare (struct ptx_jit_emitter *E);

#endif
