/* ptx_exchange.c: what the operations compute in which the lanes of a warp exchange values. */
#include "ptx_exchange.h"

#include <stdio.h>
#include <string.h>

#include "ptx_float.h"
#include "ptx_ids.h"
#include "ptx_lanes.h"

typedef ptx_exchange exchange;
struct ptx_exchange_kind {
  void (*op)(exchange *e, uint16_t id); /* NULL: no values are exchanged */
  /* indices of the operands in extra->slots; -1: absent */
  int8_t d, p, value, b, c, mask;
  bool wide_value, predicate_value, predicate_result;
};

/* ---- the operations */

static inline void shfl_lane (exchange *e, uint16_t id, uint32_t lane) {
  uint32_t source;
  bool inside = ptx_shfl_source(id, lane, e->b[lane], e->c[lane], &source);
  e->flag[lane] = inside;
  /* The value from a lane that does not take part is undefined: keep the own value. */
  e->result[lane] =
    e->value[inside && ((e->members >> (source & 31)) & 1) != 0 ? source & 31 : lane];
}

static inline void shfl_mode (exchange *e, uint16_t id) {
  if (e->members == UINT32_MAX)
    for (uint32_t lane = 0; lane < PTX_LANES; lane++) shfl_lane(e, id, lane);
  else
    for (uint32_t m = e->members; m != 0; m &= m - 1) shfl_lane(e, id, ptx_first_lane(m));
}

static void shfl (exchange *e, uint16_t id) {
  switch (id) { /* one loop per mode */
    case PTX_ID_shfl_up: shfl_mode(e, PTX_ID_shfl_up); break;
    case PTX_ID_shfl_down: shfl_mode(e, PTX_ID_shfl_down); break;
    case PTX_ID_shfl_bfly: shfl_mode(e, PTX_ID_shfl_bfly); break;
    default: shfl_mode(e, PTX_ID_shfl_idx); break;
  }
}

static uint32_t lanes_holding (const exchange *e) {
  uint32_t held = 0;
  for (uint32_t m = e->members; m != 0; m &= m - 1)
    if (e->value[ptx_first_lane(m)] != 0) held |= m & -m;
  return held;
}

static void set_all (exchange *e, uint64_t value) {
  for (uint32_t m = e->members; m != 0; m &= m - 1) e->result[ptx_first_lane(m)] = value;
}

static void vote (exchange *e, uint16_t id) {
  uint32_t held = lanes_holding(e);
  switch (id) {
    case PTX_ID_vote_all: set_all(e, held == e->members); break;
    case PTX_ID_vote_any: set_all(e, held != 0); break;
    case PTX_ID_vote_uni: set_all(e, held == 0 || held == e->members); break;
    default: set_all(e, held); break;
  }
}

static uint32_t lanes_equal (const exchange *e, uint32_t lanes, uint64_t value) {
  uint32_t equal = 0;
  for (uint32_t m = lanes; m != 0; m &= m - 1)
    if (e->value[ptx_first_lane(m)] == value) equal |= m & -m;
  return equal;
}

/* One pass per distinct value, over the lanes that hold none of those before. */
static void match_any (exchange *e, uint16_t id) {
  (void)id;
  for (uint32_t left = e->members; left != 0;) {
    uint32_t equal = lanes_equal(e, left, e->value[ptx_first_lane(left)]);
    for (uint32_t m = equal; m != 0; m &= m - 1) e->result[ptx_first_lane(m)] = equal;
    left &= ~equal;
  }
}

static void match_all (exchange *e, uint16_t id) {
  (void)id;
  uint32_t members = e->members;
  bool all = lanes_equal(e, members, e->value[ptx_first_lane(members)]) == members;
  for (uint32_t m = e->members; m != 0; m &= m - 1) {
    e->flag[ptx_first_lane(m)] = all;
    e->result[ptx_first_lane(m)] = all ? e->members : 0;
  }
}

static uint32_t reduce_float (uint16_t id, float a, float b) {
  switch (id) {
    case PTX_ID_redux_min_f32: return lcu_f32_bits(ptx_min(a, b));
    case PTX_ID_redux_max_f32: return lcu_f32_bits(ptx_max(a, b));
    case PTX_ID_redux_min_f32_nan: return lcu_f32_bits(ptx_min_nan(a, b));
    default: return lcu_f32_bits(ptx_max_nan(a, b));
  }
}

static uint32_t reduce (uint16_t id, uint32_t a, uint32_t b) {
  switch (id) {
    case PTX_ID_redux_add: return a + b;
    case PTX_ID_redux_and: return a & b;
    case PTX_ID_redux_or: return a | b;
    case PTX_ID_redux_xor: return a ^ b;
    case PTX_ID_redux_min_u32: return b < a ? b : a;
    case PTX_ID_redux_max_u32: return b > a ? b : a;
    case PTX_ID_redux_min_s32: return (int32_t)b < (int32_t)a ? b : a;
    case PTX_ID_redux_min_f32:
    case PTX_ID_redux_max_f32:
    case PTX_ID_redux_min_f32_nan:
    case PTX_ID_redux_max_f32_nan: return reduce_float(id, lcu_bits_f32(a), lcu_bits_f32(b));
    default: return (int32_t)b > (int32_t)a ? b : a;
  }
}

static void redux (exchange *e, uint16_t id) {
  uint32_t m = e->members, total = (uint32_t)e->value[ptx_first_lane(m)];
  for (m &= m - 1; m != 0; m &= m - 1)
    total = reduce(id, total, (uint32_t)e->value[ptx_first_lane(m)]);
  if (id >= PTX_ID_redux_min_f32 && id <= PTX_ID_redux_max_f32_nan)
    total = reduce(id, total, total); /* of one lane, too, the only NaN */
  set_all(e, total);
}

static void elect (exchange *e, uint16_t id) {
  (void)id;
  uint32_t leader = ptx_first_lane(e->members);
  set_all(e, leader);
  for (uint32_t m = e->members; m != 0; m &= m - 1)
    e->flag[ptx_first_lane(m)] = ptx_first_lane(m) == leader;
}

const ptx_exchange_kind *ptx_exchange_kind_of (uint16_t id) {
  static const ptx_exchange_kind SYNC = { NULL, -1, -1, -1, -1, -1, 0, false, false, false },
                                 SHFL = { shfl, 0, 1, 2, 3, 4, 5, false, false, false },
                                 VOTE = { vote, 0, -1, 1, -1, -1, 2, false, true, true },
                                 BALLOT = { vote, 0, -1, 1, -1, -1, 2, false, true, false },
                                 ANY32 = { match_any, 0, -1, 2, -1, -1, 3, false, false, false },
                                 ANY64 = { match_any, 0, -1, 2, -1, -1, 3, true, false, false },
                                 ALL32 = { match_all, 0, 1, 2, -1, -1, 3, false, false, false },
                                 ALL64 = { match_all, 0, 1, 2, -1, -1, 3, true, false, false },
                                 REDUX = { redux, 0, -1, 1, -1, -1, 2, false, false, false },
                                 ELECT = { elect, 0, 1, -1, -1, -1, 2, false, false, false };
  switch (id) {
    case PTX_ID_bar_warp_sync: return &SYNC;
    case PTX_ID_shfl_up:
    case PTX_ID_shfl_down:
    case PTX_ID_shfl_bfly:
    case PTX_ID_shfl_idx: return &SHFL;
    case PTX_ID_vote_all:
    case PTX_ID_vote_any:
    case PTX_ID_vote_uni: return &VOTE;
    case PTX_ID_vote_ballot: return &BALLOT;
    case PTX_ID_match_any_b32: return &ANY32;
    case PTX_ID_match_any_b64: return &ANY64;
    case PTX_ID_match_all_b32: return &ALL32;
    case PTX_ID_match_all_b64: return &ALL64;
    case PTX_ID_elect: return &ELECT;
    case PTX_ID_redux_add:
    case PTX_ID_redux_and:
    case PTX_ID_redux_or:
    case PTX_ID_redux_xor:
    case PTX_ID_redux_min_u32:
    case PTX_ID_redux_max_u32:
    case PTX_ID_redux_min_s32:
    case PTX_ID_redux_max_s32:
    case PTX_ID_redux_min_f32:
    case PTX_ID_redux_max_f32:
    case PTX_ID_redux_min_f32_nan:
    case PTX_ID_redux_max_f32_nan: return &REDUX;
    default: return NULL;
  }
}

/* ---- moving values between registers and the exchange */

static int32_t slot_at (const ptx_uop *I, int8_t index) {
  return index < 0 ? -1 : I->extra->slots[index];
}

static uint32_t read_u32 (const uint8_t *rf, int32_t slot, uint32_t lane) {
  uint32_t value;
  memcpy(&value, rf + slot + (size_t)lane * 4, 4);
  return value;
}

static void write_u32 (uint8_t *rf, int32_t slot, uint32_t lane, uint32_t value) {
  memcpy(rf + slot + (size_t)lane * 4, &value, 4);
}

static uint64_t read_value (const ptx_exchange_kind *y, const ptx_uop *I, const uint8_t *rf,
                            uint32_t lane) {
  int32_t slot = slot_at(I, y->value);
  uint64_t wide;
  if (slot < 0) return 0;
  if (!y->wide_value) {
    uint32_t v = read_u32(rf, slot, lane);
    return y->predicate_value ? (v != 0) != (I->negate != 0) : v;
  }
  memcpy(&wide, rf + slot + (size_t)lane * 8, 8);
  return wide;
}

void ptx_exchange_gather (exchange *e, const ptx_exchange_kind *y, const ptx_uop *I,
                          const uint8_t *rf, uint32_t mask) {
  int32_t b = slot_at(I, y->b), c = slot_at(I, y->c);
  e->members |= mask;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    e->value[lane] = read_value(y, I, rf, lane);
    if (b >= 0) e->b[lane] = read_u32(rf, b, lane);
    if (c >= 0) e->c[lane] = read_u32(rf, c, lane);
  }
}

void ptx_exchange_scatter (const exchange *e, const ptx_exchange_kind *y, const ptx_uop *I,
                           uint8_t *rf, uint32_t mask) {
  if (y->op == NULL) return;
  int32_t d = slot_at(I, y->d), p = slot_at(I, y->p);
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m), value = (uint32_t)e->result[lane];
    if (d >= 0) write_u32(rf, d, lane, y->predicate_result ? 0u - value : value);
    if (p >= 0) write_u32(rf, p, lane, e->flag[lane] ? UINT32_MAX : 0);
  }
}

void ptx_exchange_apply (exchange *e, const ptx_exchange_kind *y, uint16_t id) {
  if (y->op != NULL) y->op(e, id);
}

/* ---- in one fragment */

void ptx_exchange_run (const ptx_exchange_kind *y, const ptx_uop *I, uint8_t *rf, uint32_t mask) {
  exchange e;
  if (y->op == NULL) return;
  e.members = 0;
  ptx_exchange_gather(&e, y, I, rf, mask);
  y->op(&e, I->id);
  ptx_exchange_scatter(&e, y, I, rf, mask);
}

/* Lanes of `mask` (= w->mask) that name the same members as its first one. */
uint32_t ptx_exchange_group (const ptx_warp *w, const ptx_exchange_kind *y, const ptx_uop *I,
                             const uint8_t *rf, uint32_t mask, uint32_t *key) {
  int32_t slot = slot_at(I, y->mask);
  uint32_t same = 0;
  *key = mask;
  if (slot < 0) return mask; /* forms without .sync */
  *key = read_u32(rf, slot, ptx_first_lane(mask));
  if (ptx_lanes_equal(w, rf + slot, *key)) return mask;
  for (uint32_t m = mask; m != 0; m &= m - 1)
    if (read_u32(rf, slot, ptx_first_lane(m)) == *key) same |= m & -m;
  return same;
}

/* Whether w->mask has all members that have not ended; then the operation is carried out. */
static bool run_now (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  const ptx_exchange_kind *y = ptx_exchange_kind_of(I->id);
  uint32_t key;
  if (ptx_exchange_group(w, y, I, rf, w->mask, &key) != w->mask) return false;
  if ((w->mask & ~key) != 0 || (key & w->alive & ~w->mask) != 0) return false;
  ptx_exchange_run(y, I, rf, w->mask);
  return true;
}

const ptx_uop *ptx_exchange_any (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  return run_now(I, rf, w) ? I + 1 : ptx_leave(w, PTX_EV_WARP, I);
}

/* ---- operations of whole warps */

const ptx_uop *ptx_whole_warp_wait (const ptx_uop *I, ptx_warp *w) {
  if (w->mask != w->alive) return ptx_leave(w, PTX_EV_WARP, I);
  w->fault = (ptx_warp_fault){ .kind = PTX_FAULT_BARRIER, .lane = ptx_first_lane(w->mask) };
  snprintf(w->fault.detail, sizeof w->fault.detail,
           "an operation of the whole warp, of which only %u of 32 threads are left",
           ptx_popc(w->mask));
  return ptx_leave(w, PTX_EV_FAULT, I);
}
