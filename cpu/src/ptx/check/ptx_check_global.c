/* ptx_check_global.c: with all checks on, accesses to global memory: races between threads of one
 * grid, and writes to memory that the kernel reads as constant.
 *
 * Contract: only certain mistakes are reported. A grid remembers for each word the latest change
 * and the latest reads, by thread and by the clock of the thread's CTA. Two plain accesses by
 * different threads, one of them a write, race unless
 * - a barrier of their CTA lies between them;
 * - both are lanes of one warp, and an operation of the warp orders them (ptx_check_lanes.c);
 * - the warp of the first has passed a fence since, or for threads of different CTAs, any warp of
 *   its CTA has, and the other one may have heard of it (ptx_check_order.c).
 * An atomic races with plain accesses in the same way; in one CTA the fence of either warp counts.
 * Volatile accesses are meant to meet others, and atom.cas notices that what it compares is old. A
 * write of the value that the write before it has left is no race with it. What a grid does to
 * memory of the grid before it is another matter (ptx_check_prior.c). */
#include "ptx_check_pages.h"

#include "ptx_exchange.h"
#include "ptx_grid.h"
#include "ptx_match.h"
#include "ptx_memory.h"

/* ---- fences */

void ptx_global_shadow_fence (const ptx_xwarp *x, ptx_global_shadow *s) {
  const ptx_cta *c = x->cta;
  if (c->linear >= s->num_ctas) return;
  atomic_store_explicit(&s->times[c->linear].fenced, c->clock, memory_order_relaxed);
  if (x->waited_run == c->run || c->waited != 0)
    atomic_store_explicit(&s->waited, true, memory_order_relaxed);
}

/* ---- rules for one word */

typedef struct visit {
  const ptx_lane_access *a;
  ptx_global_shadow *shadow;
  ptx_cell *c;
  uint64_t word;
  ptx_past t;
  bool known; /* a store: the value is */
  uint32_t value;
} visit;

static bool visit_in_same_warp (const visit *v, const ptx_past *before) {
  return before->cta == v->t.cta && before->thread / PTX_LANES == v->t.thread / PTX_LANES;
}

static bool same_thread (const visit *v, const ptx_past *before) {
  return before->cta == v->t.cta && before->thread == v->t.thread;
}

static bool overlaps (const visit *v, const ptx_past *before) {
  return before->time != 0 && (before->bytes & v->t.bytes) != 0;
}

static bool announced (const visit *v, const ptx_past *before, bool atomic) {
  const ptx_xwarp *x = v->a->x;
  if (before->cta != v->t.cta)
    return atomic_load_explicit(&v->shadow->times[before->cta].fenced, memory_order_relaxed) >
             before->time &&
           ptx_order_heard(x, v->a->lane);
  return ptx_order_knows(x, before->thread, before->time) || (atomic && x->fenced > before->time);
}

static bool same_instruction (const visit *v, const ptx_past *before) {
  return visit_in_same_warp(v, before) && before->time == v->t.time;
}

static bool lanes_meet (const visit *v, const ptx_past *before) {
  return (before->bytes & PTX_PAST_MIXED) == 0 &&
         ptx_check_lanes_meet(v->a->x, before->thread % PTX_LANES, v->a->lane, before->time);
}

static bool races (const visit *v, const ptx_past *before) {
  if (!overlaps(v, before)) return false;
  if ((before->bytes & PTX_PAST_ON_ITS_WAY) != 0 && before->cta != v->t.cta) return true;
  if (visit_in_same_warp(v, before) && !lanes_meet(v, before)) return false;
  bool atomic = before->kind == PTX_ACCESS_ATOMIC || v->t.kind == PTX_ACCESS_ATOMIC;
  return !announced(v, before, atomic);
}

static bool report_global (const visit *v, ptx_fault_kind kind, const ptx_past *before) {
  const ptx_lane_access *a = v->a;
  ptx_check_set(a, kind, "");
  a->x->w.fault.other = (ptx_meeting){ .access = ptx_access_name((ptx_access)before->kind),
                                       .cta = before->cta,
                                       .thread = before->thread,
                                       .loc = before->loc };
  if (kind == PTX_FAULT_RACE && (before->bytes & PTX_PAST_ON_ITS_WAY) != 0) {
    a->x->w.fault.other.access = "copy";
    a->x->w.fault.other.between = "without a wait (cp.async.bulk.wait_group) for the bulk copy";
  }
  return false;
}

static bool meet (const visit *v, const ptx_past *before) {
  return !races(v, before) || report_global(v, PTX_FAULT_RACE, before);
}

/* Lanes of one instruction share a touch. */
static void note (const visit *v, ptx_past *at) {
  ptx_past t = v->t;
  if (same_instruction(v, at) && at->bytes != t.bytes) t.bytes |= at->bytes | PTX_PAST_MIXED;
  if (v->a->async && v->t.kind != PTX_ACCESS_LOAD) t.bytes |= PTX_PAST_ASYNC | PTX_PAST_ON_ITS_WAY;
  *at = t;
}

/* Whether the lane itself has stored the value that is there. */
static bool visit_wrote (const visit *v) {
  return visit_in_same_warp(v, &v->c->change) && (v->c->writers >> v->a->lane & 1) != 0;
}

static bool visit_load (const visit *v) {
  ptx_cell *c = v->c;
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
  const ptx_past *before = &v->c->change;
  if (!overlaps(v, before) || before->cta != v->t.cta || (before->bytes & PTX_PAST_ASYNC) != 0)
    return true;
  if (ptx_check_proxied(v->a->x->cta, before->time)) return true;
  report_global(v, PTX_FAULT_RACE, before);
  v->a->x->w.fault.other.between = ptx_no_proxy_fence;
  return false;
}

/* Whether a store leaves another value than the store before it. Memory would not tell: another
 * thread may have been checked, but not have stored yet. */
static bool visit_overwrites (const visit *v, const ptx_past *before) {
  if (!v->known || v->c->writers == 0) return !same_instruction(v, before);
  return ((v->value ^ v->c->value) & ptx_word_bits(before->bytes & v->t.bytes)) != 0;
}

static void note_change (const visit *v, bool same_value) {
  ptx_cell *c = v->c;
  uint32_t bits = same_instruction(v, &c->change) ? ptx_word_bits(v->t.bytes) : UINT32_MAX;
  c->value = (c->value & ~bits) | (v->value & bits);
  if (!same_value || !visit_in_same_warp(v, &c->change)) c->writers = 0;
  if (v->known) c->writers |= UINT32_C(1) << v->a->lane;
  else c->writers = 0;
  note(v, &c->change);
}

/* A thread that has read constant memory may write it afterwards: it has the value. */
static bool visit_change (const visit *v) {
  ptx_cell *c = v->c;
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
  const ptx_past *constant = &v->c->constant;
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

static bool visit_page (visit *v, ptx_page *p, uint64_t from, uint64_t end) {
  bool ok = true;
  ptx_page_lock(p);
  for (uint64_t word = from; word < end && ok; word += 4) {
    v->word = word;
    v->c = ptx_page_cell(p, v->a->x->cta, word);
    if (v->c == NULL) break;
    v->t.bytes = ptx_word_bytes(v->a, word);
    v->known = ptx_word_value(v->a, word, &v->value);
    ok = visit_word(v);
  }
  ptx_page_unlock(p);
  return ok;
}

static bool visit_words (visit *v) {
  uint64_t word = v->a->address & ~UINT64_C(3), end = v->a->address + v->a->bytes;
  while (word < end) {
    uint64_t number = word / PTX_PAGE_BYTES, stop = (number + 1) * PTX_PAGE_BYTES;
    ptx_page *p =
      reads_async(v->a) ? ptx_page_made(v->shadow, number) : ptx_page_of(v->shadow, number);
    if (p != NULL && !visit_page(v, p, word, end < stop ? end : stop)) return false;
    word = stop;
  }
  return true;
}

static bool check_races (const ptx_lane_access *a, ptx_global_shadow *s) {
  const ptx_cta *c = a->x->cta;
  if (c->linear >= s->num_ctas) return true;
  if (!ptx_check_prior(a, s)) return false;
  visit v = { .a = a,
              .shadow = s,
              .t = { .cta = (uint32_t)c->linear,
                     .time = c->clock,
                     .loc = a->I->loc,
                     .thread = ptx_check_thread(a),
                     .kind = (uint8_t)a->kind } };
  return visit_words(&v);
}

static void land_word (const ptx_xwarp *x, uint32_t lane, ptx_page *p, uint64_t word) {
  ptx_page_lock(p);
  ptx_cell *c = ptx_page_cell_made(p, word);
  ptx_past *t = c == NULL ? NULL : &c->change;
  if (t != NULL && t->cta == x->cta->linear && t->thread == x->w.warpid * PTX_LANES + lane &&
      (t->bytes & PTX_PAST_ON_ITS_WAY) != 0) {
    t->bytes &= (uint8_t)~PTX_PAST_ON_ITS_WAY;
    t->time = x->cta->clock;
  }
  ptx_page_unlock(p);
}

void ptx_global_shadow_land (const ptx_xwarp *x, uint32_t lane, uint64_t address, uint32_t bytes) {
  const ptx_global_shadow *s = x->cta->grid->shadow;
  if (s == NULL || x->cta->linear >= s->num_ctas) return;
  for (uint64_t word = address & ~UINT64_C(3); word < address + bytes; word += 4) {
    ptx_page *p = ptx_page_made(s, word / PTX_PAGE_BYTES);
    if (p != NULL) land_word(x, lane, p, word);
  }
}

bool ptx_check_global_source (const ptx_lane_access *a, ptx_global_shadow *s) {
  return s == NULL || check_races(a, s);
}

/* Of compiled code, as its own checks have it: it notes nothing of memory that stays. */
static bool reads_what_stays (const ptx_lane_access *a, const ptx_range *r) {
  return a->kind == PTX_ACCESS_LOAD && a->x->cta->jit != NULL && !r->compared;
}

bool ptx_check_global (const ptx_lane_access *a, ptx_global_shadow *s) {
  ptx_warp *w = &a->x->w;
  /* the handler reports what is out of bounds */
  if (a->bytes == 0 || !ptx_memory_reachable(w, PTX_SHAPES - 1, a->address, a->bytes)) return true;
  const ptx_range *r = &w->last[PTX_SHAPES - 1];
  if (r->written != NULL && !ptx_check_written(a, r->written + (a->address - r->base)))
    return false;
  bool compared = s != NULL && a->kind != PTX_ACCESS_SYNC && a->kind != PTX_ACCESS_ARRIVAL &&
                  !reads_what_stays(a, r);
  return !compared || check_races(a, s);
}
