/* ptx_bulk.c: bulk copies and reductions (9.7.9.25.4), asynchronous stores (9.7.9.12, 9.7.13.8),
 * filling (9.7.9.13) and cancelled clusters (9.7.13.17), lane by lane. All but filling are in
 * flight when they have been issued (ptx_flight.h). */
#include "ptx_bulk.h"

#include <stdio.h>
#include <string.h>

#include "ptx_atomic.h"
#include "ptx_handlers.h"
#include "ptx_ids.h"
#include "ptx_lanes.h"
#include "ptx_mbarrier.h"
#include "ptx_memory.h"

enum { BULK_UNIT = 16 }; /* of sizes and addresses */

static uint64_t operand_address (const ptx_uop *I, const uint8_t *rf, uint32_t lane, int which) {
  return PTX_SLOT(u64, rf, I->extra->slots[which])[lane] + (uint64_t)I->extra->imm[which];
}

static uint32_t bulk_operand (const ptx_uop *I, const uint8_t *rf, uint32_t lane, int which) {
  return PTX_SLOT(u32, rf, I->extra->slots[which])[lane];
}

/* ---- blocks of the cluster that get a copy ---- */

static bool has_mask (const ptx_uop *I) { return I->extra->slots[BULK_MASK] >= 0; }

/* The same place in the memory of a block of the cluster; `at` may be generic. */
static uint64_t in_block (uint64_t at, uint32_t rank) {
  uint64_t base = ptx_in_window(at, ptx_window_shared) ? ptx_window_shared : 0;
  return base + (at - base) % PTX_PEER_BYTES + (uint64_t)PTX_PEER_BYTES * (rank + 1u);
}

uint32_t ptx_bulk_targets (const ptx_uop *I, const uint8_t *rf, uint32_t lane, uint32_t bytes,
                           ptx_span spans[PTX_MAX_CLUSTER]) {
  uint64_t to = operand_address(I, rf, lane, BULK_TO);
  uint32_t n = 0;
  if (!has_mask(I)) {
    spans[0] = (ptx_span){ .address = to, .bytes = bytes, .lane = lane };
    return 1;
  }
  for (uint32_t m = bulk_operand(I, rf, lane, BULK_MASK) & 0xffffu; m != 0; m &= m - 1)
    spans[n++] =
      (ptx_span){ .address = in_block(to, ptx_first_lane(m)), .bytes = bytes, .lane = lane };
  return n;
}

/* The answer of try_cancel goes to one block or to all of the cluster (imm). */
static uint32_t answer_spans (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w, uint32_t lane,
                              ptx_span spans[PTX_MAX_CLUSTER]) {
  uint64_t to = operand_address(I, rf, lane, BULK_TO);
  uint32_t n = I->imm ? w->num_peers : 1;
  for (uint32_t k = 0; k < n; k++)
    spans[k] =
      (ptx_span){ .address = I->imm ? in_block(to, k) : to, .bytes = BULK_UNIT, .lane = lane };
  return n;
}

uint32_t ptx_bulk_spans (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                         ptx_span spans[PTX_MAX_CLUSTER]) {
  if (I->id == PTX_ID_cp_tensor) return ptx_tensor_spans(I, rf, w, lane, spans);
  if (I->id == PTX_ID_try_cancel) return answer_spans(I, rf, w, lane, spans);
  return ptx_bulk_targets(I, rf, lane, bulk_operand(I, rf, lane, BULK_SIZE), spans);
}

bool ptx_bulk_source (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                      ptx_span *span, uint8_t *space) {
  *space = PTX_SHARED;
  if (I->id == PTX_ID_cp_tensor) return ptx_tensor_source(I, rf, w, lane, span);
  if (I->id != PTX_ID_cp_bulk) return false;
  *space = (uint8_t)I->imm;
  *span = (ptx_span){ .address = operand_address(I, rf, lane, BULK_FROM),
                      .bytes = bulk_operand(I, rf, lane, BULK_SIZE),
                      .lane = lane };
  return true;
}

/* ---- copies ---- */

static bool check_size (const ptx_uop *I, ptx_warp *w, const ptx_span *s) {
  char detail[64];
  if (s->bytes % BULK_UNIT == 0) return true;
  snprintf(detail, sizeof detail, "the size %u is not a multiple of %d", s->bytes, BULK_UNIT);
  return ptx_memory_fault(w, I->space, s->lane, s->address, s->bytes, true, PTX_FAULT_MISALIGNED,
                          detail);
}

/* One copy to one place. */
typedef struct bulk_copy {
  ptx_flight f;
  int64_t change; /* imm[BULK_CHANGE] */
  bool in_shared; /* the destination */
  uint32_t mask;  /* of the bytes of every unit */
  uint8_t *to;
} bulk_copy;

static void change_bytes (const bulk_copy *c) {
  ptx_mode mode = (ptx_mode)(c->change & 255);
  ptx_type type = (ptx_type)(c->change >> 8);
  uint32_t size = ptx_type_bytes(type);
  for (uint32_t k = 0; k + size <= c->f.source_bytes; k += size) {
    uint64_t value = 0;
    memcpy(&value, c->f.source + k, size);
    ptx_atomic_change(c->to + k, c->in_shared, size, mode, type, value);
  }
}

static void land_bulk (ptx_flight *f, uint32_t lanes) {
  const bulk_copy *c = (const void *)f;
  (void)lanes;
  if (c->change != 0) change_bytes(c);
  else if (c->mask == UINT32_MAX) memmove(c->to, f->source, f->source_bytes);
  else
    for (uint32_t k = 0; k < f->source_bytes; k++)
      if (c->mask >> k % BULK_UNIT & 1) c->to[k] = f->source[k];
}

/* The barrier object is in the block that gets the copy. */
uint64_t ptx_bulk_object (const ptx_uop *I, const uint8_t *rf, const ptx_span *s) {
  bool many = I->id == PTX_ID_try_cancel ? I->imm != 0 : has_mask(I);
  if (I->extra->slots[BULK_BAR] < 0) return UINT64_MAX;
  uint64_t bar = operand_address(I, rf, s->lane, BULK_BAR);
  return many ? in_block(bar, (uint32_t)(s->address / PTX_PEER_BYTES - 1)) : bar;
}

bool ptx_bulk_await (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, const ptx_span *s,
                     ptx_flight *f) {
  f->I = I;
  f->mask = 1u << s->lane;
  f->bytes = s->bytes;
  f->to = s->address;
  if (I->extra->slots[BULK_BAR] < 0) {
    ptx_flight_to_group(w, PTX_GROUP_BULK, f);
    return true;
  }
  return ptx_mbarrier_await(w, I->space, s->lane, ptx_bulk_object(I, rf, s), f);
}

static bool copy_span (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, const ptx_span *s) {
  bulk_copy c = { .f = { .land = land_bulk, .size = sizeof c, .leaves = I->space == PTX_GLOBAL },
                  .change = I->extra->imm[BULK_CHANGE],
                  .in_shared = I->space != PTX_GLOBAL,
                  .mask = UINT32_MAX };
  if (!check_size(I, w, s)) return false;
  c.to = ptx_memory_block(w, I->space, s->lane, s->address, s->bytes, BULK_UNIT, true);
  if (c.to == NULL) return false;
  c.f.source_bytes = s->bytes;
  c.f.source =
    ptx_memory_block(w, (uint8_t)I->imm, s->lane, operand_address(I, rf, s->lane, BULK_FROM),
                     s->bytes, BULK_UNIT, false);
  if (c.f.source == NULL) return false;
  c.f.target = c.to;
  c.f.target_bytes = s->bytes;
  c.f.combines = c.change != 0;
  if (c.change == 0 && I->extra->slots[BULK_BYTES] >= 0)
    c.mask = bulk_operand(I, rf, s->lane, BULK_BYTES) & 0xffffu;
  w->stored = 1;
  return ptx_bulk_await(I, rf, w, s, &c.f);
}

const ptx_uop *ptx_handle_cp_bulk (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  ptx_span spans[PTX_MAX_CLUSTER];
  PTX_EACH_ACTIVE(l, w->mask) {
    uint32_t n = ptx_bulk_spans(I, rf, w, l, spans);
    for (uint32_t i = 0; i < n; i++)
      if (!copy_span(I, rf, w, &spans[i])) return ptx_leave(w, PTX_EV_FAULT, I);
  }
  return I + 1;
}

/* ---- values on their way ---- */

enum { ANSWER_WORDS = 4 };

typedef struct async_values {
  ptx_flight f;
  int64_t change; /* imm[BULK_CHANGE] */
  uint32_t size, num;
  uint8_t *to;
  uint64_t values[ANSWER_WORDS];
} async_values;

static void land_values (ptx_flight *f, uint32_t lanes) {
  const async_values *v = (const void *)f;
  (void)lanes;
  for (uint32_t k = 0; k < v->num; k++) {
    uint8_t *to = v->to + k * v->size;
    if (v->change == 0) memcpy(to, &v->values[k], v->size);
    else
      ptx_atomic_change(to, true, v->size, (ptx_mode)(v->change & 255), (ptx_type)(v->change >> 8),
                        v->values[k]);
  }
}

/* ---- cancelling a cluster ---- */

/* As ptx_decode_cancel.c reads it. */
static void ask (ptx_warp *w, uint64_t answer[ANSWER_WORDS]) {
  uint32_t at[3] = { 0, 0, 0 };
  bool found = w->cancel(w, at);
  answer[0] = at[0];
  answer[1] = at[1] | at[2] << 16;
  answer[2] = found;
  answer[3] = 0;
}

static bool answer_lane (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane) {
  ptx_span spans[PTX_MAX_CLUSTER];
  async_values v = { .f = { .land = land_values, .size = sizeof v, .bytes = BULK_UNIT },
                     .size = BULK_UNIT / ANSWER_WORDS,
                     .num = ANSWER_WORDS };
  uint32_t n = answer_spans(I, rf, w, lane, spans);
  ask(w, v.values);
  v.f.I = I;
  v.f.mask = 1u << lane;
  for (uint32_t k = 0; k < n; k++) {
    v.to = ptx_memory_block(w, I->space, lane, spans[k].address, BULK_UNIT, BULK_UNIT, true);
    if (v.to == NULL) return false;
    v.f.to = spans[k].address;
    v.f.target = v.to;
    v.f.target_bytes = BULK_UNIT;
    if (!ptx_mbarrier_await(w, I->space, lane, ptx_bulk_object(I, rf, &spans[k]), &v.f))
      return false;
  }
  w->stored = 1;
  return true;
}

const ptx_uop *ptx_handle_try_cancel (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask)
  if (!answer_lane(I, rf, w, l)) return ptx_leave(w, PTX_EV_FAULT, I);
  return I + 1;
}

/* ---- filling with zeros ---- */

const ptx_uop *ptx_handle_st_bulk (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  enum { ALIGN = 8 };
  PTX_EACH_ACTIVE(l, w->mask) {
    uint32_t bytes = bulk_operand(I, rf, l, BULK_SIZE);
    uint8_t *to =
      ptx_memory_block(w, I->space, l, operand_address(I, rf, l, BULK_TO), bytes, ALIGN, true);
    if (to == NULL) return ptx_leave(w, PTX_EV_FAULT, I);
    memset(to, 0, bytes);
    w->stored = 1;
  }
  return I + 1;
}

/* ---- stores and reductions of values, from BULK_VALUES on ---- */

const ptx_uop *ptx_handle_st_async (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  async_values v = { .f = { .land = land_values, .size = sizeof v, .I = I },
                     .change = I->extra->imm[BULK_CHANGE],
                     .size = I->size,
                     .num = I->vector };
  v.f.bytes = v.f.target_bytes = v.size * v.num;
  v.f.combines = v.change != 0;
  PTX_EACH_ACTIVE(l, w->mask) {
    v.f.mask = 1u << l;
    v.f.to = operand_address(I, rf, l, BULK_TO);
    v.to = ptx_memory_at(w, I->space, l, v.f.to, v.f.bytes, true);
    if (v.to == NULL) return ptx_leave(w, PTX_EV_FAULT, I);
    v.f.target = v.to;
    for (uint32_t k = 0; k < I->vector; k++) {
      int32_t slot = I->extra->slots[BULK_VALUES + k];
      v.values[k] = I->size == 8 ? PTX_SLOT(u64, rf, slot)[l] : PTX_SLOT(u32, rf, slot)[l];
    }
    w->stored = 1;
    if (!ptx_mbarrier_await(w, I->space, l, operand_address(I, rf, l, BULK_BAR), &v.f))
      return ptx_leave(w, PTX_EV_FAULT, I);
  }
  return I + 1;
}
