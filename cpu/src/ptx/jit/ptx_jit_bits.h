/* ptx_jit_bits.h: comparisons as bits. */
#ifndef PTX_JIT_BITS_H
#define PTX_JIT_BITS_H

#include "ptx_jit_emit.h"

/* The results of comparison `at`, whose operands are the same at uop i, as the bits of an i32; 0:
 * not known, or vectors of predicates are as fast. */
uint32_t ptx_jit_bits (ptx_jit_emitter *E, uint32_t i, uint32_t at);

#endif
