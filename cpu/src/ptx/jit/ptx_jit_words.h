/* ptx_jit_words.h: with all checks on, the usual accesses to shared memory. */
#ifndef PTX_JIT_WORDS_H
#define PTX_JIT_WORDS_H

#include "ptx_jit_access.h"

/* The access at these addresses is in bounds. Goes on at X`done` if it is certainly right and
 * noted, else behind this. */
void ptx_jit_words (ptx_jit_emitter *E, const ptx_jit_transfer *t, const uint32_t at[2],
                    uint32_t done);

#endif
