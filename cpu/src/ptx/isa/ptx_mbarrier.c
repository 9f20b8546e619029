/* ptx_mbarrier.c: barrier objects (9.7.13.15), lane by lane. One worker runs all warps of a thread
 * block, so plain accesses to its shared memory are enough.
 *
 * What completes at an object is carried out when a thread waits for a phase of it that is complete
 * with that (ptx_flight.h).
 *
 * A barrier object is one word:
 *   bits 0-19   arrivals that the phase still waits for
 *   bits 20-39  arrivals of the next phase
 *   bits 40-62  bytes that the phase still waits for, two's complement
 *   bit 63      parity of the phase
 * The state that an arrival returns is the word before it. */
#include <stdio.h>
#include <string.h>

#include "ptx_handlers.h"
#include "ptx_ids.h"
#include "ptx_lanes.h"
#include "ptx_mbarrier.h"
#include "ptx_memory.h"

enum {
  COUNT_BITS = 20,
  TX_BITS = 23,
  MAX_COUNT = (1 << COUNT_BITS) - 1,
  MAX_TX = (1 << COUNT_BITS) - 1
};

typedef struct barrier_object {
  uint32_t pending, expected;
  int32_t tx;
  bool parity;
} barrier_object;

static barrier_object unpack (uint64_t v) {
  return (barrier_object){ .pending = (uint32_t)v & MAX_COUNT,
                           .expected = (uint32_t)(v >> COUNT_BITS) & MAX_COUNT,
                           .tx = (int32_t)((int64_t)(v << 1) >> (64 - TX_BITS)),
                           .parity = v >> 63 };
}

static uint64_t pack (const barrier_object *o) {
  uint64_t tx = (uint32_t)o->tx & ((1u << TX_BITS) - 1u);
  return o->pending | (uint64_t)o->expected << COUNT_BITS | tx << (2 * COUNT_BITS) |
         (uint64_t)o->parity << 63;
}

void ptx_mbarrier_counts (uint64_t word, uint32_t *pending, uint32_t *expected) {
  barrier_object o = unpack(word);
  *pending = o.pending;
  *expected = o.expected;
}

/* ---- where it is ---- */

typedef struct barrier_place {
  const ptx_uop *I;
  ptx_warp *w;
  uint32_t lane;
  uint8_t space;
  uint64_t address;
  S_u64 *word;
} barrier_place;

static bool fail (const barrier_place *p, const char *detail) {
  return ptx_memory_fault(p->w, p->space, p->lane, p->address, 8, true, PTX_FAULT_BARRIER, detail);
}

static bool find (barrier_place *p) {
  if (p->space == PTX_GENERIC && !ptx_in_window(p->address, ptx_window_shared))
    return fail(p, "the barrier object is not in shared memory");
  p->word = (S_u64 *)(void *)ptx_memory_at(p->w, p->space, p->lane, p->address, 8, true);
  return p->word != NULL;
}

static void put_barrier (const barrier_place *p, barrier_object *o) {
  if (o->pending == 0 && o->tx == 0) {
    o->parity = !o->parity;
    o->pending = o->expected;
  }
  *p->word = pack(o);
  p->w->stored = 1;
}

static bool expect (const barrier_place *p, barrier_object *o, int64_t bytes) {
  char detail[96];
  int64_t tx = o->tx + bytes;
  o->tx = (int32_t)tx;
  if (tx >= -MAX_TX && tx <= MAX_TX) return true;
  snprintf(detail, sizeof detail, "the barrier object would wait for %lld bytes", (long long)tx);
  return fail(p, detail);
}

/* Shared memory starts as zeros or, as all that the kernel declares, with all bits set. */
static bool never_initialized (const barrier_place *p) {
  return *p->word == 0 || *p->word == UINT64_MAX;
}

static bool arrive (const barrier_place *p, barrier_object *o, uint32_t count) {
  char detail[128];
  if (never_initialized(p)) return fail(p, "a barrier object that was not initialized,");
  if (count != 0 && count <= o->pending) {
    o->pending -= count;
    return true;
  }
  snprintf(detail, sizeof detail, "%u arrivals at a barrier object that waits for %u", count,
           o->pending);
  return fail(p, detail);
}

/* ---- what one lane does ---- */

typedef bool (*lane_function)(const barrier_place *p, uint8_t *rf);

static uint32_t value32 (const barrier_place *p, const uint8_t *rf) {
  return PTX_SLOT(u32, rf, p->I->b)[p->lane];
}

static void result_state (const barrier_place *p, uint8_t *rf) {
  if (p->I->d >= 0) PTX_SLOT(u64, rf, p->I->d)[p->lane] = *p->word;
}

static bool do_init (const barrier_place *p, uint8_t *rf) {
  uint32_t count = value32(p, rf);
  if (count == 0 || count > MAX_COUNT)
    return fail(p, "the count of a barrier object must be 1 to 1048575");
  *p->word = pack(&(barrier_object){ .pending = count, .expected = count });
  p->w->stored = 1;
  return true;
}

static bool do_inval (const barrier_place *p, uint8_t *rf) {
  (void)rf;
  *p->word = 0;
  p->w->stored = 1;
  return true;
}

static bool do_expect_tx (const barrier_place *p, uint8_t *rf) {
  barrier_object o = unpack(*p->word);
  if (!expect(p, &o, value32(p, rf))) return false;
  put_barrier(p, &o); /* the bytes may have arrived already */
  return true;
}

static bool complete_tx (const barrier_place *p, uint32_t bytes) {
  barrier_object o = unpack(*p->word);
  if (!expect(p, &o, -(int64_t)bytes)) return false;
  put_barrier(p, &o);
  return true;
}

static bool do_complete_tx (const barrier_place *p, uint8_t *rf) {
  return complete_tx(p, value32(p, rf));
}

/* ---- operations in flight */

bool ptx_mbarrier_await (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address,
                         ptx_flight *f) {
  barrier_place p = { .w = w, .lane = lane, .space = space, .address = address };
  if (!find(&p)) return false;
  if (never_initialized(&p)) return fail(&p, "a barrier object that was not initialized,");
  f->bar = p.word;
  f->bar_address = address;
  if (ptx_flight_to_barrier(w, f)) return true;
  f->land(f, f->mask);
  return complete_tx(&p, f->bytes);
}

/* Carries out the first operations, up to the one with which the phase is complete. */
static void settle (const barrier_place *p) {
  barrier_object o = unpack(*p->word);
  int64_t pending = o.pending, tx = o.tx;
  ptx_flights *list = &p->w->flying->at_barriers;
  for (const ptx_flight *f = list->first; f != NULL; f = f->next) {
    if (f->bar != p->word) continue;
    pending -= f->arrivals;
    tx -= f->bytes;
    if (pending != 0 || tx != 0) continue;
    ptx_flights_land_at(list, p->word, f);
    o.pending = 0;
    o.tx = 0;
    put_barrier(p, &o);
    return;
  }
}

static bool arrive_lane (const barrier_place *p, uint8_t *rf, uint32_t count, uint32_t drop,
                         uint32_t bytes) {
  barrier_object o = unpack(*p->word);
  if (!expect(p, &o, bytes) || !arrive(p, &o, count)) return false;
  if (drop > o.expected) return fail(p, "more threads leave the barrier object than it waits for");
  o.expected -= drop;
  result_state(p, rf);
  put_barrier(p, &o);
  return true;
}

static bool do_arrive (const barrier_place *p, uint8_t *rf) {
  return arrive_lane(p, rf, value32(p, rf), 0, 0);
}
static bool do_arrive_drop (const barrier_place *p, uint8_t *rf) {
  return arrive_lane(p, rf, value32(p, rf), value32(p, rf), 0);
}
static bool do_arrive_expect_tx (const barrier_place *p, uint8_t *rf) {
  return arrive_lane(p, rf, 1, 0, value32(p, rf));
}
static bool do_arrive_drop_expect_tx (const barrier_place *p, uint8_t *rf) {
  return arrive_lane(p, rf, 1, 1, value32(p, rf));
}

/* The arrival of a lane once its copies are complete. The object expects it, or one more (imm). */
static void land_arrival (ptx_flight *f, uint32_t lanes) {
  ptx_groups_land_before(f->w, PTX_GROUP_COPY, ptx_first_lane(lanes), f->order);
}

static bool do_arrive_copies (const barrier_place *p, uint8_t *rf) {
  barrier_object o = unpack(*p->word);
  ptx_flight f = { .land = land_arrival, .size = sizeof f, .mask = 1u << p->lane, .I = p->I };
  (void)rf;
  if (never_initialized(p)) return fail(p, "a barrier object that was not initialized,");
  if (p->I->b >= 0) o.pending++;
  *p->word = pack(&o);
  f.arrivals = 1;
  f.bar = p->word;
  f.bar_address = p->address;
  if (ptx_flight_to_barrier(p->w, &f)) return true;
  ptx_groups_land_before(p->w, PTX_GROUP_COPY, p->lane, p->w->issued + 1);
  if (!arrive(p, &o, 1)) return false;
  put_barrier(p, &o);
  return true;
}

static void result_waited (const barrier_place *p, uint8_t *rf, bool parity) {
  if (unpack(*p->word).parity == parity) settle(p);
  if (p->I->d >= 0)
    PTX_SLOT(pred, rf, p->I->d)[p->lane] = ST_pred(unpack(*p->word).parity != parity);
}

static bool do_test_wait (const barrier_place *p, uint8_t *rf) {
  result_waited(p, rf, unpack(PTX_SLOT(u64, rf, p->I->b)[p->lane]).parity);
  return true;
}

static bool do_test_wait_parity (const barrier_place *p, uint8_t *rf) {
  result_waited(p, rf, value32(p, rf) & 1u);
  return true;
}

static const ptx_uop *each_lane (const ptx_uop *I, uint8_t *rf, ptx_warp *w, lane_function f) {
  PTX_EACH_ACTIVE(l, w->mask) {
    barrier_place p = { .I = I, .w = w, .lane = l, .space = I->space };
    p.address = ptx_lane_address(I, rf, w, l);
    if (!find(&p) || !f(&p, rf)) return ptx_leave(w, PTX_EV_FAULT, I);
  }
  return I + 1;
}

#define MBARRIER(name) \
  const ptx_uop *ptx_handle_mbarrier_##name(const ptx_uop *I, uint8_t *rf, ptx_warp *w) { \
    return each_lane(I, rf, w, do_##name); \
  }
MBARRIER(init)
MBARRIER(inval)
MBARRIER(expect_tx)
MBARRIER(complete_tx)
MBARRIER(arrive)
MBARRIER(arrive_drop)
MBARRIER(arrive_expect_tx)
MBARRIER(arrive_drop_expect_tx)
MBARRIER(arrive_copies)
MBARRIER(test_wait)
MBARRIER(test_wait_parity)

const ptx_uop *ptx_handle_mbarrier_pending_count (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask)
  PTX_SLOT(u32, rf, I->d)[l] = unpack(PTX_SLOT(u64, rf, I->a)[l]).pending;
  return I + 1;
}

bool ptx_mbarrier_lacks (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                         uint64_t *address, uint32_t *arrivals, int32_t *bytes) {
  if (I->id != PTX_ID_mbarrier_test_wait && I->id != PTX_ID_mbarrier_test_wait_parity) return false;
  barrier_place p = { .I = I, .w = w, .lane = lane, .space = I->space };
  p.address = ptx_lane_address(I, rf, w, lane);
  if (!find(&p)) return false;
  barrier_object o = unpack(*p.word);
  *address = p.space == PTX_GENERIC ? p.address - ptx_window_shared : p.address;
  *arrivals = o.pending;
  *bytes = o.tx;
  for (const ptx_flight *f = w->flying->at_barriers.first; f != NULL; f = f->next) {
    if (f->bar != p.word) continue;
    *arrivals -= f->arrivals;
    *bytes -= (int32_t)f->bytes;
  }
  return true;
}
