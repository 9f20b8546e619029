/* ptx_jit_alu.h: lane loops and values of the warp, from the table ptx_jit_ops.def. */
#ifndef PTX_JIT_ALU_H
#define PTX_JIT_ALU_H

#include "ptx_jit_operands.h"

struct ptx_jit_emitter;

/* Is it computed by the code itself? */
bool ptx_jit_alu_knows (const ptx_uop *I);
void ptx_jit_alu (struct ptx_jit_emitter *E, uint32_t i);
/* The text of ptx_jit_ops.def that computes it; NULL: there is none, or more is to be done. */
const char *ptx_jit_alu_text (const ptx_uop *I);

#endif
