/* ptx_check.c: the inner loop with all checks on, and what each instruction accesses. An access is
 * checked before it happens. */
#include <string.h>

#include "ptx_bulk.h"
#include "ptx_check.h"
#include "ptx_count.h"
#include "ptx_exchange.h"
#include "ptx_fault.h"
#include "ptx_fragment.h"
#include "ptx_grid.h"
#include "ptx_ids.h"

const char *ptx_access_name (ptx_access kind) {
  return kind == PTX_ACCESS_LOAD ? "read" : kind == PTX_ACCESS_STORE ? "write" : "atomic";
}

/* ---- one instruction */

bool ptx_check_uses (const ptx_uop *I, uint32_t byte) {
  return ptx_id_access[I->id] == PTX_ACCESS_ATOMIC || I->used_bytes == 0 || byte >= 32 ||
         ((I->used_bytes >> byte) & 1) != 0;
}

void ptx_check_set (const ptx_lane_access *a, ptx_fault_kind kind, const char *detail) {
  ptx_fault_set(a->x, a->lane, kind, "%s", detail);
  ptx_warp_fault *f = &a->x->w.fault;
  f->address = a->address;
  f->bytes = a->bytes;
  f->space = PTX_GLOBAL;
  f->write = a->kind != PTX_ACCESS_LOAD;
}

static bool in_local_window (uint64_t address) {
  return ptx_in_window(address, ptx_window_local) || ptx_in_window(address, ptx_window_param);
}

static bool check_access (const ptx_lane_access *a, uint8_t space) {
  if (space == PTX_SHARED || space == PTX_CLUSTER) return ptx_check_shared(a, a->address);
  if (space == PTX_GENERIC && ptx_in_window(a->address, ptx_window_shared))
    return ptx_check_shared(a, a->address - ptx_window_shared);
  if (space == PTX_GLOBAL || (space == PTX_GENERIC && !in_local_window(a->address)))
    return ptx_check_global(a, a->x->cta->grid->shadow);
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
    ptx_lane_access a = {
      x, I, rf, spans[i].address, spans[i].bytes, spans[i].lane, (ptx_access)ptx_id_access[I->id]
    };
    if (!check_access(&a, I->space)) return false;
  }
  return true;
}

/* Asynchronous writes are not compared; they initialize. */
static bool check_bulk (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  ptx_span spans[PTX_MAX_CLUSTER];
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1) {
    uint32_t num = ptx_bulk_spans(I, rf, &x->w, ptx_first_lane(m), spans);
    for (uint32_t i = 0; i < num; i++) {
      ptx_lane_access a = {
        x, I, rf, spans[i].address, spans[i].bytes, spans[i].lane, PTX_ACCESS_SYNC
      };
      if (!check_access(&a, I->space)) return false;
    }
  }
  return true;
}

static bool check (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  if (ptx_id_access[I->id] == PTX_ACCESS_SPANS) return check_bulk(x, I, rf);
  if (I->size == 0 || ptx_id_access[I->id] == PTX_ACCESS_NONE) return true;
  x->cta->clock++;
  if (ptx_id_whole_warp(I->id)) return check_matrix(x, I, rf);
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1)
    if (!check_lane(x, I, rf, ptx_first_lane(m))) return false;
  return true;
}

/* ---- the loop */

void (*ptx_check_watcher)(const ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf);

/* Or what orders accesses like one. */
static bool is_fence (const ptx_uop *I) {
  return I->id == PTX_ID_fence || I->id == PTX_ID_cluster_arrive || (I->flags & PTX_F_ORDERS) != 0;
}

static void pass_fence (ptx_xwarp *x) {
  ptx_global_shadow *s = x->cta->grid->shadow;
  x->fenced = ++x->cta->clock;
  if (s != NULL) ptx_global_shadow_fence(x, s);
}

static ptx_profile *profile_of (const ptx_xwarp *x) { return x->cta->grid->launch->profile; }

static const ptx_uop *carry_out (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f, int full) {
  ptx_profile *profile = profile_of(x);
  if (profile == NULL) return I->fn[full](I, f->rf, &x->w);
  ptx_profile_step(profile, &x->w, I, f);
  const ptx_uop *next = I->fn[full](I, f->rf, &x->w);
  if (next == NULL && x->w.event == PTX_EV_DIVERGE) ptx_profile_diverged(profile, I);
  return next;
}

/* Lanes wait for each other there. */
static bool is_warp_op (const ptx_uop *I) {
  return ptx_id_whole_warp(I->id) || ptx_exchange_kind_of(I->id) != NULL;
}

static const ptx_uop *step (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f, int full) {
  ptx_warp *w = &x->w;
  w->instructions++;
  if (lcu_unlikely(ptx_check_watcher != NULL)) ptx_check_watcher(x, I, f->rf);
  w->thread_instructions += ptx_popc(w->mask);
  if (is_fence(I)) pass_fence(x);
  bool all = w->check == PTX_CHECK_ALL;
  if (all && ptx_id_whole_warp(I->id) && w->mask == UINT32_MAX) ptx_check_synced(x, w->mask);
  if (all && (!ptx_check_wrapped(x, I, f) || !ptx_check_bounds(x, I, f) || !check(x, I, f->rf) ||
              !ptx_check_shuffle(x, I, f->rf) || !ptx_check_passing(x, I, f->rf)))
    return ptx_leave(w, PTX_EV_FAULT, I);
  if (all && I->id == PTX_ID_nop) ptx_check_copies(x, I);
  /* Threads that wait at a barrier object come after those that arrived. It counts as a barrier of
   * the whole CTA, since nothing that is right may be reported. */
  if (ptx_id_access[I->id] == PTX_ACCESS_ARRIVAL) x->cta->epoch = ++x->cta->clock;
  const ptx_uop *next = carry_out(x, I, f, full);
  if (next != NULL && is_warp_op(I)) ptx_check_synced(x, w->mask);
  return next;
}

static uint32_t guard_lanes (const ptx_uop *I, const uint8_t *rf, uint32_t mask) {
  const uint32_t *p = (const uint32_t *)(const void *)(rf + I->a);
  uint32_t on = 0;
  for (uint32_t l = 0; l < PTX_LANES; l++) on |= (uint32_t)((p[l] != 0) != (I->negate != 0)) << l;
  return on & mask;
}

/* The handler of `guard`, step by step. */
static const ptx_uop *run_guarded (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  ptx_warp *w = &x->w;
  const ptx_uop *at = I + 1, *end = at + I->imm;
  uint32_t mask = w->mask, on = guard_lanes(I, f->rf, mask);
  int32_t lanes[PTX_LANES];
  w->mask = on;
  if (profile_of(x) != NULL) ptx_profile_step(profile_of(x), w, I, f);
  if (on == 0) at = end;
  memcpy(lanes, w->lanes, sizeof lanes);
  for (uint32_t l = 0; l < PTX_LANES; l++) w->lanes[l] = (on >> l) & 1 ? -1 : 0;
  while (at != NULL && at != end) at = step(x, at, f, 0);
  w->mask = mask;
  memcpy(w->lanes, lanes, sizeof lanes);
  return at;
}

void ptx_check_run (ptx_xwarp *x, const ptx_fragment *fragment, int full) {
  const ptx_frame *f = fragment->frame;
  x->seen_bb = UINT32_MAX;
  for (const ptx_uop *I = fragment->pc; I != NULL;)
    I = I->id == PTX_ID_guard ? run_guarded(x, I, f) : step(x, I, f, full);
}
