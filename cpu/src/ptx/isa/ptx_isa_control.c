/* ptx_isa_control.c: branches and guards (9.7.12). The executor handles diverging lanes. */
#include "ptx_isa.h"

#define TWO(name) PTX_HANDLER_DECLARE(name)
TWO(bra)
TWO(bra_not)
TWO(jump)
TWO(guard)
#undef TWO

/* A back edge was taken. Other lanes get a turn now and then, and in loops that may spin whenever
 * some wait. */
static bool back_edge_yields (const ptx_uop *I, ptx_warp *w) {
  uint32_t cost = I->flags & PTX_F_SPIN ? PTX_SPIN_COST : 1u;
  if (w->budget <= cost || ((I->flags & PTX_F_SPIN) && w->limit != UINT32_MAX)) return true;
  w->budget -= cost;
  return false;
}

static inline const ptx_uop *go (const ptx_uop *I, ptx_warp *w) {
  if (I->target_bb <= I->bb && lcu_unlikely(back_edge_yields(I, w)))
    return ptx_leave(w, PTX_EV_YIELD, I->target);
  if (lcu_unlikely(I->target_bb >= w->limit)) return ptx_leave(w, PTX_EV_BB_LIMIT, I->target);
  return I->target;
}

/* To the block that follows. Only this branch leads to it, but lanes that left a loop by it before
 * may wait there. */
static inline const ptx_uop *fall (const ptx_uop *I, ptx_warp *w) {
  const ptx_uop *next = I + 1;
  if (lcu_unlikely(next->bb >= w->limit) && next->bb != I->bb)
    return ptx_leave(w, PTX_EV_BB_LIMIT, next);
  return next;
}

static inline const ptx_uop *branch (const ptx_uop *I, ptx_warp *w, uint32_t taken, uint32_t mask) {
  if (taken == mask) return go(I, w);
  if (taken == 0) return fall(I, w);
  w->taken = taken;
  return ptx_leave(w, PTX_EV_DIVERGE, I);
}

static inline uint32_t predicate (const ptx_uop *I, const uint8_t *rf) {
  return ptx_lanes_bits((const int32_t *)__builtin_assume_aligned(rf + I->a, 64));
}

const ptx_uop *PTX_FULL (bra)(PTX_HANDLER_ARGS) {
  return branch(I, w, predicate(I, rf), UINT32_MAX);
}
const ptx_uop *PTX_MASKED (bra)(PTX_HANDLER_ARGS) {
  return branch(I, w, predicate(I, rf) & w->mask, w->mask);
}
const ptx_uop *PTX_FULL (bra_not)(PTX_HANDLER_ARGS) {
  return branch(I, w, ~predicate(I, rf), UINT32_MAX);
}
const ptx_uop *PTX_MASKED (bra_not)(PTX_HANDLER_ARGS) {
  return branch(I, w, ~predicate(I, rf) & w->mask, w->mask);
}

const ptx_uop *PTX_FULL (jump)(PTX_HANDLER_ARGS) {
  (void)rf;
  return go(I, w);
}
const ptx_uop *PTX_MASKED (jump)(PTX_HANDLER_ARGS) {
  (void)rf;
  return go(I, w);
}

/* Runs the next imm micro-operations with the lanes of `on` only. */
static const ptx_uop *run_guarded (PTX_HANDLER_ARGS, uint32_t on) {
  const ptx_uop *end = I + 1 + I->imm, *at = I + 1;
  uint32_t mask = w->mask;
  _Alignas(64) int32_t lanes[PTX_LANES];
  memcpy(lanes, w->lanes, sizeof lanes);
  w->mask = on;
  ptx_bits_lanes(on, w->lanes);
  while (at != NULL && at != end) at = at->fn[0](at, rf, w);
  w->mask = mask;
  memcpy(w->lanes, lanes, sizeof lanes);
  return at;
}

static inline const ptx_uop *guard (PTX_HANDLER_ARGS) {
  uint32_t bits = predicate(I, rf), on = (I->negate ? ~bits : bits) & w->mask;
  if (on == w->mask) return I + 1;
  if (on == 0) return I + 1 + I->imm;
  return run_guarded(I, rf, w, on);
}

const ptx_uop *PTX_FULL (guard)(PTX_HANDLER_ARGS) { return guard(I, rf, w); }
const ptx_uop *PTX_MASKED (guard)(PTX_HANDLER_ARGS) { return guard(I, rf, w); }
