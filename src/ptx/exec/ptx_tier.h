/* ptx_tier.h: which blocks run compiled code. A block runs one way, from its start to its end.
 *
 * With PTX_JIT_ON, a kernel is interpreted until its blocks have taken some time; then compiled
 * code is looked for on the disk, and later made. Once there is any, blocks run both ways in turns,
 * until enough were timed to know which is faster. */
#ifndef PTX_TIER_H
#define PTX_TIER_H

#include "ptx_grid.h"

/* Before a grid runs; with PTX_JIT_FORCE, compiles. */
void ptx_tier_start (ptx_grid *g);

/* The worker starts other blocks now: chooses how, and adds up the time since the last turn. */
void ptx_tier_turn (ptx_worker *wk);
/* It starts no more. */
void ptx_tier_end (ptx_worker *wk);

#endif
