/* ptx_check_global.c: with all checks on, accesses to global memory: races between threads of one
 * grid, and writes to memory that the kernel reads as constant.
 *
 * Contract: only certain mistakes are reported. A grid remembers for each word the latest change
 * and the latest reads, by thread and by the clock of the thread's CTA. Two plain accesses by
 * different threads, one of them a write, race unless
 * - a barrier of their CTA lies between them;
 * - both are lanes of one warp, and an operation of the warp orders them (ptx_check_lanes.c);
 * - the warp of the first has passed a fence since, or for threads of different CTAs, any warp of
 *   its CTA has: the access may have been announced.
 * An atomic races with plain accesses in the same way; in one CTA the fence of either warp counts.
 * Volatile accesses are meant to meet others, and atom.cas notices that what it compares is old. A
 * write of the value that the write before it has left is no race with it. Grids do not race with
 * each other. */
#include "ptx_check_pages.h"

#include "ptx_exchange.h"
#include "ptx_match.h"
#include "ptx_memory.h"

typedef ptx_global_touch touch;
typedef ptx_cell cell;
typedef ptx_page page;
enum { PAGE_BYTES = PTX_PAGE_BYTES, MIXED = PTX_MIXED };

/* ---- rules for one word */

typedef struct visit {
  const ptx_lane_access *a;
  ptx_global_shadow *shadow;
  cell *c;
  uint64_t word;
  touch t;
  bool known; /* a store: the value is */
  uint32_t value;
} visit;

static bool visit_in_same_warp (const visit *v, const touch *before) {
  return before->cta == v->t.cta && before->thread / PTX_LANES == v->t.thread / PTX_LANES;
}

static bool same_thread (const visit *v, const touch *before) {
  return before->cta == v->t.cta && before->thread == v->t.thread;
}

static bool overlaps (const visit *v, const touch *before) {
  return before->time != 0 && (before->bytes & v->t.bytes) != 0;
}

static bool announced (const visit *v, const touch *before, bool atomic) {
  const ptx_xwarp *x = v->a->x;
  if (before->cta != v->t.cta)
    return atomic_load_explicit(&v->shadow->fenced[before->cta], memory_order_relaxed) >
           before->time;
  return x->cta->warps[before->thread / PTX_LANES].fenced > before->time ||
         (atomic && x->fenced > before->time);
}

static bool same_instruction (const visit *v, const touch *before) {
  return visit_in_same_warp(v, before) && before->time == v->t.time;
}

static bool lanes_meet (const visit *v, const touch *before) {
  return (before->bytes & MIXED) == 0 &&
         ptx_check_lanes_meet(v->a->x, before->thread % PTX_LANES, v->a->lane, before->time);
}

static bool races (const visit *v, const touch *before) {
  if (!overlaps(v, before)) return false;
  if (before->cta == v->t.cta && before->time < v->a->x->cta->epoch) return false;
  if (visit_in_same_warp(v, before) && !lanes_meet(v, before)) return false;
  bool atomic = before->kind == PTX_ACCESS_ATOMIC || v->t.kind == PTX_ACCESS_ATOMIC;
  return !announced(v, before, atomic);
}

static bool report_global (const visit *v, ptx_fault_kind kind, const touch *before) {
  const ptx_lane_access *a = v->a;
  ptx_check_set(a, kind, "");
  a->x->w.fault.other = (ptx_meeting){ .access = ptx_access_name((ptx_access)before->kind),
                                       .cta = before->cta,
                                       .thread = before->thread,
                                       .loc = before->loc };
  return false;
}

static bool meet (const visit *v, const touch *before) {
  return !races(v, before) || report_global(v, PTX_FAULT_RACE, before);
}

/* Lanes of one instruction share a touch. */
static void note (const visit *v, touch *at) {
  touch t = v->t;
  if (same_instruction(v, at) && at->bytes != t.bytes) t.bytes |= at->bytes | MIXED;
  *at = t;
}

/* Whether the lane itself has stored the value that is there. */
static bool visit_wrote (const visit *v) {
  return visit_in_same_warp(v, &v->c->change) && (v->c->writers >> v->a->lane & 1) != 0;
}

static bool visit_load (const visit *v) {
  cell *c = v->c;
  if (!visit_wrote(v) && !meet(v, &c->change)) return false;
  if (c->read.time != 0 && !visit_in_same_warp(v, &c->read)) note(v, &c->other_read);
  else {
    if (!same_thread(v, &c->read) && visit_in_same_warp(v, &c->other_read)) c->other_read = c->read;
    note(v, &c->read);
  }
  return true;
}

static bool visit_constant (const visit *v) {
  if (overlaps(v, &v->c->change)) return report_global(v, PTX_FAULT_RESTRICT, &v->c->change);
  if (v->c->constant.time == 0 || same_thread(v, &v->c->constant)) note(v, &v->c->constant);
  else note(v, &v->c->other_read);
  return true;
}

static bool reads_async (const ptx_lane_access *a) {
  return a->async && a->kind == PTX_ACCESS_LOAD;
}

/* A bulk copy reads what a thread of the block has written. Others of the block may have passed the
 * proxy fence for it. */
static bool visit_async (const visit *v) {
  const touch *before = &v->c->change;
  if (!overlaps(v, before) || before->cta != v->t.cta) return true;
  if (ptx_check_proxied(v->a->x->cta, before->time)) return true;
  report_global(v, PTX_FAULT_RACE, before);
  v->a->x->w.fault.other.between = ptx_no_proxy_fence;
  return false;
}

/* All bits of the bytes. */
static uint32_t bits_of (uint8_t bytes) {
  uint32_t bits = 0;
  for (uint32_t b = 0; b < 4; b++)
    if ((bytes >> b & 1) != 0) bits |= UINT32_C(0xff) << 8 * b;
  return bits;
}

/* Whether a store leaves another value than the store before it. Memory would not tell: another
 * thread may have been checked, but not have stored yet. */
static bool visit_overwrites (const visit *v, const touch *before) {
  if (!v->known || v->c->writers == 0) return !same_instruction(v, before);
  return ((v->value ^ v->c->value) & bits_of(before->bytes & v->t.bytes)) != 0;
}

static void note_change (const visit *v, bool same_value) {
  cell *c = v->c;
  uint32_t bits = same_instruction(v, &c->change) ? bits_of(v->t.bytes) : UINT32_MAX;
  c->value = (c->value & ~bits) | (v->value & bits);
  if (!same_value || !visit_in_same_warp(v, &c->change)) c->writers = 0;
  if (v->known) c->writers |= UINT32_C(1) << v->a->lane;
  else c->writers = 0;
  note(v, &c->change);
}

/* A thread that has read constant memory may write it afterwards: it has the value. */
static bool visit_change (const visit *v) {
  cell *c = v->c;
  bool both_atomic = v->t.kind == PTX_ACCESS_ATOMIC && c->change.kind == PTX_ACCESS_ATOMIC;
  bool both_stores = v->t.kind == PTX_ACCESS_STORE && c->change.kind == PTX_ACCESS_STORE;
  bool same_value = both_stores && !visit_overwrites(v, &c->change);
  if (overlaps(v, &c->constant) && !same_thread(v, &c->constant))
    return report_global(v, PTX_FAULT_RESTRICT, &c->constant);
  if (!both_atomic && !same_value && !meet(v, &c->change)) return false;
  if (!meet(v, &c->read) || !meet(v, &c->other_read)) return false;
  note_change(v, same_value);
  return true;
}

/* Volatile accesses meet others, but may not write constant memory. */
static bool visit_volatile (const visit *v) {
  const touch *constant = &v->c->constant;
  return v->t.kind == PTX_ACCESS_LOAD || !overlaps(v, constant) || same_thread(v, constant) ||
         report_global(v, PTX_FAULT_RESTRICT, constant);
}

static bool visit_word (const visit *v) {
  uint16_t flags = v->a->I->flags;
  if (v->t.bytes == 0) return true;
  if (reads_async(v->a)) return visit_async(v);
  if ((flags & (PTX_F_VOLATILE | PTX_F_GUESS)) != 0) return visit_volatile(v);
  if (v->t.kind != PTX_ACCESS_LOAD) return visit_change(v);
  return (flags & PTX_F_CONSTANT) != 0 ? visit_constant(v) : visit_load(v);
}

/* ---- one access */

/* Sets v->value to what the lane stores to v->word. */
static void take_value (visit *v) {
  const ptx_lane_access *a = v->a;
  v->value = 0;
  v->known = a->kind == PTX_ACCESS_STORE && !a->async;
  for (uint32_t b = 0; b < 4 && v->known; b++) {
    uint64_t k = v->word + b - a->address;
    if (k >= a->bytes) continue;
    const uint8_t *element = ptx_check_stored(a, a->lane, (uint32_t)k / a->I->size);
    v->known = element != NULL;
    if (v->known) v->value |= (uint32_t)element[k % a->I->size] << 8 * b;
  }
}

/* The bytes of the word at `word` that the access uses. */
static uint8_t bytes_in (const ptx_lane_access *a, uint64_t word) {
  uint8_t bytes = 0;
  for (uint32_t b = 0; b < 4; b++) {
    uint64_t k = word + b - a->address;
    if (k < a->bytes && ptx_check_uses(a->I, (uint32_t)k)) bytes |= (uint8_t)(1u << b);
  }
  return bytes;
}

static bool visit_page (visit *v, page *p, uint64_t from, uint64_t end) {
  bool ok = true;
  while (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {}
  for (uint64_t word = from; word < end && ok; word += 4) {
    v->word = word;
    v->c = ptx_page_cell(p, v->a->x->cta, word);
    if (v->c == NULL) break;
    v->t.bytes = bytes_in(v->a, word);
    take_value(v);
    ok = visit_word(v);
  }
  atomic_flag_clear_explicit(&p->busy, memory_order_release);
  return ok;
}

static bool visit_words (visit *v) {
  uint64_t word = v->a->address & ~UINT64_C(3), end = v->a->address + v->a->bytes;
  while (word < end) {
    uint64_t number = word / PAGE_BYTES, stop = (number + 1) * PAGE_BYTES;
    page *p = reads_async(v->a) ? ptx_page_made(v->shadow, number) : ptx_page_of(v->shadow, number);
    if (p != NULL && !visit_page(v, p, word, end < stop ? end : stop)) return false;
    word = stop;
  }
  return true;
}

static bool check_races (const ptx_lane_access *a, ptx_global_shadow *s) {
  const ptx_cta *c = a->x->cta;
  if (c->linear >= s->num_ctas) return true;
  visit v = { .a = a,
              .shadow = s,
              .t = { .cta = (uint32_t)c->linear,
                     .time = c->clock,
                     .loc = a->I->loc,
                     .thread = ptx_check_thread(a),
                     .kind = (uint8_t)a->kind } };
  return visit_words(&v);
}

bool ptx_check_global_source (const ptx_lane_access *a, ptx_global_shadow *s) {
  return s == NULL || check_races(a, s);
}

bool ptx_check_global (const ptx_lane_access *a, ptx_global_shadow *s) {
  ptx_warp *w = &a->x->w;
  /* the handler reports what is out of bounds */
  if (a->bytes == 0 || !ptx_memory_reachable(w, PTX_SHAPES - 1, a->address, a->bytes)) return true;
  const ptx_range *r = &w->last[PTX_SHAPES - 1];
  if (r->written != NULL && !ptx_check_written(a, r->written + (a->address - r->base)))
    return false;
  bool compared = s != NULL && a->kind != PTX_ACCESS_SYNC && a->kind != PTX_ACCESS_ARRIVAL;
  return !compared || check_races(a, s);
}
