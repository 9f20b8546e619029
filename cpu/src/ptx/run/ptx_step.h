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

#endif
