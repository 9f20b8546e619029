/* ptx_barrier.c: the barriers of a CTA.
 *
 * Contract: a barrier without a thread count is complete when every thread that has not ended has
 * arrived, so the end of a thread may complete it; one with a count, when that many threads have
 * arrived, where a warp all of whose live lanes are there counts as 32 (PTX ISA 9.7.13.1). Barriers
 * count lanes, so that a diverged warp may arrive in pieces. All waiting fragments are released
 * together, and the barrier can be used again immediately. */
#include <stddef.h>
#include <string.h>

#include "ptx_check.h"
#include "ptx_cta_run.h"
#include "ptx_fault.h"
#include "ptx_ids.h"

/* ---- operands */

static uint32_t slot_u32 (const uint8_t *rf, int32_t slot, uint32_t lane) {
  uint32_t value;
  memcpy(&value, rf + slot + (size_t)lane * 4, 4);
  return value;
}

enum { BAR_D, BAR_INDEX, BAR_COUNT, BAR_PREDICATE };

static bool is_red (uint16_t id) {
  return id == PTX_ID_bar_red_popc || id == PTX_ID_bar_red_and || id == PTX_ID_bar_red_or;
}

static uint32_t predicate_mask (const ptx_uop *I, const uint8_t *rf, uint32_t mask) {
  uint32_t held = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    bool p = slot_u32(rf, I->extra->slots[BAR_PREDICATE], ptx_first_lane(m)) != 0;
    if (p != (I->negate != 0)) held |= m & -m;
  }
  return held;
}

/* ---- release */

static void write_result (const ptx_barrier *b, const ptx_fragment *f) {
  const ptx_uop *I = f->pc;
  if (!is_red(I->id)) return;
  uint32_t value = b->popc;
  if (I->id == PTX_ID_bar_red_and) value = b->popc == b->count ? UINT32_MAX : 0;
  if (I->id == PTX_ID_bar_red_or) value = b->popc != 0 ? UINT32_MAX : 0;
  for (uint32_t m = f->mask; m != 0; m &= m - 1)
    memcpy(f->frame->rf + I->extra->slots[BAR_D] + (size_t)ptx_first_lane(m) * 4, &value, 4);
}

/* The usual case: the warp waits as one fragment, or has ended. */
static inline bool release_single (ptx_xwarp *x, const ptx_barrier *b, uint32_t index) {
  ptx_fragment *f = &x->frags[0];
  if (x->num != 1 || f->wait != PTX_AT_BARRIER || f->key != index) return x->num <= 1;
  write_result(b, f);
  f->wait = PTX_READY;
  f->yielded = false;
  f->pc++;
  return true;
}

static void release_fragments (ptx_xwarp *x, const ptx_barrier *b, uint32_t index) {
  ptx_fragment list[PTX_LANES];
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->num;) {
    if (x->frags[i].wait != PTX_AT_BARRIER || x->frags[i].key != index) {
      i++;
      continue;
    }
    list[n++] = x->frags[i];
    ptx_fragment_remove(x, i);
  }
  for (uint32_t i = 0; i < n; i++) {
    write_result(b, &list[i]);
    ptx_fragment_add(x, list[i].mask, list[i].pc + 1, list[i].frame, false);
  }
}

/* What came before the barrier comes before what its threads do now. */
static void order_some (ptx_cta *c, uint32_t index) {
  ptx_order_complete(c, index);
  for (uint32_t k = 0; k < c->num_warps; k++)
    for (uint32_t i = 0; i < c->warps[k].num; i++) {
      const ptx_fragment *f = &c->warps[k].frags[i];
      if (f->wait == PTX_AT_BARRIER && f->key == index) ptx_order_pass(&c->warps[k], f, index);
    }
}

static void order_around (ptx_cta *c, uint32_t index) {
  if (c->barriers[index].expected == 0) ptx_cta_pass(c);
  else if (c->warps[0].w.check == PTX_CHECK_ALL) order_some(c, index);
}

static void release_barrier (ptx_cta *c, uint32_t index) {
  ptx_barrier *b = &c->barriers[index];
  order_around(c, index);
  for (uint32_t k = 0; k < c->num_warps; k++)
    if (lcu_unlikely(!release_single(&c->warps[k], b, index)))
      release_fragments(&c->warps[k], b, index);
  memset(b, 0, offsetof(ptx_barrier, arrived) + c->num_warps * sizeof b->arrived[0]);
  c->barriers_used &= ~(1u << index);
}

/* ---- arrival */

static uint32_t credit (const ptx_cta *c, const ptx_barrier *b) {
  uint32_t sum = 0;
  for (uint32_t k = 0; k < c->num_warps; k++) {
    uint32_t here = b->arrived[k], alive = c->warps[k].w.alive;
    sum += here != 0 && (here & alive) == alive ? PTX_LANES : ptx_popc(here);
  }
  return sum;
}

static bool complete (const ptx_cta *c, const ptx_barrier *b) {
  return b->expected == 0 ? b->count >= c->alive : credit(c, b) >= b->expected;
}

static void release_complete_barrier (ptx_cta *c, uint32_t index) {
  if (complete(c, &c->barriers[index])) release_barrier(c, index);
}

/* The lanes of the fragment that name the same barrier and count as its first lane. */
static uint32_t same_operands (const ptx_warp *w, const ptx_fragment *f, uint32_t index,
                               uint32_t count) {
  const struct ptx_uop_extra *e = f->pc->extra;
  const uint8_t *rf = f->frame->rf;
  uint32_t same = 0;
  if (ptx_lanes_equal(w, rf + e->slots[BAR_INDEX], index) &&
      (e->slots[BAR_COUNT] < 0 || ptx_lanes_equal(w, rf + e->slots[BAR_COUNT], count)))
    return f->mask;
  for (uint32_t m = f->mask; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m);
    if (slot_u32(rf, e->slots[BAR_INDEX], l) != index) continue;
    if (e->slots[BAR_COUNT] >= 0 && slot_u32(rf, e->slots[BAR_COUNT], l) != count) continue;
    same |= m & -m;
  }
  return same;
}

static bool check_operands (ptx_xwarp *x, const ptx_fragment *f, uint32_t index, uint32_t count) {
  uint32_t lane = ptx_first_lane(f->mask);
  if (index >= PTX_BARRIERS)
    return ptx_fault_set(x, lane, PTX_FAULT_BARRIER, "barrier %u does not exist: there are %d",
                         index, PTX_BARRIERS);
  if (count % PTX_LANES != 0)
    return ptx_fault_set(x, lane, PTX_FAULT_BARRIER,
                         "the thread count %u of barrier %u is not a multiple of %d", count, index,
                         PTX_LANES);
  if (f->pc->id == PTX_ID_bar_arrive && f->pc->extra->slots[BAR_COUNT] < 0)
    return ptx_fault_set(x, lane, PTX_FAULT_BARRIER, "arrival at barrier %u without a thread count",
                         index);
  return true;
}

static void count_arrival (ptx_xwarp *x, const ptx_fragment *f, ptx_barrier *b, uint32_t expected) {
  b->count += ptx_popc(f->mask);
  b->arrived[x->w.warpid] |= f->mask;
  if (expected != 0) b->expected = expected;
  if (is_red(f->pc->id)) b->popc += ptx_popc(predicate_mask(f->pc, f->frame->rf, f->mask));
}

/* __syncthreads() of a whole warp, without looking at operands. False: not that case. */
static bool arrive_whole (ptx_xwarp *x, ptx_fragment *f) {
  const ptx_uop *I = f->pc;
  if (x->num != 1 || I->id != PTX_ID_bar_sync || !(I->flags & PTX_F_DIRECT) ||
      x->w.check == PTX_CHECK_ALL)
    return false;
  ptx_barrier *b = &x->cta->barriers[I->imm];
  b->count += ptx_popc(f->mask);
  b->arrived[x->w.warpid] |= f->mask;
  x->cta->barriers_used |= 1u << I->imm;
  f->wait = PTX_AT_BARRIER;
  f->key = (uint32_t)I->imm;
  release_complete_barrier(x->cta, f->key);
  return true;
}

bool ptx_barrier_arrive (ptx_xwarp *x, uint32_t i) {
  ptx_fragment *f = &x->frags[i];
  if (lcu_likely(arrive_whole(x, f))) return true;
  const struct ptx_uop_extra *e = f->pc->extra;
  uint32_t lane = ptx_first_lane(f->mask),
           index = slot_u32(f->frame->rf, e->slots[BAR_INDEX], lane);
  uint32_t count = e->slots[BAR_COUNT] >= 0 ? slot_u32(f->frame->rf, e->slots[BAR_COUNT], lane) : 0;
  uint32_t same = same_operands(&x->w, f, index, count);
  if (same != f->mask) ptx_fragment_split(x, i, same);
  if (!check_operands(x, f, index, count) || !ptx_check_arrival(x, f, index, count)) return false;
  if (x->w.check == PTX_CHECK_ALL && count != 0 && !ptx_order_arrive(x, f, index)) return false;
  count_arrival(x, f, &x->cta->barriers[index], count);
  x->cta->barriers_used |= 1u << index;
  if (f->pc->id == PTX_ID_bar_arrive) {
    ptx_fragment_move(x, i, f->pc + 1);
  } else {
    f->wait = PTX_AT_BARRIER;
    f->key = index;
  }
  release_complete_barrier(x->cta, index);
  return true;
}

void ptx_barrier_recheck (ptx_cta *c) {
  for (uint32_t m = c->barriers_used; m != 0; m &= m - 1)
    release_complete_barrier(c, ptx_first_lane(m));
}
