/* ptx_check.c: the checks of an instruction, and what it accesses. An access is checked before it
 * happens. */
#include "ptx_check.h"

#include "ptx_bulk.h"
#include "ptx_exchange.h"
#include "ptx_fragment.h"
#include "ptx_grid.h"
#include "ptx_ids.h"
#include "ptx_wgmma.h"

static bool in_local_window (uint64_t address) {
  return ptx_in_window(address, ptx_window_local) || ptx_in_window(address, ptx_window_param);
}

static bool check_in_shared (const ptx_lane_access *a, uint64_t address) {
  return ptx_check_peer(a, address) && ptx_check_shared(a, address);
}

static bool check_in_global (const ptx_lane_access *a) {
  if (a->kind != PTX_ACCESS_LOAD) ptx_check_tell(a->x->cta);
  return ptx_check_global(a, a->x->cta->grid->shadow);
}

static bool check_access (const ptx_lane_access *a, uint8_t space) {
  if (!ptx_check_flight(a, space)) return false;
  if (space == PTX_SHARED || space == PTX_CLUSTER) return check_in_shared(a, a->address);
  if (space == PTX_GENERIC && ptx_in_window(a->address, ptx_window_shared))
    return check_in_shared(a, a->address - ptx_window_shared);
  if (space == PTX_GLOBAL || (space == PTX_GENERIC && !in_local_window(a->address)))
    return check_in_global(a);
  return true;
}

/* cp.async reads global memory, too. */
static bool check_source (const ptx_lane_access *a) {
  ptx_lane_access from = *a;
  from.address =
    ((const uint64_t *)(const void *)(a->rf + a->I->b))[a->lane] + (uint64_t)a->I->extra->imm[0];
  from.bytes = ((const uint32_t *)(const void *)(a->rf + a->I->c))[a->lane];
  if (from.bytes > a->bytes) from.bytes = a->bytes;
  from.kind = PTX_ACCESS_LOAD;
  return ptx_check_global(&from, a->x->cta->grid->shadow);
}

/* atom.cas of a word changes the bytes in which its operands differ. The others may be variables of
 * their own: a smaller atomic variable is exchanged with what is around it. */
static void trim_exchange (ptx_lane_access *a) {
  const ptx_uop *I = a->I;
  if (a->kind != PTX_ACCESS_ATOMIC || (I->flags & PTX_F_WORD) == 0) return;
  const uint32_t *compared = (const void *)(a->rf + I->b), *next = (const void *)(a->rf + I->c);
  uint32_t differ = compared[a->lane] ^ next[a->lane], from = 0, end = 4;
  if (differ == 0) return;
  while ((differ >> 8 * from & 0xff) == 0) from++;
  while ((differ >> 8 * (end - 1) & 0xff) == 0) end--;
  a->address += from;
  a->bytes = end - from;
}

static bool check_lane (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf, uint32_t lane) {
  ptx_lane_access a = { .x = x, .I = I, .rf = rf, .lane = lane };
  a.address = ptx_lane_address(I, rf, &x->w, lane);
  a.bytes = (uint32_t)I->size * (I->vector == 0 ? 1u : I->vector);
  a.kind = (ptx_access)ptx_id_access[I->id];
  trim_exchange(&a);
  if (I->id == PTX_ID_cp_async && !check_source(&a)) return false;
  return check_access(&a, I->space);
}

/* Matrices are accessed by lines, and only by a whole warp. */
static bool check_matrix (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  ptx_span spans[PTX_LANES];
  if (x->w.mask != UINT32_MAX) return true;
  uint32_t num = ptx_matrix_spans(I, rf, &x->w, spans);
  for (uint32_t i = 0; i < num; i++) {
    ptx_lane_access a = { .x = x,
                          .I = I,
                          .rf = rf,
                          .address = spans[i].address,
                          .bytes = spans[i].bytes,
                          .lane = spans[i].lane,
                          .kind = (ptx_access)ptx_id_access[I->id],
                          .async = I->id == PTX_ID_wgmma_load };
    if (a.async) a.layout = ptx_wgmma_swizzle(I, rf) + 1;
    if (!check_access(&a, I->space)) return false;
  }
  return true;
}

/* wgmma reads shared memory when it is waited for. What it needs is checked now. */
static bool check_product_loads (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  const ptx_products *all = ptx_products_of(I);
  if (x->w.mask != UINT32_MAX) return true;
  ptx_products_open(I, f->rf);
  x->cta->clock++;
  for (uint32_t i = 0; i < all->num; i++)
    if (all->uops[i].id == PTX_ID_wgmma_load && !check_matrix(x, &all->uops[i], f->rf))
      return false;
  return true;
}

/* Of what writes spans. Those to shared memory are compared as bulk copies. */
static ptx_access bulk_access (const ptx_uop *I) {
  if (I->id != PTX_ID_cp_bulk || I->space != PTX_GLOBAL) return PTX_ACCESS_SYNC;
  return I->extra->imm[BULK_CHANGE] != PTX_MODE_none ? PTX_ACCESS_ATOMIC : PTX_ACCESS_STORE;
}

static bool check_bulk_source (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf, uint32_t lane) {
  ptx_span s;
  uint8_t space;
  if (I->id == PTX_ID_cp_tensor && !ptx_check_box(x, I, rf, lane)) return false;
  if (!ptx_bulk_source(I, rf, &x->w, lane, &s, &space)) return true;
  ptx_lane_access a = { .x = x,
                        .I = I,
                        .rf = rf,
                        .address = s.address,
                        .bytes = s.bytes,
                        .lane = lane,
                        .kind = PTX_ACCESS_LOAD,
                        .async = true };
  if (space == PTX_SHARED) return check_access(&a, space);
  return ptx_check_flight(&a, space) && ptx_check_global_source(&a, x->cta->grid->shadow);
}

/* Asynchronous writes to shared memory are only compared with each other; they initialize. */
static bool check_bulk (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  ptx_span spans[PTX_MAX_CLUSTER];
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m), num = ptx_bulk_spans(I, rf, &x->w, lane, spans);
    if (!check_bulk_source(x, I, rf, lane)) return false;
    for (uint32_t i = 0; i < num; i++) {
      ptx_lane_access a = { .x = x,
                            .I = I,
                            .rf = rf,
                            .address = spans[i].address,
                            .bytes = spans[i].bytes,
                            .lane = lane,
                            .kind = bulk_access(I),
                            .async = I->id != PTX_ID_st_bulk };
      if (I->id == PTX_ID_cp_bulk && I->space == PTX_GLOBAL) ptx_check_bulk_values(&a);
      if (I->id == PTX_ID_cp_tensor) a.layout = ptx_tensor_swizzle(I, rf, &x->w, lane) + 1;
      if (!ptx_object_find(&a, ptx_bulk_object(I, rf, &spans[i])) || !check_access(&a, I->space))
        return false;
    }
  }
  return true;
}

static bool check_accesses (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  if (ptx_id_access[I->id] == PTX_ACCESS_SPANS) return check_bulk(x, I, rf);
  if (I->size == 0 || ptx_id_access[I->id] == PTX_ACCESS_NONE) return true;
  x->cta->clock++;
  if (ptx_id_whole_warp(I->id)) return check_matrix(x, I, rf);
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1)
    if (!check_lane(x, I, rf, ptx_first_lane(m))) return false;
  return true;
}

/* ---- around the instruction */

static bool is_proxy_fence (const ptx_uop *I) {
  return I->id == PTX_ID_fence && I->imm == PTX_FENCE_PROXY;
}

/* Or what orders accesses like one. A proxy fence tells no other thread anything. */
static bool is_fence (const ptx_uop *I) {
  return (I->id == PTX_ID_fence && !is_proxy_fence(I)) ||
         (I->id == PTX_ID_cluster_arrive && (I->flags & PTX_F_VOLATILE) == 0) ||
         (I->flags & PTX_F_ORDERS) != 0;
}

static void pass_fence (ptx_xwarp *x, const ptx_uop *I) {
  ptx_global_shadow *s = x->cta->grid->shadow;
  x->fenced = ++x->cta->clock;
  if (I->id == PTX_ID_cluster_arrive) ptx_check_cluster_arrive(x->cta);
  else ptx_check_publish(x->cta);
  if (s != NULL) ptx_global_shadow_fence(x, s);
}

/* fence.proxy.async orders what the lanes have done before asynchronous operations. */
static void pass_proxy_fence (ptx_xwarp *x) {
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1) x->proxied[ptx_first_lane(m)] = x->cta->clock;
}

/* Reads what is meant to meet other threads. Barriers and their objects: see ptx_order_acquire. */
static bool observes (const ptx_uop *I) {
  ptx_access access = (ptx_access)ptx_id_access[I->id];
  return access == PTX_ACCESS_ATOMIC || I->id == PTX_ID_async_group ||
         (access == PTX_ACCESS_LOAD && (I->flags & PTX_F_VOLATILE) != 0);
}

/* The same, where other blocks may have written it. */
static bool hears (const ptx_uop *I) {
  return observes(I) && I->id != PTX_ID_async_group && I->space != PTX_SHARED;
}

/* Accesses to other memory tell peers as well (ptx_check_peer.c). A relaxed arrival tells only what
 * came before a fence. */
static void tell_peers (ptx_xwarp *x, const ptx_uop *I) {
  bool relaxed = (I->flags & PTX_F_VOLATILE) != 0;
  if (I->id == PTX_ID_cluster_arrive && relaxed) ptx_check_tell_fenced(x);
  else if (I->id == PTX_ID_cluster_arrive || I->id == PTX_ID_st_async || I->id == PTX_ID_sust)
    ptx_check_tell(x->cta);
}

bool ptx_check_before (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  if (is_fence(I)) pass_fence(x, I);
  if (is_proxy_fence(I)) pass_proxy_fence(x);
  tell_peers(x, I);
  ptx_check_dependency(x, I);
  if (!ptx_check_objects(x, I, f->rf)) return false;
  ptx_check_group_wait(x, I);
  ptx_check_product_wait(x, I);
  if (ptx_id_whole_warp(I->id) && x->w.mask == UINT32_MAX) ptx_check_synced(x, x->w.mask);
  if (!ptx_check_wrapped(x, I, f) || !ptx_check_bounds(x, I, f) || !check_accesses(x, I, f->rf) ||
      !ptx_check_shuffle(x, I, f->rf))
    return false;
  if (!ptx_check_products(x, I, f) || !ptx_check_groups(x, I, f)) return false;
  if (I->id == PTX_ID_wgmma && !check_product_loads(x, I, f)) return false;
  if (observes(I)) ptx_order_observe(x);
  if (hears(I)) ptx_order_hear(x, x->w.mask);
  return true;
}

/* Lanes wait for each other there. */
static bool is_warp_op (const ptx_uop *I) {
  return ptx_id_whole_warp(I->id) || ptx_exchange_kind_of(I->id) != NULL;
}

void ptx_check_after (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  ptx_note_objects(x, I, f->rf);
  if (is_warp_op(I)) ptx_check_synced(x, x->w.mask);
}
