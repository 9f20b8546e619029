/* ptx_check_fast.h: the checks of accesses by compiled code. They look at records that are small
 * enough to be fast, and leave what is not certainly right to the checks of ptx_check.h, whose
 * records they can be turned into. */
#ifndef PTX_CHECK_FAST_H
#define PTX_CHECK_FAST_H

#include "ptx_check.h"

/* ---- ptx_fast_shared.c: see ptx_checks */

bool ptx_fast_shared (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t from,
                      const uint32_t *offsets);
bool ptx_fast_shared_one (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t address);
bool ptx_fast_shared_rows (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t low,
                           uint32_t high, uint32_t distance);
/* Makes c->words, if need be. False: out of memory. */
bool ptx_fast_words_make (ptx_cta *c);
/* Times begin anew. */
void ptx_fast_words_forget (ptx_cta *c);
/* A block begins. */
void ptx_fast_words_begin (ptx_cta *c);
/* ptx_check_shared is about to look at those bytes of the block's memory; it has. */
void ptx_fast_tell (ptx_cta *c, uint32_t start, uint32_t bytes);
void ptx_fast_retire (ptx_cta *c, uint32_t start, uint32_t bytes);

/* ---- ptx_fast_global.c: see ptx_checks */

bool ptx_fast_global (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint64_t from,
                      const uint32_t *offsets);
bool ptx_fast_global_one (const ptx_uop *I, ptx_warp *w, uint64_t address);
bool ptx_fast_global_rows (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint64_t low,
                           uint64_t high, uint32_t distance);
bool ptx_fast_store_rows (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint64_t low, uint64_t high,
                          const void *values);

#endif
