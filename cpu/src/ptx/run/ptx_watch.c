/* ptx_watch.c: stopping a grid from outside: interrupts and timeouts. */
#include "ptx_fault.h"
#include "ptx_workers.h"

/* A turn lasts from less than a microsecond to some milliseconds, and asking the host takes as long
 * as a short one. */
enum { FIRST_LOOK = 8, MOST_TURNS = 64 };
static const double SOON_MS = 0.05, LATE_MS = 0.5;

/* Sets after how many turns to look again, by how long those since the last look took. */
static void set_pace (ptx_worker *wk) {
  double now = lcu_now_ms(), passed = now - wk->looked_ms;
  if (passed < SOON_MS && wk->turns_to_look < MOST_TURNS) wk->turns_to_look *= 2;
  if (passed > LATE_MS && wk->turns_to_look > 1) wk->turns_to_look /= 2;
  wk->looked_ms = now;
  wk->turns = 0;
}

void ptx_watch_start (ptx_grid *g) {
  const ptx_launch *l = g->launch;
  g->watched = l->stop != NULL || l->timeout_ms > 0;
  g->deadline = l->timeout_ms > 0 ? lcu_now_ms() + l->timeout_ms : 0;
  for (int i = 0; i < g->num_workers; i++) g->workers[i].turns_to_look = FIRST_LOOK;
}

static bool is_interrupted (const ptx_grid *g) {
  return g->launch->stop != NULL && g->launch->stop(g->launch->stop_ud);
}

void ptx_watch_idle (void *grid) {
  (void)is_interrupted(grid); /* the host remembers the answer for the workers */
}

static bool end (ptx_xwarp *x, const ptx_fragment *f) {
  x->w.at = f->pc;
  ptx_fault_report(x, f->frame);
  ptx_grid_give_up(x->cta->grid, true);
  return true;
}

bool ptx_watch (ptx_xwarp *x, const ptx_fragment *f) {
  const ptx_grid *g = x->cta->grid;
  uint32_t lane = ptx_first_lane(f->mask);
  ptx_worker *wk = x->cta->worker;
  if (++wk->turns < wk->turns_to_look) return false;
  set_pace(wk);
  if (is_interrupted(g)) {
    ptx_fault_set(x, lane, PTX_FAULT_INTERRUPTED, "the program was interrupted");
    return end(x, f);
  }
  if (g->deadline == 0 || wk->looked_ms < g->deadline + wk->waited_ms) return false;
  ptx_fault_set(x, lane, PTX_FAULT_TIMEOUT, "not done after %.0f ms", g->launch->timeout_ms);
  return end(x, f);
}
