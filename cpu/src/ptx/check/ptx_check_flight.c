/* ptx_check_flight.c: with all checks on, accesses to memory that an asynchronous operation in
 * flight reads or writes (ptx_flight.h): no thread of the cluster has waited for it. What cp.async
 * writes is not among that (ptx_check_shared.c). */
#include "ptx_check.h"

#include "ptx_bulk.h"
#include "ptx_fault.h"
#include "ptx_flight.h"
#include "ptx_window.h"

bool ptx_check_in_flight (const ptx_cta *c, uint32_t thread, const uint8_t *p) {
  const ptx_flight *f = c->warps[thread / PTX_LANES].w.in_groups[PTX_GROUP_COPY].first;
  while (f != NULL && !ptx_copy_writes(f, thread % PTX_LANES, p)) f = f->next;
  return f != NULL;
}

/* An access to consecutive bytes of storage. */
typedef struct touching {
  const ptx_lane_access *a;
  const uint8_t *p; /* NULL: there is none */
  uint64_t shared;  /* address in the window of shared memory; UINT64_MAX: it is in global memory */
  bool writes, combines;
} touching;

static bool bytes_meet (const touching *t, const uint8_t *p, uint32_t bytes) {
  return p != NULL && t->p < p + bytes && p < t->p + t->a->bytes;
}

static bool meets_target (const touching *t, const ptx_flight *f) {
  if (t->combines && f->combines) return false;
  if (f->target != NULL) return bytes_meet(t, f->target, f->target_bytes);
  return f->leaves && f->touches(f, t->p, t->a->bytes);
}

static bool meets_source (const touching *t, const ptx_flight *f) {
  if (!t->writes || f->copied != NULL) return false;
  if (f->source != NULL) return bytes_meet(t, f->source, f->source_bytes);
  return f->touches != NULL && !f->leaves && f->touches(f, t->p, t->a->bytes);
}

static const char *missing_wait (const ptx_flight *f, bool source) {
  if (f->I->id == PTX_ID_wgmma)
    return "without a wait (wgmma.wait_group) for the product of the tensor cores";
  if (f->I->id == PTX_ID_st_async)
    return "without a wait (mbarrier.try_wait) for the asynchronous store";
  if (f->I->id == PTX_ID_cp_async) return "without a wait (cp.async.wait_group) for the copy";
  if (f->bar != NULL) return "without a wait (mbarrier.try_wait) for the bulk copy";
  return source ? "without a wait (cp.async.bulk.wait_group.read) for the bulk copy"
                : "without a wait (cp.async.bulk.wait_group) for the bulk copy";
}

/* Says what the access is. */
static void describe_touching (const touching *t) {
  const ptx_lane_access *a = t->a;
  ptx_warp_fault *f = &a->x->w.fault;
  char name[240];
  if (t->shared == UINT64_MAX) {
    ptx_check_set(a, PTX_FAULT_RACE, "");
    f->write = t->writes;
    return;
  }
  uint32_t offset = (uint32_t)(t->shared % PTX_PEER_BYTES) - PTX_SHARED_RESERVED;
  ptx_variable_name_offset(a->x, offset, name, sizeof name);
  ptx_fault_set(a->x, a->lane, PTX_FAULT_RACE, "%s of %u bytes at offset 0x%x of shared memory%s",
                ptx_access_name(t->writes ? PTX_ACCESS_STORE : PTX_ACCESS_LOAD), a->bytes, offset,
                name);
  f->told = true;
  f->address = PTX_SHARED_RESERVED + offset;
  f->bytes = a->bytes;
  f->space = PTX_SHARED;
  f->write = t->writes;
  f->variable = ptx_variable_at(a->x, offset);
}

static bool report_met (const touching *t, const ptx_flight *f, bool source) {
  const ptx_lane_access *a = t->a;
  const ptx_xwarp *other = (const ptx_xwarp *)f->w;
  describe_touching(t);
  a->x->w.fault.other =
    (ptx_meeting){ .access = f->I->id == PTX_ID_wgmma ? "product" : "copy",
                   .between = missing_wait(f, source),
                   .cta = other->cta->linear,
                   .thread = other->w.warpid * PTX_LANES + ptx_first_lane(f->mask),
                   .loc = f->I->loc };
  return false;
}

static bool check_list (const touching *t, const ptx_flights *list) {
  for (const ptx_flight *f = list->first; f != NULL; f = f->next) {
    if (meets_target(t, f)) return report_met(t, f, false);
    if (meets_source(t, f)) return report_met(t, f, true);
  }
  return true;
}

static bool check_cluster (const touching *t) {
  const ptx_cluster *cl = &t->a->x->cta->lead->cluster;
  if (!check_list(t, &cl->flying.at_barriers)) return false;
  for (uint32_t rank = 0; rank < cl->size; rank++)
    for (uint32_t k = 0; k < cl->ctas[rank]->num_warps; k++)
      for (int kind = 0; kind < PTX_GROUP_KINDS; kind++)
        if (!check_list(t, &cl->ctas[rank]->warps[k].w.in_groups[kind])) return false;
  return true;
}

/* UINT64_MAX: it is not in shared memory. */
static uint64_t shared_address (const ptx_lane_access *a, uint8_t space) {
  if (space == PTX_SHARED || space == PTX_CLUSTER) return a->address;
  if (space != PTX_GENERIC || !ptx_in_window(a->address, ptx_window_shared)) return UINT64_MAX;
  return a->address - ptx_window_shared;
}

static const uint8_t *storage_of (const ptx_lane_access *a, uint64_t shared) {
  const ptx_warp *w = &a->x->w;
  if (shared == UINT64_MAX) return (const uint8_t *)(uintptr_t)a->address;
  if (shared < PTX_PEER_BYTES) return w->shared + shared;
  uint64_t rank = shared / PTX_PEER_BYTES - 1;
  return rank < w->num_peers ? w->peers[rank].shared + shared % PTX_PEER_BYTES : NULL;
}

bool ptx_check_flight (const ptx_lane_access *a, uint8_t space) {
  bool moves = ptx_id_access[a->I->id] == PTX_ACCESS_SPANS;
  if (!a->x->w.flying->any || a->bytes == 0 || a->I->id == PTX_ID_cp_async) return true;
  if (a->kind == PTX_ACCESS_SYNC && !moves) return true;
  bool reduces = moves && a->I->extra->imm[BULK_CHANGE] != PTX_MODE_none;
  touching t = { .a = a,
                 .shared = shared_address(a, space),
                 .writes = a->kind != PTX_ACCESS_LOAD,
                 .combines = reduces || a->kind == PTX_ACCESS_ATOMIC };
  t.p = storage_of(a, t.shared);
  return t.p == NULL || check_cluster(&t);
}

void ptx_check_group_wait (ptx_xwarp *x, const ptx_uop *I) {
  if (I->id != PTX_ID_async_group || I->vector != PTX_GROUP_BULK || I->imm < PTX_GROUP_WAIT) return;
  uint32_t left = (uint32_t)(I->imm - PTX_GROUP_WAIT);
  x->cta->clock++;
  for (const ptx_flight *f = x->w.in_groups[PTX_GROUP_BULK].first; f != NULL; f = f->next) {
    uint32_t lanes = ptx_flight_due(&x->w, PTX_GROUP_BULK, f, x->w.mask, left);
    if (!I->negate) ptx_check_landing(x, f, lanes);
    if (f->source == NULL || f->copied != NULL) continue;
    for (; lanes != 0; lanes &= lanes - 1) ptx_check_source_read(x, f, ptx_first_lane(lanes));
  }
}
