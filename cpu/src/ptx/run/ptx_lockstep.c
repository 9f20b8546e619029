/* ptx_lockstep.c: the warps of a CTA in compiled code, one after the other from barrier to barrier.
 * While every warp is whole and all do the same - stop at one __syncthreads(), or end - there is
 * nothing to choose, and no barrier has to count. All else is left to ptx_cta_run.c. */
#include "ptx_cta_run.h"
#include "ptx_ids.h"
#include "ptx_step.h"
#include "ptx_tier.h"
#include "ptx_warp_run.h"
#include "ptx_workers.h"

#include <string.h>

/* ---- may it begin? ---- */

static bool is_whole (const ptx_xwarp *x, const ptx_uop *at) {
  const ptx_fragment *f = &x->frags[0];
  return x->num == 1 && f->wait == PTX_READY && !f->yielded && f->frame == &x->root &&
         f->pc == at && x->w.in_step;
}

/* Where all warps are; NULL: not at one place, or not whole. */
static const ptx_uop *common_place (const ptx_cta *c) {
  const ptx_uop *at = NULL;
  for (uint32_t k = 0; k < c->num_warps; k++) {
    const ptx_xwarp *x = &c->warps[k];
    if (x->num == 0) continue;
    if (at == NULL) at = x->frags[0].pc;
    if (!is_whole(x, at)) return NULL;
  }
  return at;
}

/* Where all warps are; NULL: no. */
static const ptx_uop *can_begin (const ptx_cta *c) {
  const ptx_grid *g = c->grid;
  const ptx_jit *jit = c->jit;
  if (c->again && c->steady) return g->code->bb_first[0];
  if (jit == NULL || g->counting || ptx_step_watcher != NULL || c->cluster.size != 1 ||
      c->barriers_used != 0)
    return NULL;
  const ptx_uop *at = common_place(c);
  return at != NULL && jit->entry[at - g->code->uops] ? at : NULL;
}

/* What compiled code reads, for as long as the warp is whole. Until the end, w.budget is what
 * x->fuel is elsewhere, and where the warp is follows from the phase. */
static void begin (ptx_cta *c) {
  for (uint32_t k = 0; k < c->num_warps; k++) {
    ptx_xwarp *x = &c->warps[k];
    if (x->num == 0) continue;
    x->w.limit = UINT32_MAX;
    x->w.mask = x->frags[0].mask;
    x->w.local_base = x->root.local_base;
    if (x->lanes_of != x->w.mask) ptx_lanes_expand(x, x->w.mask);
  }
}

/* ---- a phase: every warp once ---- */

static bool is_plain_barrier (const ptx_uop *I) {
  return I->id == PTX_ID_bar_sync && (I->flags & PTX_F_DIRECT);
}

static bool is_end (ptx_event event) { return event == PTX_EV_RET || event == PTX_EV_EXIT; }

/* A warp that is not in step any more. */
static void interpret (ptx_xwarp *x, const ptx_uop *from) {
  x->cta->steady = false;
  x->fuel = x->w.budget;
  x->frags[0].pc = from;
  ptx_fragment_run(x, 0);
}

/* What the warps of a phase did. */
typedef struct phase {
  const ptx_uop *from, *at; /* at: the barrier of those that did not end */
  uint32_t first; /* the warp that begins; the others follow in order, then those before it */
  uint32_t ended;
} phase;

/* The kth warp of a phase. */
static ptx_xwarp *warp_of (ptx_cta *c, const phase *p, uint32_t k) {
  return &c->warps[(p->first + k) % c->num_warps];
}

/* Some warps ended and others did not: ends those of the first `num` that did. They are whole, and
 * no barrier counts. */
static void end_warps (ptx_cta *c, const phase *p, uint32_t num) {
  c->steady = false;
  for (uint32_t k = 0; k < num; k++) {
    ptx_xwarp *x = warp_of(c, p, k);
    if (x->num == 0 || !is_end(x->w.event)) continue;
    c->alive -= ptx_popc(x->w.mask);
    c->running--;
    x->num = 0;
    x->w.alive = 0;
    x->w.event = PTX_EV_NONE;
  }
}

/* Records that `num` warps did what this one did. False: earlier warps did something else. */
static bool note (phase *p, const ptx_warp *w, uint32_t num) {
  if (is_end(w->event)) {
    p->ended += num;
    return true;
  }
  if (w->event != PTX_EV_BARRIER || !is_plain_barrier(w->at)) return false;
  if (p->at == NULL) p->at = w->at;
  return w->at == p->at;
}

/* Warps with all lanes on, none of which has ended, follow warp k at equal distances, up to
 * `end`. */
static ptx_jit_row row_behind (const ptx_cta *c, uint32_t k, uint32_t end) {
  uint32_t whole = c->num_threads / PTX_LANES;
  if (whole > end) whole = end;
  if (!c->steady || k + 1 >= whole) return (ptx_jit_row){ 0 };
  const ptx_xwarp *x = &c->warps[k];
  return (ptx_jit_row){ .left = whole - k - 1,
                        .rf_bytes = (uint64_t)(x[1].root.rf - x->root.rf),
                        .warp_bytes = sizeof *x };
}

/* Runs warp k, then the warps that follow it, up to `end`, for as long as they do the same. Returns
 * the last one that ran. */
static uint32_t run_row (ptx_cta *c, const ptx_uop *from, uint32_t k, uint32_t end) {
  ptx_xwarp *x = &c->warps[k];
  const ptx_uop *uops = c->grid->code->uops, *I = from;
  ptx_jit_row row = row_behind(c, k, end);
  uint32_t all = row.left;
  x->w.budget = PTX_FUEL;
  ptx_jit_run run_lockstep =
    x->w.in_step ? ptx_tier_half(x, c->jit, x->w.mask == UINT32_MAX) : NULL;
  if (lcu_likely(run_lockstep != NULL))
    I = run_lockstep((uint32_t)(from - uops), x->root.rf, &x->w, uops, &row);
  k += all - row.left;
  if (lcu_unlikely(I != NULL)) interpret(&c->warps[k], I);
  return k;
}

/* Runs the warps from k to end - 1 until one does something else than those before. Returns that
 * one; UINT32_MAX: none. */
static uint32_t run_some (ptx_cta *c, phase *p, uint32_t k, uint32_t end) {
  for (; k < end; k++) {
    if (lcu_unlikely(c->warps[k].w.alive == 0)) continue;
    uint32_t first = k;
    k = run_row(c, p->from, k, end);
    if (k != first && !note(p, &c->warps[first].w, k - first)) return k;
    if (!note(p, &c->warps[k].w, 1)) return k;
  }
  return UINT32_MAX;
}

/* The same for all warps. Returns the number of those that ran; 0: all. */
static uint32_t run_warps (ptx_cta *c, phase *p) {
  uint32_t k = run_some(c, p, p->first, c->num_warps);
  if (k == UINT32_MAX && p->first != 0) k = run_some(c, p, 0, p->first);
  return k == UINT32_MAX ? 0 : (k + c->num_warps - p->first) % c->num_warps + 1;
}

/* The warps did different things: the events of the first `num`, as if they had just happened; the
 * others have not begun the phase. False: STOPPED. */
static bool settle_warps (ptx_cta *c, const phase *p, uint32_t num) {
  for (uint32_t k = 0; k < c->num_warps; k++) {
    ptx_xwarp *x = warp_of(c, p, k);
    if (x->num == 0) continue;
    x->fuel = k < num ? x->w.budget : PTX_FUEL;
    x->frags[0].pc = p->from;
  }
  for (uint32_t k = 0; k < num; k++) {
    ptx_xwarp *x = warp_of(c, p, k);
    if (x->num == 0) continue;
    if (!ptx_fragment_settle(x, 0)) return false;
    if (x->num == 0) c->running--;
  }
  return true;
}

/* Whether the grid was stopped from outside. */
static bool watch (ptx_cta *c, const ptx_uop *from) {
  if (!c->grid->watched) return false;
  for (uint32_t k = 0; k < c->num_warps; k++) {
    ptx_xwarp *x = &c->warps[k];
    if (x->num == 0) continue;
    x->frags[0].pc = from;
    return ptx_watch(x, &x->frags[0]);
  }
  return false;
}

/* The warps that a phase ended, of which the first `odd` ran (0: all). Whether it was all of them,
 * so that the block is done. */
static bool ends (ptx_cta *c, const phase *p, uint32_t odd) {
  if (p->ended == 0) return false;
  if (p->ended == c->running) {
    c->running = c->alive = 0;
    return true;
  }
  end_warps(c, p, odd != 0 ? odd : c->num_warps);
  return false;
}

/* The next phase. With all checks on, it begins with the warp that came to the barrier last, as in
 * ptx_cta_run.c: which of several faults is reported depends on the order. */
static phase phase_after (const ptx_cta *c, const phase *p) {
  uint32_t first = p->first;
  if (c->grid->launch->check == PTX_CHECK_ALL) do
      first = (first + c->num_warps - 1) % c->num_warps;
    while (c->warps[first].num == 0 && first != p->first);
  return (phase){ .from = p->at + 1, .first = first };
}

/* Warps did different things: `num` have begun the phase. With all checks on, the latest goes on at
 * once, and then those after it have their turn, as in ptx_cta_run.c. */
static ptx_outcome fall_out (ptx_cta *c, const phase *p, uint32_t num, double until) {
  if (!settle_warps(c, p, num)) return PTX_STOPPED;
  if (c->grid->launch->check != PTX_CHECK_ALL) return PTX_YIELDED;
  c->steady = false;
  uint32_t latest = (p->first + num - 1) % c->num_warps;
  return ptx_cta_turn(c, latest, until) ? PTX_YIELDED : PTX_STOPPED;
}

static ptx_outcome run_lockstep (ptx_cta *c, const ptx_uop *from, double until) {
  if (!c->again || !c->steady) begin(c);
  for (phase p = { .from = from };; p = phase_after(c, &p)) {
    if (ptx_grid_stopped(c->grid, c->linear) || watch(c, p.from)) return PTX_STOPPED;
    uint32_t odd = run_warps(c, &p);
    if (ends(c, &p, odd)) return PTX_DONE;
    if (odd != 0) return fall_out(c, &p, odd, until);
    ptx_cta_pass(c);
    ptx_grid_progress(c->grid);
    ptx_grid_give_up(c->grid, false);
    if (until > 0 && lcu_now_ms() > until) {
      p = phase_after(c, &p);
      return settle_warps(c, &p, 0) ? PTX_YIELDED : PTX_STOPPED;
    }
  }
}

/* ---- block after block ---- */

/* Reading the clock takes as long as a small block. */
typedef struct pace {
  double start, until; /* ms; until 0: never */
  uint32_t blocks, look_at;
} pace;

/* Called after each block: is the time up? The time per block so far tells how many more fit; the
 * clock is read again after half of them. */
static bool is_late (pace *p) {
  enum { MOST = 32 };
  if (p->until == 0 || ++p->blocks < p->look_at) return false;
  double now = lcu_now_ms(), fit = (p->until - now) / (now - p->start) * p->blocks / 2;
  p->look_at = p->blocks + (fit < 1 ? 1 : fit < MOST ? (uint32_t)fit : MOST);
  return now >= p->until;
}

/* Blocks that end here are followed by the worker's next one at once: going through the scheduler
 * takes as long as a small block. */
ptx_outcome ptx_lockstep (ptx_cta *c, double until) {
  const ptx_uop *from = can_begin(c);
  pace p = { .start = until > 0 ? lcu_now_ms() : 0, .until = until };
  ptx_outcome outcome = from != NULL ? run_lockstep(c, from, until) : PTX_YIELDED;
  while (outcome == PTX_DONE && !is_late(&p) && ptx_worker_restart(c))
    outcome = run_lockstep(c, c->grid->code->bb_first[0], until);
  if (outcome != PTX_DONE) c->steady = false;
  return outcome;
}
