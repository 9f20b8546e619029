/* ptx_workers.h: running a grid: the workers of its team, and what they take. */
#ifndef PTX_WORKERS_H
#define PTX_WORKERS_H

#include "ptx_grid.h"

/* ---- ptx_grid_new.c */

/* Prepares a run; NULL: out of memory. */
ptx_grid *ptx_grid_new (const ptx_launch *launch, ptx_fault *fault, bool counting);
/* Ends it: adds up the counters (which may be NULL), frees the grid and returns its status. */
lcu_status ptx_grid_end (ptx_grid *g, ptx_counters *counters);
void ptx_counters_add (ptx_counters *to, const ptx_counters *more);

/* ---- ptx_sched.c */

/* Runs all CTAs on the launch's team. */
void ptx_grid_run (ptx_grid *g);

/* ---- ptx_claim.c */

/* Whether there is a cluster to start, whose first CTA is wk->next. */
bool ptx_worker_claim (ptx_worker *wk);
/* Takes a cluster that has not started, for good: *first is the number of its first CTA. */
bool ptx_worker_cancel (ptx_worker *wk, uint64_t *first);

/* ---- ptx_worker.c */

/* Starts the next cluster and returns its first CTA; NULL: out of memory, the grid is stopped. */
ptx_cta *ptx_worker_start (ptx_worker *wk);
/* The CTA lets others have a turn. */
void ptx_worker_park (ptx_worker *wk, ptx_cta *c);
/* Takes the next parked CTA of a worker for good; NULL when there is none. */
ptx_cta *ptx_worker_unpark (ptx_worker *wk);
/* Starts a CTA that has ended again, as the next one, if the worker has none to go on with and that
 * one runs the same code. */
bool ptx_worker_restart (ptx_cta *c);
/* Puts away a CTA that has ended. */
void ptx_worker_finish (ptx_worker *wk, ptx_cta *c);

/* ---- ptx_watch.c: stopping from outside */

void ptx_watch_start (ptx_grid *g);
/* Before each turn of a fragment of a watched grid. True: the grid has been stopped with a fault at
 * `f`. */
bool ptx_watch (ptx_xwarp *x, const ptx_fragment *f);
/* While the caller only waits for the other workers. */
void ptx_watch_idle (void *grid);

#endif
