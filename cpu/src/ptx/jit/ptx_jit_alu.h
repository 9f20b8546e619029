/* ptx_jit_alu.h: lane loops and values of the warp, from the table ptx_jit_ops.def. */
#ifndef PTX_JIT_ALU_H
#define PTX_JIT_ALU_H

#include "ptx_jit_flow.h"

struct ptx_jit_emitter;

void ptx_jit_alu (struct ptx_jit_emitter *E, uint32_t i);

/* Is uop i computed for all lanes, each by itself; is it computed from bases only, without a check?
 */
bool ptx_jit_alu_by_lanes (const ptx_jit_facts *f, uint32_t i);
bool ptx_jit_alu_by_bases (const ptx_jit_facts *f, uint32_t i);
/* In a stretch: notes what the parts share of the sources; computes a part. */
void ptx_jit_alu_note (struct ptx_jit_emitter *E, uint32_t i);
void ptx_jit_alu_part (struct ptx_jit_emitter *E, uint32_t i, uint32_t p);

#endif
