/* ptx_cta_run.h: running a thread block. */
#ifndef PTX_CTA_RUN_H
#define PTX_CTA_RUN_H

#include "ptx_grid.h"

/* ---- ptx_cta_pool.c: the memory of CTAs */

/* A CTA of the shape that the worker's grid needs, to be started; NULL: out of memory. */
ptx_cta *ptx_cta_get (ptx_worker *wk);
void ptx_cta_put (ptx_worker *wk, ptx_cta *c);
void ptx_cta_start (ptx_cta *c, uint64_t linear);
/* ptx_flight_end.c: all threads of the cluster have ended: so do its asynchronous operations. */
void ptx_cta_end (ptx_cta *lead);

/* CTAs that a kernel's code keeps between runs: takes those that fit, gives some back. */
void ptx_cta_pool_take (ptx_grid *g);
void ptx_cta_pool_give (ptx_grid *g);
/* Frees those that are kept. `code` may be NULL. */
void ptx_cta_pool_free (ptx_code *code);

/* ---- ptx_cta_run.c */

/* Runs the CTA until it is done, blocked or stopped, only waits, or `until` (ms, 0: never) has
 * passed. */
ptx_outcome ptx_cta_run (ptx_cta *c, double until);

/* A turn for each of the CTA's warps that can go on, from warp `from` on. False: STOPPED. */
bool ptx_cta_turn (ptx_cta *c, uint32_t from, double until);

/* ---- ptx_exit.c */

/* Ends the lanes of fragment i. */
void ptx_cta_exit (ptx_xwarp *x, uint32_t i);

/* ---- ptx_lockstep.c */

/* Runs the warps of a CTA together, as long as all do the same: DONE, STOPPED, or YIELDED when
 * ptx_cta_run must go on. When the CTA is done, it may begin again as the worker's next one. */
ptx_outcome ptx_lockstep (ptx_cta *c, double until);

/* ---- ptx_cluster.c */

/* Makes CTAs, which are to be started, a cluster. */
void ptx_cluster_bind (ptx_cta *const *ctas, uint32_t size);
/* Fragment i is at barrier.cluster. False: x->w.fault is set. */
bool ptx_cluster_barrier (ptx_xwarp *x, uint32_t i);
/* After lanes of the warp ended. */
void ptx_cluster_recheck (ptx_xwarp *x);

/* ---- ptx_barrier.c */

/* Fragment i arrives at the barrier that its instruction names. False: x->w.fault is set. */
bool ptx_barrier_arrive (ptx_xwarp *x, uint32_t i);
/* After threads ended: releases barriers that are complete now. */
void ptx_barrier_recheck (ptx_cta *c);

#endif
