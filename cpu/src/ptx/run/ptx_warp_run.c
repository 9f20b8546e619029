/* ptx_warp_run.c: the loop that runs the fragments of a warp: divergence and reconvergence.
 *
 * Contract: every lane that can go on eventually does, whatever the other lanes of its warp do
 * (independent thread scheduling), and lanes that diverged at a branch meet again at its
 * post-dominator unless they wait for each other before.
 *
 * Which fragment runs: one in the deepest frame, and there the one at the lowest basic block.
 * Blocks are numbered in a loop-contiguous reverse post-order, so that lagging lanes catch up.
 * The running fragment stops where others wait (w->limit) and joins them. A fragment that took
 * the back edge of a loop that may wait for others yields: all others run first, once. Long loops
 * yield when the fuel of the warp is used up. When all fragments have yielded a new round begins,
 * and after some rounds the next warp gets its turn. */
#include "ptx_warp_run.h"

#include "ptx_cta_run.h"
#include "ptx_fault.h"
#include "ptx_ids.h"
#include "ptx_runtime.h"
#include "ptx_step.h"
#include "ptx_tier.h"
#include "ptx_workers.h"

/* rounds over the fragments before the next warp gets a turn */
enum { ROTATIONS = 16 };

/* ---- choosing */

/* Whether a runs before b. Both can run. */
static bool before (const ptx_fragment *a, const ptx_fragment *b) {
  if (a->frame->depth != b->frame->depth) return a->frame->depth > b->frame->depth;
  if (a->pc->bb != b->pc->bb) return a->pc->bb < b->pc->bb;
  return a->pc < b->pc;
}

static int choose (const ptx_xwarp *x) {
  int best = -1;
  if (lcu_likely(x->num == 1))
    return x->frags[0].wait == PTX_READY && !x->frags[0].yielded ? 0 : -1;
  for (uint32_t i = 0; i < x->num; i++) {
    const ptx_fragment *f = &x->frags[i];
    if (f->wait != PTX_READY || f->yielded) continue;
    if (best < 0 || before(f, &x->frags[best])) best = (int)i;
  }
  return best;
}

/* All fragments that can run have yielded: starts a new round. Returns how many can run. */
static uint32_t rotate (ptx_xwarp *x) {
  uint32_t ready = 0;
  for (uint32_t i = 0; i < x->num; i++) {
    x->frags[i].yielded = false;
    ready += x->frags[i].wait == PTX_READY;
  }
  x->fuel = PTX_FUEL;
  return ready;
}

/* The lowest basic block where lanes of the same frame wait to be joined; *others: whether another
 * fragment can run. */
static uint32_t limit_for (const ptx_xwarp *x, uint32_t chosen, bool *others) {
  const ptx_fragment *me = &x->frags[chosen];
  uint32_t limit = UINT32_MAX;
  *others = false;
  for (uint32_t i = 0; i < x->num; i++) {
    const ptx_fragment *f = &x->frags[i];
    if (i == chosen || f->wait != PTX_READY) continue;
    *others = true;
    if (f->frame == me->frame && !f->yielded && f->pc->bb < limit) limit = f->pc->bb;
  }
  return limit;
}

/* ---- running one fragment */

/* When others can run but none can be joined, a loop that may spin yields immediately. */
static uint32_t budget_for (const ptx_xwarp *x, uint32_t limit, bool others) {
  bool short_leash = others && limit == UINT32_MAX && x->fuel > PTX_SPIN_COST;
  return short_leash ? PTX_SPIN_COST : x->fuel;
}

static void run_plain (const ptx_uop *I, uint8_t *rf, ptx_warp *w, int full) {
  while ((I = I->fn[full](I, rf, w)) != NULL);
}

static void run_counting (const ptx_uop *I, uint8_t *rf, ptx_warp *w, int full) {
  uint64_t n = 0;
  w->singly = true;
  do n++;
  while ((I = I->fn[full](I, rf, w)) != NULL);
  w->singly = false;
  w->instructions += n;
  w->thread_instructions += n * ptx_popc(w->mask);
}

/* From within a basic block that began in compiled code, to its end: what the variants for all
 * lanes know about addresses from earlier in the block (PTX_F_KNOWN) was not noted there. */
static const ptx_uop *run_rest (const ptx_fragment *f, const ptx_uop *I, ptx_warp *w, int full) {
  const ptx_uop *first = f->frame->code->bb_first[I->bb];
  uint32_t bb = I->bb;
  while (I != NULL && I != first && I->bb == bb)
    I = I->fn[(I->flags & PTX_F_KNOWN) != 0 ? 0 : full](I, f->frame->rf, w);
  return I;
}

/* Compiled code goes on to the next event, or gives back where to interpret from. */
static const ptx_uop *run_compiled (ptx_xwarp *x, const ptx_fragment *f, int full) {
  ptx_warp *w = &x->w;
  const ptx_code *code = f->frame->code;
  const ptx_jit *jit = w->in_step && f->frame == &x->root ? x->cta->jit : NULL;
  const ptx_uop *I = f->pc;
  if (jit != NULL && jit->entry[I - code->uops]) {
    ptx_jit_run run = ptx_tier_half(x, jit, full);
    ptx_jit_row alone = { 0 };
    if (lcu_likely(run != NULL))
      I = run((uint32_t)(I - code->uops), f->frame->rf, w, code->uops, &alone);
  }
  return I;
}

static void run_unchecked (ptx_xwarp *x, const ptx_fragment *f, int full) {
  ptx_warp *w = &x->w;
  const ptx_uop *I = run_compiled(x, f, full);
  if (I == NULL) return;
  if (x->cta->jit != NULL && f->frame == &x->root) I = run_rest(f, I, w, full);
  if (I != NULL) run_plain(I, f->frame->rf, w, full);
}

void ptx_fragment_run (ptx_xwarp *x, uint32_t i) {
  const ptx_fragment *f = &x->frags[i];
  ptx_warp *w = &x->w;
  bool others = false;
  w->limit = x->num == 1 ? UINT32_MAX : limit_for(x, i, &others);
  w->budget = budget_for(x, w->limit, others);
  w->mask = f->mask;
  w->local_base = f->frame->local_base;
  if (x->lanes_of != f->mask) ptx_lanes_expand(x, f->mask);
  uint32_t start = w->budget;
  int full = f->mask == UINT32_MAX;
  const ptx_grid *grid = x->cta->grid;
  bool checked = w->check == PTX_CHECK_ALL;
  if (grid->launch->profile != NULL || ptx_step_watcher != NULL || (checked && x->cta->jit == NULL))
    ptx_step_run(x, f, full);
  else if (checked) ptx_step_on(x, f->frame, run_compiled(x, f, full), full);
  else if (grid->counting) run_counting(f->pc, f->frame->rf, w, full);
  else run_unchecked(x, f, full);
  uint32_t used = start - w->budget;
  x->fuel = used < x->fuel ? x->fuel - used : 1;
}

/* ---- events */

static bool is_spin_edge (const ptx_fragment *f, const ptx_uop *from, uint32_t to_block) {
  return to_block <= from->bb && f->frame->code->bbs[to_block].spin;
}

static void diverge (ptx_xwarp *x, uint32_t i) {
  const ptx_uop *bra = x->w.at;
  ptx_fragment f = x->frags[i];
  bool inside = bra->imm < 0; /* the block continues after it */
  const ptx_uop *stay = inside ? bra + 1 : f.frame->code->bb_first[bra->imm];
  uint32_t taken = x->w.taken;
  ptx_fragment_remove(x, i);
  ptx_fragment_add(x, taken, bra->target, f.frame, is_spin_edge(&f, bra, bra->target_bb));
  ptx_fragment_add(x, f.mask & ~taken, stay, f.frame,
                   !inside && is_spin_edge(&f, bra, (uint32_t)bra->imm));
}

/* A fragment took the back edge of a loop that may wait, waits for others of its warp group, or
 * used up the fuel. One that stored
 * something has probably not been waiting and goes on as long as there is fuel. */
static void yield (ptx_xwarp *x, uint32_t i) {
  ptx_warp *w = &x->w;
  ptx_fragment *f = &x->frags[i];
  bool may_wait = f->frame->code->bbs[w->at->bb].spin || w->at->id == PTX_ID_async_group;
  bool stored = w->stored != 0;
  w->stored = 0;
  if (may_wait && stored && x->fuel > PTX_SPIN_COST && x->num > 1) {
    x->fuel -= PTX_SPIN_COST / 4;
  } else {
    f->yielded = true;
    if (!may_wait) x->fuel = 1; /* the others of this round must not take as long again */
  }
  x->spun |= may_wait && !stored;
  x->worked |= !may_wait || stored;
  ptx_fragment_move(x, i, w->at);
}

static bool lets_others_go (ptx_event event) {
  return event == PTX_EV_YIELD || event == PTX_EV_BARRIER || event == PTX_EV_WARP;
}

static bool arrive_at_barrier (ptx_xwarp *x, uint32_t i) {
  uint16_t id = x->w.at->id;
  bool of_cluster = id == PTX_ID_cluster_arrive || id == PTX_ID_cluster_wait;
  return of_cluster ? ptx_cluster_barrier(x, i) : ptx_barrier_arrive(x, i);
}

static bool handle (ptx_xwarp *x, uint32_t i) {
  ptx_warp *w = &x->w;
  ptx_event event = w->event;
  w->event = PTX_EV_NONE;
  if (x->num > 1 && lets_others_go(event)) x->w.in_step = false;
  switch (event) {
    case PTX_EV_BB_LIMIT: ptx_fragment_move(x, i, w->at); return true;
    case PTX_EV_DIVERGE: diverge(x, i); return true;
    case PTX_EV_YIELD: yield(x, i); return true;
    case PTX_EV_RET:
      if (!ptx_frame_return(x, i)) ptx_cta_exit(x, i);
      return true;
    case PTX_EV_EXIT: ptx_cta_exit(x, i); return true;
    case PTX_EV_CALL: x->frags[i].pc = w->at; return ptx_frame_call(x, i);
    case PTX_EV_BARRIER: x->frags[i].pc = w->at; return arrive_at_barrier(x, i);
    case PTX_EV_WARP: x->frags[i].pc = w->at; return ptx_warp_op(x, i);
    case PTX_EV_FAULT: return false;
    case PTX_EV_NONE: break;
  }
  return ptx_fault_set(x, ptx_first_lane(w->mask), PTX_FAULT_UNSUPPORTED,
                       "this instruction cannot be carried out");
}

bool ptx_fragment_settle (ptx_xwarp *x, uint32_t i) {
  const ptx_frame *frame = x->frags[i].frame;
  if (handle(x, i)) return true;
  ptx_fault_report(x, frame);
  return false;
}

/* Whether all lanes wait at one barrier for other warps: nothing else is there to choose. */
static inline bool waits_whole (const ptx_xwarp *x) {
  return x->num == 1 && x->frags[0].wait == PTX_AT_BARRIER;
}

static ptx_outcome run_warp (ptx_xwarp *x) {
  for (int rounds = 0;;) {
    if (ptx_grid_stopped(x->cta->grid, x->cta->linear)) return PTX_STOPPED;
    int i = choose(x);
    if (i >= 0) {
      if (lcu_unlikely(x->cta->grid->watched) && ptx_watch(x, &x->frags[i])) return PTX_STOPPED;
      x->ran = true;
      ptx_fragment_run(x, (uint32_t)i);
      if (!ptx_fragment_settle(x, (uint32_t)i)) return PTX_STOPPED;
      if (!waits_whole(x)) continue;
      x->fuel = PTX_FUEL;
      return PTX_BLOCKED;
    }
    if (x->num == 0) return PTX_DONE;
    uint32_t ready = rotate(x);
    if (ready == 0) return PTX_BLOCKED;
    x->ran = true; /* if not now, in ptx_lockstep.c */
    if (ready == 1 || ++rounds >= ROTATIONS) return PTX_YIELDED;
  }
}

ptx_outcome ptx_xwarp_run (ptx_xwarp *x) {
  ptx_outcome outcome = run_warp(x);
  x->worked |= x->w.stored != 0;
  x->w.stored = 0;
  return outcome;
}
