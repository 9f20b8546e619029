/* ptx_tier.h: which blocks run compiled code. A block runs one way, from its start to its end.
 *
 * With PTX_JIT_ON, a kernel's first launch looks on the disk for code of an earlier process.
 * Without it the kernel is interpreted, and compiled after about a quarter of the time that this
 * takes. From then on blocks run both ways in turns, until enough were timed to know which is
 * faster.
 *
 * That applies to the half for warps with all lanes on. The masked half is looked for once a warp
 * lacks it, and compiled once such warps have been interpreted for long enough. */
#ifndef PTX_TIER_H
#define PTX_TIER_H

#include "ptx_grid.h"
#include "ptx_jit.h"

/* Before a grid runs; with PTX_JIT_FORCE, compiles. */
void ptx_tier_start (ptx_grid *g);

/* The worker starts other blocks now: unless the last turn has just begun, adds up its time and
 * chooses how they run. */
void ptx_tier_turn (ptx_worker *wk);
/* It starts no more. */
void ptx_tier_end (ptx_worker *wk);

/* A warp lacks a half: with PTX_JIT_FORCE, compiles it; otherwise asks for it, if warps lacked it
 * long enough. NULL: it is not there, and the warp is interpreted until the block ends. */
ptx_jit_run ptx_tier_lack (ptx_xwarp *x, int half);

static inline ptx_jit_run ptx_tier_half (ptx_xwarp *x, const ptx_jit *jit, int half) {
  ptx_jit_run run = ptx_jit_half(jit, half);
  return lcu_likely(run != NULL) ? run : ptx_tier_lack(x, half);
}

#endif
