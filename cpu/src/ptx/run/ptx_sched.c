/* ptx_sched.c: the scheduler: workers and the CTAs they run.
 *
 * Contract: CTAs start in increasing order. A worker runs one at a time, until it ends, all of its
 * threads only wait, or it has run for very long; then the CTA is parked, and the worker starts
 * another one or resumes the one parked longest. So CTAs may wait for earlier ones, and, as far as
 * max_resident_blocks allows, for each other. A CTA never moves to another worker. A worker whose
 * CTAs all only wait is idle; when no thread of the grid stores anything for livelock_ms while it
 * is, it reports a livelock. */
#include <sched.h>
#include <time.h>

#include "ptx_cta_run.h"
#include "ptx_hang.h"
#include "ptx_tier.h"
#include "ptx_workers.h"

/* ALONE_MS: grids that end within this time do not wake the team. If blocks do not wait for others,
 * the caller measures their speed for LOOK_MS, and wakes one worker per SHARE_MS of work left. */
static const double ALONE_MS = 0.02, LOOK_MS = 0.008, SHARE_MS = 0.05;

/* A new CTA when none is in flight or all those in flight only wait; otherwise the next parked
 * one. */
static ptx_cta *next_block (ptx_worker *wk) {
  bool room = wk->resident == 0 || (wk->spinning >= wk->resident && wk->resident < wk->grid->share);
  if (room && ptx_worker_claim(wk)) return ptx_worker_start(wk);
  return ptx_worker_unpark(wk);
}

/* ---- waiting without work */

static void note_progress (ptx_worker *wk) {
  if (wk->idle_since != 0) {
    wk->idle_since = 0;
    if (ptx_livelock_begun(&wk->grid->hangs)) ptx_livelock_cancel(wk);
    atomic_fetch_sub_explicit(&wk->grid->idle, 1, memory_order_relaxed);
  }
  ptx_grid_progress(wk->grid);
}

static void rest (double idle_ms) {
  struct timespec t = { 0, 20000 };
  if (idle_ms < 1) sched_yield();
  else nanosleep(&t, NULL);
}

/* Every CTA of this worker only waits. It is a livelock if all others have only waited for long,
 * too. */
static void idle (ptx_worker *wk) {
  ptx_grid *g = wk->grid;
  double now = lcu_now_ms(),
         last = (double)atomic_load_explicit(&g->progress_ms, memory_order_relaxed);
  wk->spinning = 0;
  ptx_grid_give_up(g, true); /* after a fault there is nothing to wait for */
  if (wk->idle_since == 0) {
    wk->idle_since = now;
    atomic_fetch_add_explicit(&g->idle, 1, memory_order_relaxed);
  }
  if (last < wk->idle_since) last = wk->idle_since;
  bool limited = g->launch->livelock_ms > 0;
  if (limited && (now - last > g->launch->livelock_ms || ptx_livelock_begun(&g->hangs)))
    ptx_livelock_list(wk);
  rest(now - wk->idle_since);
}

/* ---- a worker */

static void settle_cta (ptx_worker *wk, ptx_cta *c, ptx_outcome outcome) {
  switch (outcome) {
    case PTX_DONE:
      wk->spinning = 0;
      ptx_worker_finish(wk, c);
      note_progress(wk);
      return;
    case PTX_YIELDED:
      if (c->stale_passes == 0) note_progress(wk);
      wk->spinning++;
      ptx_worker_park(wk, c);
      return;
    case PTX_BLOCKED: ptx_hang_deadlock(c); break;
    case PTX_STOPPED: break;
  }
  ptx_worker_finish(wk, c);
}

/* Runs CTAs until none is left for this worker, the grid was stopped, or `until` (ms, 0: never) has
 * passed. */
static void run_blocks (ptx_worker *wk, double until) {
  for (;;) {
    if (wk->resident != 0 && wk->spinning >= wk->resident &&
        (wk->resident >= wk->grid->share || !ptx_worker_claim(wk)))
      idle(wk);
    ptx_cta *c = next_block(wk);
    if (c == NULL) return;
    settle_cta(wk, c, ptx_cta_run(c, until));
    if (until > 0 && lcu_now_ms() > until) {
      wk->spinning = 0; /* interrupted, not waiting */
      return;
    }
  }
}

static void work (ptx_worker *wk, double until) {
  run_blocks(wk, until);
  if (lcu_unlikely(wk->grid->slot != NULL)) ptx_tier_end(wk);
}

static void job (void *ud, int index) {
  ptx_grid *g = ud;
  work(&g->workers[index], 0);
}

/* ---- a grid */

static bool unfinished (ptx_grid *g) {
  return g->workers[0].resident != 0 || ptx_worker_claim(&g->workers[0]);
}

/* Loops that wait for others are not compiled. */
static bool is_independent (const ptx_grid *g) { return g->jit != NULL && !g->code->calls; }

/* How many workers to use for the rest of the grid, from the speed of the first one in `ms`. Blocks
 * that may wait for each other must all be resident, which takes all workers. */
static int workers_worth (ptx_grid *g, double ms) {
  const ptx_worker *wk = &g->workers[0];
  double left = (double)(wk->end - wk->next) + (double)g->total - (double)atomic_load(&g->next);
  double done = (double)g->total - left;
  if (!is_independent(g) || wk->resident != 0 || done <= 0) return g->num_workers;
  double worth = 1 + ms * left / done / SHARE_MS;
  return worth < g->num_workers ? (int)worth : g->num_workers;
}

/* The caller starts alone: most small grids are done before a thread would have woken up. */
void ptx_grid_run (ptx_grid *g) {
  double start = lcu_now_ms(), now = start;
  int workers = g->num_workers;
  if (workers == 1) {
    work(&g->workers[0], 0);
    return;
  }
  do {
    work(&g->workers[0], now + (is_independent(g) ? LOOK_MS : ALONE_MS));
    if (!unfinished(g)) return;
    now = lcu_now_ms();
    workers = workers_worth(g, now - start);
  } while (workers == 1);
  lcu_team_run(g->launch->team, workers, job, g->watched ? ptx_watch_idle : NULL, g);
}
