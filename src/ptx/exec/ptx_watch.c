/* ptx_watch.c: stopping a grid from outside: interrupts and timeouts. */
#include "ptx_fault.h"

/* A turn lasts from less than a microsecond to some milliseconds. */
enum { TURNS_BETWEEN_LOOKS = 8 };

void ptx_watch_start (ptx_grid *g) {
  const ptx_launch *l = g->launch;
  g->watched = l->stop != NULL || l->timeout_ms > 0;
  g->deadline = l->timeout_ms > 0 ? lcu_now_ms() + l->timeout_ms : 0;
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
  if (++x->cta->worker->turns % TURNS_BETWEEN_LOOKS != 0) return false;
  if (is_interrupted(g)) {
    ptx_fault_set(x, lane, PTX_FAULT_INTERRUPTED, "the program was interrupted");
    return end(x, f);
  }
  if (g->deadline == 0 || lcu_now_ms() < g->deadline + x->cta->worker->waited_ms) return false;
  ptx_fault_set(x, lane, PTX_FAULT_TIMEOUT, "not done after %.0f ms", g->launch->timeout_ms);
  return end(x, f);
}
