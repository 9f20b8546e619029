/* ptx_check.c: with all checks on, accesses to shared memory are watched: reading what nobody wrote, and two warps
 * meeting at the same bytes, one of them writing, with no barrier in between.
 *
 * Reported is only what is wrong for certain. Lanes of one warp are left alone (how they are ordered the source does not tell);
 * volatile and atomic accesses are meant to meet; and a writer that has passed a fence since may have told the reader. */
#include <string.h>

#include "ptx_exec.h"
#include "ptx_ids.h"
#include "ptx_memory.h"

typedef enum access_kind { NO_ACCESS, LOAD, STORE, ATOMIC } access_kind;

/* One lane's access to one word. */
typedef struct touch { ptx_xwarp *x; ptx_shadow *s; uint32_t offset; uint16_t thread; uint8_t bytes; } touch;

/* ---- which instructions */

static uint8_t kinds[PTX_ID_COUNT];
static bool ordering[PTX_ID_COUNT];        /* arrivals at barrier objects */
static pthread_once_t kinds_once = PTHREAD_ONCE_INIT;

static void fill_kinds (void) {
  for (int id = 1; id < PTX_ID_COUNT; id++) {
    const char *name = ptx_id_names[id];
    if (strncmp(name, "ld_", 3) == 0) kinds[id] = LOAD;
    else if (strncmp(name, "st_", 3) == 0) kinds[id] = STORE;
    else if (strncmp(name, "mbarrier_", 9) == 0) kinds[id] = ATOMIC;
    ordering[id] = strncmp(name, "mbarrier_arrive", 15) == 0 || id == PTX_ID_mbarrier_complete_tx;
  }
  kinds[PTX_ID_atom] = ATOMIC;
  kinds[PTX_ID_cp_async] = STORE;
  kinds[PTX_ID_ld_area] = kinds[PTX_ID_st_area] = kinds[PTX_ID_ld_param_32] = kinds[PTX_ID_ld_param_64] = NO_ACCESS;
}

static access_kind kind_of (const ptx_insn *I) {
  if (I->size == 0 || (I->space != PTX_SHARED && I->space != PTX_GENERIC)) return NO_ACCESS;
  access_kind kind = kinds[I->id];
  return kind != NO_ACCESS && (I->flags & PTX_F_VOLATILE) != 0 ? ATOMIC : kind;
}

/* ---- rules */

static bool other_warp (uint32_t a, uint32_t b) { return a / PTX_LANES != b / PTX_LANES; }

static bool report_race (const touch *t, const char *now, const char *before, uint32_t other) {
  const ptx_warp *w = &t->x->cta->warps[other / PTX_LANES].w;
  uint32_t l = other % PTX_LANES;
  return ptx_trap_set(t->x, t->thread % PTX_LANES, "race",
    "%s of the shared byte at offset 0x%x and the %s of thread (%u,%u,%u) before it have no barrier between them",
    now, t->offset, before, w->tid[0][l], w->tid[1][l], w->tid[2][l]);
}

static bool written_by_other (const touch *t) {
  const ptx_shadow *s = t->s;
  if (s->write_epoch != t->x->cta->epoch || (s->written & t->bytes) == 0 || !other_warp(s->writer, t->thread)) return false;
  return t->x->cta->warps[s->writer / PTX_LANES].fences == s->write_fence;
}

static void note_write (const touch *t) {
  ptx_shadow *s = t->s;
  uint32_t epoch = t->x->cta->epoch;
  s->initialised |= t->bytes;
  s->written = s->write_epoch == epoch && s->writer == t->thread ? s->written | t->bytes : t->bytes;
  s->write_epoch = epoch;
  s->write_fence = t->x->fences;
  s->writer = t->thread;
}

static void note_read (const touch *t) {
  ptx_shadow *s = t->s;
  if (s->read_epoch != t->x->cta->epoch) {
    s->read_epoch = t->x->cta->epoch;
    s->reader = s->other_reader = t->thread;
    s->read = 0;
  } else if (other_warp(s->reader, t->thread)) {
    s->other_reader = t->thread;
  }
  s->read |= t->bytes;
}

static bool check_load (const touch *t) {
  if ((t->bytes & ~t->s->initialised) != 0)
    return ptx_trap_set(t->x, t->thread % PTX_LANES, "uninitialised",
                        "read of the shared byte at offset 0x%x, which no thread of the block has written", t->offset);
  if (written_by_other(t)) return report_race(t, "read", "write", t->s->writer);
  note_read(t);
  return true;
}

static bool check_store (const touch *t) {
  const ptx_shadow *s = t->s;
  if (written_by_other(t)) return report_race(t, "write", "write", s->writer);
  if (s->read_epoch == t->x->cta->epoch && (s->read & t->bytes) != 0) {
    if (other_warp(s->reader, t->thread)) return report_race(t, "write", "read", s->reader);
    if (other_warp(s->other_reader, t->thread)) return report_race(t, "write", "read", s->other_reader);
  }
  note_write(t);
  return true;
}

static bool check_word (touch *t, access_kind kind) {
  if (t->s->run != t->x->cta->run) *t->s = (ptx_shadow){ .run = t->x->cta->run };
  if (kind == LOAD) return check_load(t);
  if (kind == STORE) return check_store(t);
  t->s->initialised |= t->bytes;
  return true;
}

/* ---- one instruction */

/* Offset into the block's own shared memory; false when the lane goes elsewhere, or out of bounds, which the handler reports. */
static bool shared_offset (const ptx_insn *I, const uint8_t *rf, const ptx_warp *w, uint32_t lane, uint32_t bytes, uint32_t *offset) {
  uint64_t address = ptx_lane_address(I, rf, w, lane);
  if (I->space == PTX_GENERIC) {
    if (!ptx_in_window(address, ptx_window_shared)) return false;
    address -= ptx_window_shared;
  }
  *offset = (uint32_t)address - PTX_SHARED_RESERVED;
  return address >= PTX_SHARED_RESERVED && address <= UINT32_MAX && ptx_shared_at(w, address, bytes) != NULL;
}

static bool is_used (const ptx_insn *I, uint32_t byte) {
  return I->used_bytes == 0 || byte >= 32 || ((I->used_bytes >> byte) & 1) != 0;
}

static bool check_lane (ptx_xwarp *x, const ptx_insn *I, const uint8_t *rf, uint32_t lane, access_kind kind) {
  uint32_t bytes = (uint32_t)I->size * (I->vector == 0 ? 1u : I->vector), start;
  if (!shared_offset(I, rf, &x->w, lane, bytes, &start)) return true;
  for (uint32_t done = 0; done < bytes; ) {
    uint32_t at = start + done, n = 4 - at % 4;
    touch t = { x, &x->cta->shadow[at / 4], at, (uint16_t)(x->w.warpid * PTX_LANES + lane), 0 };
    for (uint32_t k = 0; k < n && done + k < bytes; k++)
      if (is_used(I, done + k)) t.bytes |= (uint8_t)(1u << (at % 4 + k));
    if (t.bytes != 0 && !check_word(&t, kind)) return false;
    done += n;
  }
  return true;
}

static bool check (ptx_xwarp *x, const ptx_insn *I, const uint8_t *rf) {
  access_kind kind = kind_of(I);
  if (kind == NO_ACCESS || x->cta->shadow == NULL) return true;
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1)
    if (!check_lane(x, I, rf, ptx_first_lane(m), kind)) return false;
  return true;
}

/* ---- the loop */

static const ptx_insn *step (ptx_xwarp *x, const ptx_insn *I, uint8_t *rf, int full) {
  ptx_warp *w = &x->w;
  w->instructions++;
  w->thread_instructions += ptx_popc(w->mask);
  if (I->id == PTX_ID_fence) x->fences++;
  /* Who waits at a barrier object comes after those that arrived: taken for a barrier of the whole block, since nothing
   * that is right may be reported. */
  if (ordering[I->id]) x->cta->epoch++;
  if (!check(x, I, rf)) return ptx_leave(w, PTX_EV_FAULT, I);
  return I->fn[full](I, rf, w);
}

static uint32_t guard_lanes (const ptx_insn *I, const uint8_t *rf, uint32_t mask) {
  const uint32_t *p = (const uint32_t *)(const void *)(rf + I->a);
  uint32_t on = 0;
  for (uint32_t l = 0; l < PTX_LANES; l++) on |= (uint32_t)((p[l] != 0) != (I->negate != 0)) << l;
  return on & mask;
}

/* As the handler of `guard` does, but step by step. */
static const ptx_insn *run_guarded (ptx_xwarp *x, const ptx_insn *I, uint8_t *rf) {
  ptx_warp *w = &x->w;
  const ptx_insn *at = I + 1, *end = at + I->imm;
  uint32_t mask = w->mask, on = guard_lanes(I, rf, mask);
  int32_t lanes[PTX_LANES];
  if (on == 0) return end;
  memcpy(lanes, w->lanes, sizeof lanes);
  w->mask = on;
  for (uint32_t l = 0; l < PTX_LANES; l++) w->lanes[l] = (on >> l) & 1 ? -1 : 0;
  while (at != NULL && at != end) at = step(x, at, rf, 0);
  w->mask = mask;
  memcpy(w->lanes, lanes, sizeof lanes);
  return at;
}

void ptx_check_run (ptx_xwarp *x, const ptx_insn *I, uint8_t *rf, int full) {
  pthread_once(&kinds_once, fill_kinds);
  while (I != NULL) I = I->id == PTX_ID_guard ? run_guarded(x, I, rf) : step(x, I, rf, full);
}
