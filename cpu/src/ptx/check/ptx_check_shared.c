/* ptx_check_shared.c: with all checks on, accesses to shared memory: reads of bytes that no thread
 * has written, and races: accesses to the same byte by two threads, at least one of them a write,
 * without a barrier in between. An access of what cp.async writes is one, too, as long as its
 * thread has not waited for it.
 *
 * Contract: only certain mistakes are reported, and an access is checked before it happens. Each
 * byte of shared memory has a shadow with its latest write, atomic and reads; an access is compared
 * with those that no barrier separates from it. Not reported are
 * - lanes of the same warp that an operation of the warp orders (ptx_check_lanes.c);
 * - a write of the value that is there, or that another lane of the instruction writes, after
 *   another write;
 * - uninitialized bytes beside others that were written: structures are copied with their padding;
 * - uninitialized bytes in CUB's merge sorts, which read one element past their data, unused;
 * - volatile accesses and barrier objects, and atomics among themselves: they are meant to meet;
 *   only the initialization of a barrier object must come before its use;
 * - a read of what atom.cas then compares, which notices an old value;
 * - an access after another whose warp has passed a fence since, if this warp may have read since
 *   that the other is done (ptx_check_order.c);
 * - an atomic and a plain access when either warp has passed a fence in between: the value of an
 *   atomic may show that the others are done. */
#include "ptx_check_byte.h"
#include "ptx_check_fast.h"

#include <stdio.h>
#include <string.h>

#include "ptx_fault.h"
#include "ptx_flight.h"
#include "ptx_grid.h"
#include "ptx_memory.h"
#include "ptx_module.h"

/* ---- rules */

/* Adds to x->w.fault, whose text says where the byte is, what the access is. */
static bool note_access (const ptx_byte_access *a) {
  ptx_warp_fault *f = &a->x->w.fault;
  f->told = true;
  f->address = PTX_SHARED_RESERVED + a->offset - a->k;
  f->bytes = a->of->bytes;
  f->space = PTX_SHARED;
  f->write = a->kind != PTX_ACCESS_LOAD;
  f->variable = ptx_variable_at(a->x, a->offset);
  return false;
}

bool ptx_byte_race (const ptx_byte_access *a, const ptx_touch *before, ptx_access kind) {
  char name[240];
  bool bulk = ptx_id_access[a->I->id] == PTX_ACCESS_SPANS && a->kind != PTX_ACCESS_LOAD;
  ptx_variable_name_offset(a->x, a->offset, name, sizeof name);
  ptx_fault_set(a->x, a->thread % PTX_LANES, PTX_FAULT_RACE,
                "%s of the shared byte at offset 0x%x%s",
                bulk ? "write by a bulk copy" : ptx_access_name(a->kind), a->offset, name);
  a->x->w.fault.other = (ptx_meeting){ .access = ptx_access_name(kind),
                                       .cta = a->x->cta->linear,
                                       .thread = before->thread,
                                       .loc = before->loc };
  return note_access(a);
}

/* What cp.async writes is accessed before its thread has waited for it. */
static bool report_copy (const ptx_byte_access *a) {
  ptx_byte_race(a, &a->s->write, PTX_ACCESS_STORE);
  a->x->w.fault.other.access = "copy";
  a->x->w.fault.other.between = "without a wait (cp.async.wait_group) for the copy";
  return false;
}

static bool report_early (const ptx_byte_access *a) {
  ptx_byte_race(a, &a->s->write, PTX_ACCESS_STORE);
  char name[240];
  ptx_variable_name_offset(a->x, a->offset, name, sizeof name);
  snprintf(a->x->w.fault.detail, sizeof a->x->w.fault.detail,
           "use of the barrier object at offset 0x%x of shared memory%s", a->offset, name);
  a->x->w.fault.other.access = "init";
  return false;
}

static bool access_in_same_warp (const ptx_byte_access *a, const ptx_touch *before) {
  return before->thread / PTX_LANES == a->thread / PTX_LANES;
}

/* Whether it was by another thread, and nothing orders it before this one. */
static bool meets (const ptx_byte_access *a, const ptx_touch *before) {
  return !ptx_order_knows(a->x, before->thread, before->time) &&
         (!access_in_same_warp(a, before) ||
          ptx_check_lanes_meet(a->x, before->thread % PTX_LANES, a->thread % PTX_LANES,
                               before->time));
}

bool ptx_byte_meets (const ptx_byte_access *a, const ptx_touch *before) { return meets(a, before); }

/* The same, and without a fence of this warp since. */
static bool meets_unfenced (const ptx_byte_access *a, const ptx_touch *before) {
  return meets(a, before) && a->x->fenced <= before->time;
}

/* Of two warps whenever there are two. */
static void note_read (const ptx_byte_access *a) {
  ptx_shadow *s = a->s;
  bool one_warp = s->read.thread / PTX_LANES == s->other_read.thread / PTX_LANES;
  if (s->read.time < a->x->cta->epoch) s->read = s->other_read = ptx_byte_touch(a);
  else if (s->read.thread == a->thread || (access_in_same_warp(a, &s->read) && !one_warp))
    s->read = ptx_byte_touch(a);
  else s->other_read = ptx_byte_touch(a);
}

bool ptx_byte_overwrites (const ptx_byte_access *a, const ptx_touch *before) {
  if (before != NULL && access_in_same_warp(a, before) && before->time == a->x->cta->clock)
    return ptx_check_stores_other(a->of, a->k, before->thread % PTX_LANES);
  const uint8_t *element = ptx_check_stored(a->of, a->of->lane, a->k / a->I->size);
  return element == NULL || a->memory == NULL || element[a->k % a->I->size] != *a->memory;
}

static bool report_uninitialized (const ptx_byte_access *a) {
  char name[240];
  ptx_variable_name_offset(a->x, a->offset, name, sizeof name);
  ptx_fault_set(a->x, a->thread % PTX_LANES, PTX_FAULT_UNINITIALIZED,
                "%s of the shared byte at offset 0x%x%s, which no thread of the block has written,",
                ptx_access_name(a->of->kind), a->offset, name);
  return note_access(a);
}

static bool in_cub_sort (const ptx_byte_access *a) {
  const char *file = ptx_loc_file(&a->x->cta->grid->function->module->ast, a->I->loc);
  return file != NULL && strstr(file, "/cub/") != NULL && strstr(file, "merge_sort") != NULL;
}

/* Whether the lane itself has stored the value that is there. */
static bool access_wrote (const ptx_byte_access *a) {
  return access_in_same_warp(a, &a->s->write) && (a->s->writers >> a->thread % PTX_LANES & 1) != 0;
}

static bool in_flight (const ptx_byte_access *a) {
  return a->s->copy && a->memory != NULL &&
         ptx_check_in_flight(a->cta, a->s->write.thread, a->memory);
}

static void note_write (const ptx_byte_access *a, bool overwritten) {
  ptx_shadow *s = a->s;
  s->bulk = false;
  s->layout = 0;
  if (overwritten || !access_in_same_warp(a, &s->write)) s->writers = 0;
  s->writers |= UINT32_C(1) << a->thread % PTX_LANES;
  s->write = ptx_byte_touch(a);
  s->initialized = true;
  s->copy = a->I->id == PTX_ID_cp_async;
}

/* Whether the access may find what is there. */
static bool may_read (const ptx_byte_access *a) {
  return a->s->initialized || !ptx_check_reads(a->of) || a->beside || in_cub_sort(a) ||
         report_uninitialized(a);
}

static bool check_load (const ptx_byte_access *a) {
  const ptx_shadow *s = a->s;
  if (!may_read(a)) return false;
  if (!s->initialized) return true;
  if (in_flight(a)) return report_copy(a);
  if ((a->I->flags & PTX_F_GUESS) != 0) return true;
  if (!ptx_bulk_known(a)) return false;
  if (!s->bulk && meets(a, &s->write) && !access_wrote(a))
    return ptx_byte_race(a, &s->write, PTX_ACCESS_STORE);
  if (meets_unfenced(a, &s->atomic)) return ptx_byte_race(a, &s->atomic, PTX_ACCESS_ATOMIC);
  if (!ptx_bulk_reads(a)) return false;
  if (!a->of->async) note_read(a);
  return true;
}

static bool check_store (const ptx_byte_access *a) {
  ptx_shadow *s = a->s;
  bool other = ptx_byte_overwrites(a, &s->write);
  if (!ptx_bulk_stores(a)) return false;
  if (a->I->id != PTX_ID_cp_async && in_flight(a)) return report_copy(a);
  if (!ptx_bulk_known(a)) return false;
  if (other && !s->bulk && meets(a, &s->write))
    return ptx_byte_race(a, &s->write, PTX_ACCESS_STORE);
  if (meets_unfenced(a, &s->atomic)) return ptx_byte_race(a, &s->atomic, PTX_ACCESS_ATOMIC);
  if (meets(a, &s->read)) return ptx_byte_race(a, &s->read, PTX_ACCESS_LOAD);
  if (meets(a, &s->other_read)) return ptx_byte_race(a, &s->other_read, PTX_ACCESS_LOAD);
  if (!ptx_product_done(a)) return false;
  note_write(a, other);
  return true;
}

static bool check_atomic (const ptx_byte_access *a) {
  ptx_shadow *s = a->s;
  if (!may_read(a)) return false;
  if (meets_unfenced(a, &s->write)) return ptx_byte_race(a, &s->write, PTX_ACCESS_STORE);
  if (meets_unfenced(a, &s->read)) return ptx_byte_race(a, &s->read, PTX_ACCESS_LOAD);
  if (meets_unfenced(a, &s->other_read)) return ptx_byte_race(a, &s->other_read, PTX_ACCESS_LOAD);
  s->atomic = ptx_byte_touch(a);
  s->initialized = true;
  return true;
}

/* By another block of the cluster. */
static bool check_remote (const ptx_byte_access *a) {
  if (!ptx_byte_visits(a)) return false;
  if (!may_read(a)) return false;
  if (a->of->kind != PTX_ACCESS_LOAD) a->s->initialized = true;
  return true;
}

/* Barrier objects are initialized once and then used, by whoever comes after that. */
static bool check_sync (const ptx_byte_access *a) {
  uint16_t id = a->I->id;
  bool uses = id >= PTX_ID_mbarrier_expect_tx && id <= PTX_ID_mbarrier_test_wait_parity;
  if (uses && meets(a, &a->s->write)) return report_early(a);
  if (a->of->async) return ptx_bulk_writes(a);
  if (id == PTX_ID_mbarrier_init) note_write(a, true);
  if (id == PTX_ID_mbarrier_init || id == PTX_ID_mbarrier_inval)
    a->s->guarded = id == PTX_ID_mbarrier_init;
  if (!may_read(a)) return false;
  if (a->of->kind != PTX_ACCESS_LOAD) a->s->initialized = true;
  return true;
}

static bool check_byte (const ptx_byte_access *a) {
  if (a->s->run != a->cta->run) *a->s = (ptx_shadow){ .run = a->cta->run };
  if (a->cta != a->x->cta) return check_remote(a);
  if (!ptx_byte_visited(a)) return false;
  switch (a->kind) {
    case PTX_ACCESS_LOAD: return check_load(a);
    case PTX_ACCESS_STORE: return check_store(a);
    case PTX_ACCESS_ATOMIC: return check_atomic(a);
    default: return check_sync(a);
  }
}

/* ---- one access */

ptx_cta *ptx_check_place (const ptx_lane_access *a, uint64_t address, uint32_t *offset) {
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

/* Whether a byte that the program needs has been written. */
static bool written_beside (const ptx_lane_access *a, const ptx_cta *c, uint32_t start) {
  for (uint32_t k = 0; k < a->bytes; k++) {
    const ptx_shadow *s = &c->shadow[start + k];
    if (s->run == c->run && s->initialized && ptx_check_uses(a->I, k)) return true;
  }
  return false;
}

bool ptx_check_shared (const ptx_lane_access *a, uint64_t address) {
  uint32_t start = 0;
  bool plain = a->kind == PTX_ACCESS_LOAD || a->kind == PTX_ACCESS_STORE;
  ptx_access kind = plain && (a->I->flags & PTX_F_VOLATILE) != 0 ? PTX_ACCESS_SYNC : a->kind;
  ptx_cta *c = ptx_check_place(a, address, &start);
  if (c == NULL || c->shadow == NULL) return true;
  const uint8_t *memory = ptx_shared_at(&a->x->w, address, a->bytes);
  ptx_fast_tell(c, start, a->bytes);
  bool beside = ptx_check_reads(a) && written_beside(a, c, start);
  for (uint32_t k = 0; k < a->bytes; k++) {
    ptx_byte_access b = { .x = a->x,
                          .cta = c,
                          .I = a->I,
                          .of = a,
                          .memory = memory == NULL ? NULL : memory + k,
                          .s = &c->shadow[start + k],
                          .offset = start + k,
                          .k = k,
                          .thread = ptx_check_thread(a),
                          .kind = kind,
                          .beside = beside };
    if (ptx_check_uses(a->I, k) && !check_byte(&b)) return false;
  }
  ptx_fast_retire(c, start, a->bytes);
  return true;
}

void ptx_check_source_read (ptx_xwarp *x, const ptx_flight *f, uint32_t lane) {
  ptx_cta *c = x->cta;
  const uint8_t *memory = c->shared + c->reserved_bytes;
  if (c->shadow == NULL || f->source < memory || f->source >= memory + c->shared_bytes) return;
  ptx_lane_access of = { .x = x, .I = f->I, .lane = lane };
  uint32_t start = (uint32_t)(f->source - memory);
  for (uint32_t k = 0; k < f->source_bytes; k++) {
    ptx_byte_access a = { .x = x,
                          .cta = c,
                          .I = f->I,
                          .of = &of,
                          .s = &c->shadow[start + k],
                          .thread = ptx_check_thread(&of) };
    if (a.s->run == c->run) note_read(&a);
  }
}
