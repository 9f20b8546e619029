/* ptx_step.h: the inner loop with all checks or a profile. */
#ifndef PTX_STEP_H
#define PTX_STEP_H

#include "ptx_cta.h"

/* Runs fragment f. With all checks on, every instruction is checked; with a profile, everything is
 * counted. */
void ptx_step_run (ptx_xwarp *x, const ptx_fragment *f, int full);

/* Test hook: called before each micro-operation, guards left out; NULL: none. Kernels then run in
 * ptx_step_run whatever their checks are. */
extern void (*ptx_step_watcher)(const ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf);

/* The same for operations of the kernel itself, some of which run as compiled code: one, and from I
 * to the next event. */
const ptx_uop *ptx_step_checked (const ptx_uop *I, uint8_t *rf, ptx_warp *w);
void ptx_step_on (ptx_xwarp *x, const ptx_frame *f, const ptx_uop *I, int full);

#endif
