/* ptx_check_box.c: with all checks on, the part of bulk copies in global memory: boxes of tensors,
 * and what stores write there. Stores are on their way until their thread has waited for them. */
#include "ptx_check.h"

#include "ptx_bulk.h"
#include "ptx_flight.h"
#include "ptx_grid.h"
#include "ptx_memory.h"

/* ---- boxes */

typedef struct checked_box {
  ptx_lane_access a;
  bool ok;
} checked_box;

static bool check_part (void *ud, uint64_t address, uint32_t bytes, const uint8_t *stored) {
  checked_box *b = ud;
  ptx_global_shadow *s = b->a.x->cta->grid->shadow;
  b->a.address = address;
  b->a.bytes = bytes;
  b->a.stored = stored;
  b->ok =
    ptx_check_flight(&b->a, PTX_GLOBAL) &&
    (b->a.kind == PTX_ACCESS_LOAD ? ptx_check_global_source(&b->a, s) : ptx_check_global(&b->a, s));
  return b->ok;
}

static ptx_access kind_of_box (const ptx_uop *I) {
  if (I->space != PTX_GLOBAL) return PTX_ACCESS_LOAD;
  return I->extra->imm[BULK_CHANGE] != PTX_MODE_none ? PTX_ACCESS_ATOMIC : PTX_ACCESS_STORE;
}

bool ptx_check_box (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf, uint32_t lane) {
  checked_box b = {
    .a = { .x = x, .I = I, .rf = rf, .lane = lane, .kind = kind_of_box(I), .async = true },
    .ok = true
  };
  if (b.a.kind != PTX_ACCESS_LOAD) ptx_check_tell(x->cta);
  ptx_tensor_show(I, rf, &x->w, lane, check_part, &b);
  return b.ok;
}

/* ---- bulk copies */

void ptx_check_bulk_values (ptx_lane_access *a) {
  ptx_span from;
  uint8_t space;
  int32_t mask = a->I->extra->slots[BULK_BYTES];
  ptx_warp *w = &a->x->w;
  if (mask >= 0 && a->I->extra->imm[BULK_CHANGE] == PTX_MODE_none)
    a->left_out = (uint16_t)~((const uint32_t *)(const void *)(a->rf + mask))[a->lane];
  if (ptx_bulk_source(a->I, a->rf, w, a->lane, &from, &space) && space == PTX_SHARED)
    a->stored = ptx_shared_at(w, from.address, from.bytes);
}

/* ---- operations that are carried out */

typedef struct landing {
  const ptx_xwarp *x;
  uint32_t lane;
} landing;

static bool land_part (void *ud, uint64_t address, uint32_t bytes, const uint8_t *stored) {
  const landing *l = ud;
  (void)stored;
  ptx_global_shadow_land(l->x, l->lane, address, bytes);
  return true;
}

void ptx_check_landing (ptx_xwarp *x, const ptx_flight *f, uint32_t lanes) {
  if (!f->leaves) return;
  for (; lanes != 0; lanes &= lanes - 1) {
    landing l = { x, ptx_first_lane(lanes) };
    if (f->target == NULL) ptx_tensor_show_flight(f, land_part, &l);
    else land_part(&l, (uint64_t)(uintptr_t)f->target, f->target_bytes, NULL);
  }
}
