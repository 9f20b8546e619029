/* ptx_jit_wrap.h: with all checks on, arithmetic that wraps around and may become an address. */
#ifndef PTX_JIT_WRAP_H
#define PTX_JIT_WRAP_H

#include "ptx_jit_emit.h"

/* Sets f->wraps. False: out of memory, or such arithmetic is left to the interpreter. */
bool ptx_jit_find_wraps (ptx_jit_facts *f, lcu_arena *arena);

/* Before uop i is computed: gives it to the interpreter if its result would be marked. */
void ptx_jit_wrap (ptx_jit_emitter *E, uint32_t i);

#endif
