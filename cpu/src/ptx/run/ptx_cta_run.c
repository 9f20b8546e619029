/* ptx_cta_run.c: the warps of a CTA taking turns. */
#include "ptx_cta_run.h"

#include "ptx_warp_run.h"

/* passes over all warps before another CTA gets a turn: those in which all only wait, and in
 * total */
enum { STALE_PASSES = 4, MAX_PASSES = 4096 };

/* What happened in a pass over all warps. */
typedef struct turns {
  bool ran, spun, worked, late;
} turns;

/* One turn for every warp of a CTA that can go on, from one on. False: STOPPED. */
static bool turn (ptx_cta *c, uint32_t from, double until, turns *t) {
  for (uint32_t k = from; k < c->num_warps; k++) {
    ptx_xwarp *x = &c->warps[k];
    if (x->num == 0) continue;
    x->ran = x->spun = x->worked = false;
    ptx_outcome outcome = ptx_xwarp_run(x);
    if (outcome == PTX_STOPPED) return false;
    if (outcome == PTX_DONE) c->running--;
    t->ran |= x->ran;
    t->spun |= x->spun;
    t->worked |= x->worked;
    if (until > 0 && lcu_now_ms() > until) {
      t->late = true;
      break;
    }
  }
  return true;
}

bool ptx_cta_turn (ptx_cta *c, uint32_t from, double until) {
  turns t = { 0 };
  return turn(c, from, until, &t);
}

/* A turn for all CTAs of a cluster: STOPPED; DONE when all have ended; YIELDED when something ran,
 * or when time was up before all had their turn; otherwise BLOCKED. *stale: all that ran only
 * waited in loops. */
static ptx_outcome pass (ptx_cta *c, double until, bool *stale) {
  turns t = { 0 };
  uint32_t running = 0;
  for (uint32_t k = 0; k < c->cluster.size; k++) {
    ptx_cta *member = c->cluster.ctas[k];
    if (!t.late && !turn(member, 0, until, &t)) return PTX_STOPPED;
    running += member->running;
  }
  *stale = t.spun && !t.worked;
  if (running == 0) return PTX_DONE;
  return t.ran || t.late ? PTX_YIELDED : PTX_BLOCKED;
}

ptx_outcome ptx_cta_run (ptx_cta *c, double until) {
  c->stale_passes = 0;
  for (uint32_t passes = 0; passes < MAX_PASSES && c->stale_passes < STALE_PASSES; passes++) {
    bool stale;
    ptx_outcome together = ptx_lockstep(c, until);
    if (together != PTX_YIELDED) return together;
    if (until > 0 && lcu_now_ms() > until) break;
    ptx_outcome outcome = pass(c, until, &stale);
    if (outcome != PTX_YIELDED) return outcome;
    c->stale_passes = stale ? c->stale_passes + 1 : 0;
    if (!stale) ptx_grid_progress(c->grid);
    ptx_grid_give_up(c->grid, false);
    if (until > 0 && lcu_now_ms() > until) break;
  }
  return PTX_YIELDED;
}
