/* ptx_select.h: the instruction sets the operations were compiled for. */
#ifndef PTX_SELECT_H
#define PTX_SELECT_H

#include "ptx_insn.h"

#if defined(__x86_64__)
#define PTX_ISA_PREFIX "x86-64-"
extern const ptx_isa ptx_isa_v2, ptx_isa_v3, ptx_isa_v4;
#else
#define PTX_ISA_PREFIX ""
extern const ptx_isa ptx_isa_base;
#endif

/* The index-th set this processor can run, the best first; NULL behind the last. For tests that
 * compare them. */
const ptx_isa *ptx_isa_at (uint32_t index);

#endif
