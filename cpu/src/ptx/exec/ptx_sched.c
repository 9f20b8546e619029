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

#include "ptx_grid.h"
#include "ptx_tier.h"

enum { CLAIMS_PER_WORKER = 8 }; /* of what is left */
/* ALONE_MS: grids that end within this time do not wake the team. If blocks do not wait for others,
 * the caller measures their speed for LOOK_MS, and wakes one worker per SHARE_MS of work left. */
static const double ALONE_MS = 0.02, LOOK_MS = 0.008, SHARE_MS = 0.05;

/* ---- claiming */

/* How many CTAs to claim, whole clusters: fewer towards the end, so that all workers are done at
 * about the same time. */
static uint64_t claim_size (const ptx_grid *g, uint64_t next) {
  uint64_t clusters = (g->total - next) / g->cluster_size;
  uint64_t share = clusters / ((uint64_t)g->num_workers * CLAIMS_PER_WORKER);
  if (share > g->chunk) share = g->chunk;
  return (share > 1 ? share : 1) * g->cluster_size;
}

static bool claim (ptx_worker *wk) {
  ptx_grid *g = wk->grid;
  if (wk->next < wk->end) return !ptx_grid_stopped(g, wk->next);
  uint64_t next = atomic_load_explicit(&g->next, memory_order_relaxed);
  if (next >= g->total || ptx_grid_stopped(g, next)) return false;
  uint64_t size = claim_size(g, next);
  uint64_t first = atomic_fetch_add_explicit(&g->next, size, memory_order_relaxed);
  if (first >= g->total) return false;
  wk->next = first;
  wk->end = first + size < g->total ? first + size : g->total;
  if (lcu_unlikely(g->slot != NULL)) ptx_tier_turn(wk);
  return !ptx_grid_stopped(g, first);
}

/* Not a chunk: the others are for blocks that start. */
bool ptx_worker_cancel (ptx_worker *wk, uint64_t *first) {
  ptx_grid *g = wk->grid;
  if (wk->next < wk->end) {
    *first = wk->next;
    wk->next += g->cluster_size;
    return true;
  }
  if (atomic_load_explicit(&g->next, memory_order_relaxed) >= g->total) return false;
  *first = atomic_fetch_add_explicit(&g->next, g->cluster_size, memory_order_relaxed);
  return *first < g->total;
}

/* The CTAs of a cluster, or one. */
static bool get_blocks (ptx_worker *wk, ptx_cta **out) {
  for (uint32_t k = 0; k < wk->grid->cluster_size; k++) {
    out[k] = ptx_cta_get(wk);
    if (out[k] != NULL) continue;
    while (k > 0) ptx_cta_put(wk, out[--k]);
    return false;
  }
  return true;
}

/* Starts a cluster; returns its first CTA. */
static ptx_cta *start_block (ptx_worker *wk) {
  ptx_cta *ctas[PTX_MAX_CLUSTER] = { NULL };
  uint32_t n = wk->grid->cluster_size;
  if (!get_blocks(wk, ctas)) {
    ptx_grid_fail(wk->grid, lcu_no_memory("a block of kernel `%s`", wk->grid->function->name));
    return NULL;
  }
  ptx_cluster_bind(ctas, n);
  for (uint32_t k = 0; k < n; k++) {
    ctas[k]->jit = wk->grid->slot != NULL ? wk->jit : wk->grid->jit;
    ptx_cta_start(ctas[k], wk->next++);
  }
  wk->turn_blocks += n;
  wk->resident++;
  return ctas[0];
}

bool ptx_worker_restart (ptx_cta *c) {
  ptx_worker *wk = c->worker;
  ptx_grid *g = wk->grid;
  if (wk->resident != 1 || g->cluster_size != 1 || !claim(wk)) return false;
  if (g->slot != NULL && c->jit != wk->jit) return false;
  ptx_grid_progress(g);
  wk->turn_blocks++;
  ptx_cta_start(c, wk->next++);
  return true;
}

static void park (ptx_worker *wk, ptx_cta *c) {
  c->next = NULL;
  *wk->parked_tail = c;
  wk->parked_tail = &c->next;
}

ptx_cta *ptx_worker_unpark (ptx_worker *wk) {
  ptx_cta *c = wk->parked;
  if (c == NULL) return NULL;
  wk->parked = c->next;
  if (wk->parked == NULL) wk->parked_tail = &wk->parked;
  return c;
}

/* A new CTA when none is in flight or all those in flight only wait; otherwise the next parked
 * one. */
static ptx_cta *next_block (ptx_worker *wk) {
  bool room = wk->resident == 0 || (wk->spinning >= wk->resident && wk->resident < wk->grid->share);
  if (room && claim(wk)) return start_block(wk);
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

void ptx_worker_finish (ptx_worker *wk, ptx_cta *c) {
  wk->resident--;
  for (uint32_t k = c->cluster.size; k > 0; k--) ptx_cta_put(wk, c->cluster.ctas[k - 1]);
}

static void settle (ptx_worker *wk, ptx_cta *c, ptx_outcome outcome) {
  switch (outcome) {
    case PTX_DONE:
      wk->spinning = 0;
      ptx_worker_finish(wk, c);
      note_progress(wk);
      return;
    case PTX_YIELDED:
      if (c->stale_passes == 0) note_progress(wk);
      wk->spinning++;
      park(wk, c);
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
        (wk->resident >= wk->grid->share || !claim(wk)))
      idle(wk);
    ptx_cta *c = next_block(wk);
    if (c == NULL) return;
    settle(wk, c, ptx_cta_run(c, until));
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
  return g->workers[0].resident != 0 || claim(&g->workers[0]);
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
