/* ptx_warp_run.h: running a warp. A fragment is given by its index i and is at the instruction in
 * question. */
#ifndef PTX_WARP_RUN_H
#define PTX_WARP_RUN_H

#include "ptx_grid.h"

/* ---- ptx_warp_run.c */

/* Runs the warp until nothing in it can go on, it has yielded, or a fault happened. */
ptx_outcome ptx_xwarp_run (ptx_xwarp *x);

/* Runs fragment i to its next event, which ptx_fragment_settle then carries out. False: a fault was
 * reported. */
void ptx_fragment_run (ptx_xwarp *x, uint32_t i);
bool ptx_fragment_settle (ptx_xwarp *x, uint32_t i);

/* ---- ptx_warp_ops.c */

/* Fragment i is at a warp operation whose members are not all in it. False: x->w.fault is set. */
bool ptx_warp_op (ptx_xwarp *x, uint32_t i);
/* After lanes ended: carries out the waiting operations that are complete now. */
void ptx_warp_recheck (ptx_xwarp *x);

/* ---- ptx_frames.c: the active calls */

/* Makes the frame of the kernel itself. */
void ptx_frame_root (ptx_xwarp *x, const ptx_code *code, uint8_t *rf);
/* False: x->w.fault is set. */
bool ptx_frame_call (ptx_xwarp *x, uint32_t i);
/* False, without doing anything: fragment i returns from the kernel. */
bool ptx_frame_return (ptx_xwarp *x, uint32_t i);
/* Takes lanes that end out of all their frames. */
void ptx_frame_leave (ptx_xwarp *x, ptx_frame *frame, uint32_t mask);
/* Drops all calls; frees their memory as well. */
void ptx_frames_reset (ptx_xwarp *x);
void ptx_frames_free (ptx_xwarp *x);

#endif
