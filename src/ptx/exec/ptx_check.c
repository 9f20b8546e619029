/* ptx_check.c: the inner loop with all checks on, and the checks of shared memory: reads of bytes
 * that no thread has written, and races: accesses to the same byte by two warps, at least one of
 * them a write, without a barrier in between.
 *
 * Contract: only certain mistakes are reported, and an access is checked before it happens. Each
 * byte of shared memory has a shadow with its latest write, atomic and reads; an access is compared
 * with those that no barrier separates from it. Not reported are
 * - lanes of the same warp, whose order the source does not show;
 * - uninitialized bytes in CUB's merge sorts, which read one element past their data, unused;
 * - volatile accesses and barrier objects, and atomics among themselves: they are meant to meet;
 * - an access after another whose warp has passed a fence since: it may have been announced;
 * - an atomic and a plain access when either warp has passed a fence in between: the value of an
 *   atomic may show that the others are done. */
#include <string.h>

#include "ptx_bulk.h"
#include "ptx_check.h"
#include "ptx_count.h"
#include "ptx_exchange.h"
#include "ptx_fault.h"
#include "ptx_fragment.h"
#include "ptx_grid.h"
#include "ptx_ids.h"
#include "ptx_memory.h"
#include "ptx_module.h"

const char *ptx_access_name (ptx_access kind) {
  return kind == PTX_ACCESS_LOAD ? "read" : kind == PTX_ACCESS_STORE ? "write" : "atomic";
}

/* One lane's access to one byte of shared memory. */
typedef struct access {
  ptx_xwarp *x;
  ptx_cta *cta; /* whose memory it is */
  const ptx_uop *I;
  ptx_shadow *s;
  uint32_t offset;
  uint16_t thread;
  ptx_access kind;
} access;

/* ---- rules */

static bool report_race (const access *a, const ptx_touch *before, ptx_access kind) {
  ptx_fault_set(a->x, a->thread % PTX_LANES, PTX_FAULT_RACE, "%s of the shared byte at offset 0x%x",
                ptx_access_name(a->kind), a->offset);
  a->x->w.fault.other = (ptx_meeting){ .access = ptx_access_name(kind),
                                       .cta = a->x->cta->linear,
                                       .thread = before->thread,
                                       .loc = before->loc };
  return false;
}

/* Whether it was by another warp, since the latest barrier, and without a fence of that warp
 * since. */
static bool meets (const access *a, const ptx_touch *before) {
  return before->time >= a->x->cta->epoch && before->thread / PTX_LANES != a->thread / PTX_LANES &&
         a->x->cta->warps[before->thread / PTX_LANES].fenced <= before->time;
}

/* The same, and without a fence of this warp either. */
static bool meets_unfenced (const access *a, const ptx_touch *before) {
  return meets(a, before) && a->x->fenced <= before->time;
}

static ptx_touch touch_of (const access *a) {
  return (ptx_touch){ .time = a->x->cta->clock, .loc = a->I->loc, .thread = a->thread };
}

static void note_read (const access *a) {
  ptx_shadow *s = a->s;
  if (s->read.time < a->x->cta->epoch) s->read = s->other_read = touch_of(a);
  else if (s->read.thread / PTX_LANES != a->thread / PTX_LANES) s->other_read = touch_of(a);
}

static bool report_uninitialized (const access *a) {
  return ptx_fault_set(
    a->x, a->thread % PTX_LANES, PTX_FAULT_UNINITIALIZED,
    "read of the shared byte at offset 0x%x, which no thread of the block has written", a->offset);
}

static bool in_cub_sort (const access *a) {
  const char *file = ptx_loc_file(&a->x->cta->grid->function->module->ast, a->I->loc);
  return file != NULL && strstr(file, "/cub/") != NULL && strstr(file, "merge_sort") != NULL;
}

static bool check_load (const access *a) {
  const ptx_shadow *s = a->s;
  if (!s->initialized) return in_cub_sort(a) || report_uninitialized(a);
  if (meets(a, &s->write)) return report_race(a, &s->write, PTX_ACCESS_STORE);
  if (meets_unfenced(a, &s->atomic)) return report_race(a, &s->atomic, PTX_ACCESS_ATOMIC);
  note_read(a);
  return true;
}

static bool check_store (const access *a) {
  ptx_shadow *s = a->s;
  if (meets(a, &s->write)) return report_race(a, &s->write, PTX_ACCESS_STORE);
  if (meets_unfenced(a, &s->atomic)) return report_race(a, &s->atomic, PTX_ACCESS_ATOMIC);
  if (meets(a, &s->read)) return report_race(a, &s->read, PTX_ACCESS_LOAD);
  if (meets(a, &s->other_read)) return report_race(a, &s->other_read, PTX_ACCESS_LOAD);
  s->write = touch_of(a);
  s->initialized = true;
  return true;
}

static bool check_atomic (const access *a) {
  ptx_shadow *s = a->s;
  if (meets_unfenced(a, &s->write)) return report_race(a, &s->write, PTX_ACCESS_STORE);
  if (meets_unfenced(a, &s->read)) return report_race(a, &s->read, PTX_ACCESS_LOAD);
  if (meets_unfenced(a, &s->other_read)) return report_race(a, &s->other_read, PTX_ACCESS_LOAD);
  s->atomic = touch_of(a);
  s->initialized = true;
  return true;
}

/* Accesses of other blocks of the cluster are not compared. */
static bool check_remote (const access *a) {
  if (a->kind == PTX_ACCESS_LOAD) return a->s->initialized || report_uninitialized(a);
  a->s->initialized = true;
  return true;
}

static bool check_byte (const access *a) {
  if (a->s->run != a->cta->run) *a->s = (ptx_shadow){ .run = a->cta->run };
  if (a->cta != a->x->cta) return check_remote(a);
  switch (a->kind) {
    case PTX_ACCESS_LOAD: return check_load(a);
    case PTX_ACCESS_STORE: return check_store(a);
    case PTX_ACCESS_ATOMIC: return check_atomic(a);
    default: a->s->initialized = true; return true;
  }
}

/* ---- one instruction */

bool ptx_check_uses (const ptx_uop *I, uint32_t byte) {
  return ptx_id_access[I->id] == PTX_ACCESS_ATOMIC || I->used_bytes == 0 || byte >= 32 ||
         ((I->used_bytes >> byte) & 1) != 0;
}

/* The CTA whose shared memory the lane accesses and the offset in it; NULL when it is out of
 * bounds, which the handler reports. */
static ptx_cta *shared_offset (const ptx_lane_access *a, uint64_t address, uint32_t *offset) {
  const ptx_cluster *cl = &a->x->cta->lead->cluster;
  ptx_cta *c = a->x->cta;
  if (address >= PTX_PEER_BYTES && a->I->space != PTX_SHARED) {
    uint64_t rank = address / PTX_PEER_BYTES - 1;
    if (rank >= cl->size) return NULL;
    c = cl->ctas[rank];
    address %= PTX_PEER_BYTES;
  }
  *offset = (uint32_t)address - PTX_SHARED_RESERVED;
  bool inside = address >= PTX_SHARED_RESERVED && address <= UINT32_MAX &&
                ptx_shared_at(&a->x->w, address, a->bytes) != NULL;
  return inside ? c : NULL;
}

static bool check_shared (const ptx_lane_access *a, uint64_t address) {
  uint32_t start;
  bool plain = a->kind == PTX_ACCESS_LOAD || a->kind == PTX_ACCESS_STORE;
  ptx_access kind = plain && (a->I->flags & PTX_F_VOLATILE) != 0 ? PTX_ACCESS_SYNC : a->kind;
  ptx_cta *c = shared_offset(a, address, &start);
  if (c == NULL || c->shadow == NULL) return true;
  for (uint32_t k = 0; k < a->bytes; k++) {
    access b = { a->x, c, a->I, &c->shadow[start + k], start + k, ptx_check_thread(a), kind };
    if (ptx_check_uses(a->I, k) && !check_byte(&b)) return false;
  }
  return true;
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
  if (space == PTX_SHARED || space == PTX_CLUSTER) return check_shared(a, a->address);
  if (space == PTX_GENERIC && ptx_in_window(a->address, ptx_window_shared))
    return check_shared(a, a->address - ptx_window_shared);
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

static bool check_lane (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf, uint32_t lane) {
  ptx_lane_access a = { .x = x, .I = I, .rf = rf, .lane = lane };
  a.address = ptx_lane_address(I, rf, &x->w, lane);
  a.bytes = (uint32_t)I->size * (I->vector == 0 ? 1u : I->vector);
  a.kind = (ptx_access)ptx_id_access[I->id];
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

static const ptx_uop *step (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f, int full) {
  ptx_warp *w = &x->w;
  w->instructions++;
  if (lcu_unlikely(ptx_check_watcher != NULL)) ptx_check_watcher(x, I, f->rf);
  w->thread_instructions += ptx_popc(w->mask);
  if (is_fence(I)) pass_fence(x);
  /* Threads that wait at a barrier object come after those that arrived. It counts as a barrier of
   * the whole CTA, since nothing that is right may be reported. */
  if (ptx_id_access[I->id] == PTX_ACCESS_ARRIVAL) x->cta->epoch = ++x->cta->clock;
  bool all = w->check == PTX_CHECK_ALL;
  if (all &&
      (!check(x, I, f->rf) || !ptx_check_shuffle(x, I, f->rf) || !ptx_check_passing(x, I, f->rf)))
    return ptx_leave(w, PTX_EV_FAULT, I);
  return carry_out(x, I, f, full);
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
