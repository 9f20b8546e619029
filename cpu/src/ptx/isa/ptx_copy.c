/* ptx_copy.c: asynchronous copies of 4 to 16 bytes and their groups (9.7.9.25.3), and the groups of
 * bulk copies. */
#include <string.h>

#include "ptx_exchange.h"
#include "ptx_flight.h"
#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_memory.h"
#include "ptx_wgmma.h"

/* The copies of an instruction, one for each lane. */
typedef struct lane_copies {
  ptx_flight f;
  uint32_t size;
  uint32_t bytes[PTX_LANES]; /* to read; the rest is filled with zeros */
  uint8_t *to[PTX_LANES];
  const uint8_t *from[PTX_LANES];
} lane_copies;

static void land_copies (ptx_flight *f, uint32_t lanes) {
  const lane_copies *c = (const void *)f;
  for (; lanes != 0; lanes &= lanes - 1) {
    uint32_t l = ptx_first_lane(lanes);
    uint8_t buffer[16] = { 0 };
    if (c->bytes[l] != 0) memcpy(buffer, c->from[l], c->bytes[l]);
    memcpy(c->to[l], buffer, c->size);
  }
}

/* Whether a lane reads some of the bytes. */
static bool touches_sources (const ptx_flight *f, const uint8_t *p, uint32_t n) {
  const lane_copies *c = (const void *)f;
  for (uint32_t m = f->mask; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m);
    if (c->bytes[l] != 0 && p < c->from[l] + c->bytes[l] && c->from[l] < p + n) return true;
  }
  return false;
}

bool ptx_copy_writes (const ptx_flight *f, uint32_t lane, const uint8_t *p) {
  const lane_copies *c = (const void *)f;
  return (f->mask >> lane & 1) != 0 && p >= c->to[lane] && p < c->to[lane] + c->size;
}

static bool open_copy (lane_copies *c, const ptx_uop *I, const uint8_t *rf, ptx_warp *w,
                       uint32_t l) {
  uint64_t from = PTX_SLOT(u64, rf, I->b)[l] + (uint64_t)I->extra->imm[0];
  uint32_t bytes = PTX_SLOT(u32, rf, I->c)[l];
  c->bytes[l] = bytes < I->size ? bytes : I->size;
  c->to[l] = ptx_memory_at(w, PTX_SHARED, l, ptx_lane_address(I, rf, w, l), I->size, true);
  if (c->to[l] == NULL || !ptx_memory_aligned(w, PTX_GLOBAL, l, from, I->size, false)) return false;
  if (c->bytes[l] == 0) return true;
  c->from[l] = ptx_memory_block(w, PTX_GLOBAL, l, from, c->bytes[l], 1, false);
  return c->from[l] != NULL;
}

const ptx_uop *ptx_handle_cp_async (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  lane_copies c;
  c.f = (ptx_flight){
    .land = land_copies, .touches = touches_sources, .size = sizeof c, .mask = w->mask, .I = I
  };
  c.size = I->size;
  PTX_EACH_ACTIVE(l, w->mask)
  if (!open_copy(&c, I, rf, w, l)) return ptx_leave(w, PTX_EV_FAULT, I);
  ptx_flight_to_group(w, PTX_GROUP_COPY, &c.f);
  return I + 1;
}

/* A wait for products. */
static const ptx_uop *wait_products (const ptx_uop *I, ptx_warp *w) {
  uint32_t left = (uint32_t)(I->imm - PTX_GROUP_WAIT);
  if (w->in_groups[PTX_GROUP_PRODUCT].first == NULL) return I + 1;
  if (w->mask != UINT32_MAX) return ptx_whole_warp_wait(I, w);
  return ptx_products_wait(w, left) ? I + 1 : ptx_leave(w, PTX_EV_YIELD, I);
}

const ptx_uop *ptx_handle_async_group (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  ptx_group_kind kind = (ptx_group_kind)I->vector;
  (void)rf;
  if (kind == PTX_GROUP_PRODUCT && I->imm >= PTX_GROUP_WAIT) return wait_products(I, w);
  if (kind == PTX_GROUP_PRODUCT && w->mask != UINT32_MAX && w->in_groups[kind].first != NULL)
    return ptx_whole_warp_wait(I, w);
  if (I->imm == PTX_GROUP_COMMIT || I->imm == PTX_GROUP_ALL) ptx_groups_commit(w, kind, w->mask);
  if (I->imm == PTX_GROUP_ALL) ptx_groups_wait(w, kind, w->mask, 0, false);
  if (I->imm >= PTX_GROUP_WAIT)
    ptx_groups_wait(w, kind, w->mask, (uint32_t)(I->imm - PTX_GROUP_WAIT), I->negate != 0);
  return I + 1;
}
