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
 * - an access after another whose warp has passed a fence since: it may have been announced;
 * - an atomic and a plain access when either warp has passed a fence in between: the value of an
 *   atomic may show that the others are done. */
#include "ptx_check.h"

#include <stdio.h>
#include <string.h>

#include "ptx_fault.h"
#include "ptx_grid.h"
#include "ptx_memory.h"
#include "ptx_module.h"

/* One lane's access to one byte of shared memory. */
typedef struct access {
  ptx_xwarp *x;
  ptx_cta *cta; /* whose memory it is */
  const ptx_uop *I;
  const ptx_lane_access *of;
  const uint8_t *memory;
  ptx_shadow *s;
  uint32_t offset, k; /* in the memory and in the lane's access */
  uint16_t thread;
  ptx_access kind;
  bool beside; /* some byte of the lane's access has been written */
} access;

/* ---- rules */

/* Adds to x->w.fault, whose text says where the byte is, what the access is. */
static bool note_access (const access *a) {
  ptx_warp_fault *f = &a->x->w.fault;
  f->told = true;
  f->address = PTX_SHARED_RESERVED + a->offset - a->k;
  f->bytes = a->of->bytes;
  f->space = PTX_SHARED;
  f->write = a->kind != PTX_ACCESS_LOAD;
  f->variable = ptx_variable_at(a->x, a->offset);
  return false;
}

static bool report_race (const access *a, const ptx_touch *before, ptx_access kind) {
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

/* What a thread wrote is read by an asynchronous operation without a fence in between. */
static bool report_proxy (const access *a) {
  report_race(a, &a->s->write, PTX_ACCESS_STORE);
  a->x->w.fault.other.between =
    "through the async proxy, without a proxy fence (fence.proxy.async) "
    "after the write through the generic proxy";
  return false;
}

/* Whether the thread that wrote the byte, or the one that issues the operation, has passed a proxy
 * fence since. */
static bool is_proxied (const access *a) {
  const ptx_touch *w = &a->s->write;
  const ptx_xwarp *writer = &a->cta->warps[w->thread / PTX_LANES];
  return w->time == 0 || a->s->copy || a->s->bulk ||
         writer->proxied[w->thread % PTX_LANES] >= w->time ||
         a->x->proxied[a->thread % PTX_LANES] >= w->time;
}

/* What cp.async writes is accessed before its thread has waited for it. */
static bool report_copy (const access *a) {
  report_race(a, &a->s->write, PTX_ACCESS_STORE);
  a->x->w.fault.other.access = "copy";
  a->x->w.fault.other.between = "without a wait (cp.async.wait_group) for the copy";
  return false;
}

static bool report_early (const access *a) {
  report_race(a, &a->s->write, PTX_ACCESS_STORE);
  char name[240];
  ptx_variable_name_offset(a->x, a->offset, name, sizeof name);
  snprintf(a->x->w.fault.detail, sizeof a->x->w.fault.detail,
           "use of the barrier object at offset 0x%x of shared memory%s", a->offset, name);
  a->x->w.fault.other.access = "init";
  return false;
}

static bool access_in_same_warp (const access *a, const ptx_touch *before) {
  return before->thread / PTX_LANES == a->thread / PTX_LANES;
}

/* Whether it was by another thread, since the latest barrier, and without a fence of its warp
 * since. */
static bool meets (const access *a, const ptx_touch *before) {
  if (before->time < a->x->cta->epoch) return false;
  if (access_in_same_warp(a, before) &&
      !ptx_check_lanes_meet(a->x, before->thread % PTX_LANES, a->thread % PTX_LANES, before->time))
    return false;
  return a->x->cta->warps[before->thread / PTX_LANES].fenced <= before->time;
}

/* The same, and without a fence of this warp either. */
static bool meets_unfenced (const access *a, const ptx_touch *before) {
  return meets(a, before) && a->x->fenced <= before->time;
}

static ptx_touch touch_of (const access *a) {
  return (ptx_touch){ .time = a->x->cta->clock, .loc = a->I->loc, .thread = a->thread };
}

/* Of two warps whenever there are two. */
static void note_read (const access *a) {
  ptx_shadow *s = a->s;
  bool one_warp = s->read.thread / PTX_LANES == s->other_read.thread / PTX_LANES;
  if (s->read.time < a->x->cta->epoch) s->read = s->other_read = touch_of(a);
  else if (s->read.thread == a->thread || (access_in_same_warp(a, &s->read) && !one_warp))
    s->read = touch_of(a);
  else s->other_read = touch_of(a);
}

/* Whether the store leaves another value than the latest one. */
static bool access_overwrites (const access *a) {
  const ptx_touch *before = &a->s->write;
  if (access_in_same_warp(a, before) && before->time == a->x->cta->clock)
    return ptx_check_stores_other(a->of, a->k, before->thread % PTX_LANES);
  const uint8_t *element = ptx_check_stored(a->of, a->of->lane, a->k / a->I->size);
  return element == NULL || a->memory == NULL || element[a->k % a->I->size] != *a->memory;
}

static bool report_uninitialized (const access *a) {
  char name[240];
  ptx_variable_name_offset(a->x, a->offset, name, sizeof name);
  ptx_fault_set(
    a->x, a->thread % PTX_LANES, PTX_FAULT_UNINITIALIZED,
    "read of the shared byte at offset 0x%x%s, which no thread of the block has written,",
    a->offset, name);
  return note_access(a);
}

static bool in_cub_sort (const access *a) {
  const char *file = ptx_loc_file(&a->x->cta->grid->function->module->ast, a->I->loc);
  return file != NULL && strstr(file, "/cub/") != NULL && strstr(file, "merge_sort") != NULL;
}

/* Whether the lane itself has stored the value that is there. */
static bool access_wrote (const access *a) {
  return access_in_same_warp(a, &a->s->write) && (a->s->writers >> a->thread % PTX_LANES & 1) != 0;
}

static bool in_flight (const access *a) {
  return a->s->copy && a->memory != NULL &&
         ptx_check_in_flight(a->cta, a->s->write.thread, a->memory);
}

/* What a bulk copy wrote is used by a thread that does not know that it is there. */
static bool report_unknown (const access *a) {
  report_race(a, &a->s->write, PTX_ACCESS_STORE);
  a->x->w.fault.other.access = "copy";
  a->x->w.fault.other.between =
    "by a thread that has not waited (mbarrier.try_wait) for the bulk copy";
  return false;
}

static bool is_known (const access *a) {
  const ptx_shadow *s = a->s;
  return !s->bulk || s->object == 0 || ptx_object_known(a->cta, a->of, s->object, s->phase);
}

/* A bulk copy overwrites what a thread has read, and nothing says that it is done. */
static bool report_reader (const access *a, const ptx_touch *before) {
  report_race(a, before, PTX_ACCESS_LOAD);
  a->x->w.fault.other.between =
    "which no arrival (mbarrier.arrive) or barrier orders after the read";
  return false;
}

/* Whether the thread has told others since that it has read: it has arrived or passed a fence or a
 * barrier, or has met a thread of its warp that did. */
static bool is_released (const access *a, const ptx_touch *read) {
  const ptx_xwarp *x = &a->cta->warps[read->thread / PTX_LANES];
  uint32_t lane = read->thread % PTX_LANES;
  bool met = x->synced[lane] > read->time;
  if (read->time < a->cta->barrier || read->thread == a->thread || x->fenced > read->time)
    return true;
  if (x->released[lane] > read->time || (met && x == a->x)) return true;
  for (uint32_t l = 0; met && l < PTX_LANES; l++)
    if (x->released[l] > read->time) return true;
  return false;
}

/* A bulk copy is issued that will write the byte. */
static bool check_bulk_write (const access *a) {
  ptx_shadow *s = a->s;
  if (s->read.time != 0 && !is_released(a, &s->read)) return report_reader(a, &s->read);
  if (s->other_read.time != 0 && !is_released(a, &s->other_read))
    return report_reader(a, &s->other_read);
  if (!is_proxied(a)) return report_proxy(a);
  *s = (ptx_shadow){ .run = s->run,
                     .initialized = true,
                     .write = touch_of(a),
                     .bulk = true,
                     .guarded = s->guarded,
                     .layout = (uint8_t)a->of->layout,
                     .object = a->of->object,
                     .phase = a->of->phase };
  return true;
}

static bool report_layout (const access *a) {
  report_race(a, &a->s->write, PTX_ACCESS_STORE);
  a->x->w.fault.kind = PTX_FAULT_LAYOUT;
  a->x->w.fault.other.access = "copy";
  a->x->w.fault.other.between =
    "through a descriptor with another swizzle than the tensor map of the "
    "bulk copy";
  return false;
}

static bool layout_fits (const access *a) {
  return a->s->layout == 0 || a->of->layout == 0 || a->s->layout == a->of->layout;
}

static void note_write (const access *a, bool overwritten) {
  ptx_shadow *s = a->s;
  s->bulk = false;
  s->layout = 0;
  if (overwritten || !access_in_same_warp(a, &s->write)) s->writers = 0;
  s->writers |= UINT32_C(1) << a->thread % PTX_LANES;
  s->write = touch_of(a);
  s->initialized = true;
  s->copy = a->I->id == PTX_ID_cp_async;
}

/* A store into a barrier object. */
static bool report_guarded (const access *a) {
  report_race(a, &a->s->write, PTX_ACCESS_STORE);
  a->x->w.fault.kind = PTX_FAULT_BARRIER;
  a->x->w.fault.other = (ptx_meeting){ 0 };
  size_t used = strlen(a->x->w.fault.detail);
  snprintf(a->x->w.fault.detail + used, sizeof a->x->w.fault.detail - used,
           ", which is in a barrier object (mbarrier) that is in use,");
  return false;
}

static bool check_load (const access *a) {
  const ptx_shadow *s = a->s;
  if (!s->initialized) return a->beside || in_cub_sort(a) || report_uninitialized(a);
  if (in_flight(a)) return report_copy(a);
  if ((a->I->flags & PTX_F_GUESS) != 0) return true;
  if (!is_known(a)) return report_unknown(a);
  if (!s->bulk && meets(a, &s->write) && !access_wrote(a))
    return report_race(a, &s->write, PTX_ACCESS_STORE);
  if (meets_unfenced(a, &s->atomic)) return report_race(a, &s->atomic, PTX_ACCESS_ATOMIC);
  if (!layout_fits(a)) return report_layout(a);
  if (a->of->async) return is_proxied(a) || report_proxy(a);
  note_read(a);
  return true;
}

static bool check_store (const access *a) {
  ptx_shadow *s = a->s;
  bool other = access_overwrites(a);
  if (s->guarded) return report_guarded(a);
  if (a->I->id != PTX_ID_cp_async && in_flight(a)) return report_copy(a);
  if (!is_known(a)) return report_unknown(a);
  if (other && !s->bulk && meets(a, &s->write)) return report_race(a, &s->write, PTX_ACCESS_STORE);
  if (meets_unfenced(a, &s->atomic)) return report_race(a, &s->atomic, PTX_ACCESS_ATOMIC);
  if (meets(a, &s->read)) return report_race(a, &s->read, PTX_ACCESS_LOAD);
  if (meets(a, &s->other_read)) return report_race(a, &s->other_read, PTX_ACCESS_LOAD);
  note_write(a, other);
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
  if (a->kind == PTX_ACCESS_LOAD) return a->s->initialized || a->beside || report_uninitialized(a);
  a->s->initialized = true;
  return true;
}

/* Barrier objects are initialized once and then used, by whoever comes after that. */
static bool check_sync (const access *a) {
  uint16_t id = a->I->id;
  bool uses = id >= PTX_ID_mbarrier_expect_tx && id <= PTX_ID_mbarrier_test_wait_parity;
  if (uses && meets_unfenced(a, &a->s->write)) return report_early(a);
  if (ptx_id_access[id] == PTX_ACCESS_SPANS) return check_bulk_write(a);
  if (id == PTX_ID_mbarrier_init) note_write(a, true);
  if (id == PTX_ID_mbarrier_init || id == PTX_ID_mbarrier_inval)
    a->s->guarded = id == PTX_ID_mbarrier_init;
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
  bool beside = kind == PTX_ACCESS_LOAD && written_beside(a, c, start);
  for (uint32_t k = 0; k < a->bytes; k++) {
    access b = { .x = a->x,
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
  return true;
}
