/* ptx_check_object.c: with all checks on, barrier objects: which are in use, and which phases each
 * thread has waited for. */
#include <string.h>

#include "ptx_check.h"
#include "ptx_fault.h"
#include "ptx_flight.h"
#include "ptx_mbarrier.h"
#include "ptx_memory.h"

enum { MOST_OBJECTS = 48, KEPT_PHASES = 8 };

/* When a warp first waited for the latest phases, and how many it knows to be complete. */
typedef struct learning {
  uint32_t phase, at[KEPT_PHASES];
} learning;

typedef struct object {
  uint32_t offset; /* in shared memory */
  bool live, parity;
  uint32_t phase;             /* how many are complete */
  uint32_t done[KEPT_PHASES]; /* the CTA's clock when the latest ones were complete */
  bool counting;              /* some lanes of an instruction have been counted: */
  uint32_t pending, closings; /* arrivals that the phase lacks, and phases that lack none */
  ptx_touch init;
  uint32_t known[PTX_MAX_THREADS]; /* per thread: how many phases it knows to be complete */
  learning learned[PTX_MAX_WARPS];
  /* What those who arrived left: up to now, before the phase had all its arrivals, and for the
   * phases that are complete. */
  ptx_times arrived, closed, complete;
} object;

/* Those of a CTA, as far as there is room. */
struct ptx_objects {
  uint32_t run, num;
  object of[MOST_OBJECTS];
};

/* ---- finding */

static struct ptx_objects *objects_of (ptx_cta *c) {
  if (c->objects == NULL) c->objects = lcu_calloc(1, sizeof *c->objects);
  if (c->objects == NULL) return NULL;
  if (c->objects->run != c->run) {
    c->objects->run = c->run;
    c->objects->num = 0;
  }
  return c->objects;
}

static object *object_at (ptx_cta *c, uint32_t offset) {
  struct ptx_objects *t = objects_of(c);
  for (uint32_t k = 0; t != NULL && k < t->num; k++)
    if (t->of[k].offset == offset) return &t->of[k];
  if (t == NULL || t->num == MOST_OBJECTS) return NULL;
  object *o = &t->of[t->num++];
  memset(o, 0, sizeof *o);
  o->offset = offset;
  return o;
}

static bool is_object_op (const ptx_uop *I) {
  return I->id >= PTX_ID_mbarrier_init && I->id <= PTX_ID_mbarrier_test_wait_parity;
}

static ptx_lane_access access_of (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf,
                                  uint32_t lane) {
  return (ptx_lane_access){ .x = x,
                            .I = I,
                            .rf = rf,
                            .address = ptx_lane_address(I, rf, &x->w, lane),
                            .bytes = 8,
                            .lane = lane,
                            .kind = PTX_ACCESS_SYNC };
}

/* NULL: it is nowhere, or not followed. */
static object *find_object (const ptx_lane_access *a, ptx_cta **c) {
  uint32_t offset;
  uint64_t at = a->address;
  if (a->I->space == PTX_GENERIC) at -= ptx_window_shared;
  *c = ptx_check_place(a, at, &offset);
  return *c == NULL ? NULL : object_at(*c, offset);
}

/* ---- before */

static bool fail_object (const ptx_lane_access *a, const object *o, const char *what) {
  char name[240];
  ptx_variable_name_offset(a->x, o->offset, name, sizeof name);
  ptx_fault_set(a->x, a->lane, PTX_FAULT_BARRIER,
                "%s the barrier object (mbarrier) at offset 0x%x of shared memory%s", what,
                o->offset, name);
  a->x->w.fault.space = PTX_SHARED;
  return false;
}

static bool fail_after_init (const ptx_lane_access *a, const ptx_cta *c, const object *o,
                             const char *what, const char *between) {
  fail_object(a, o, what);
  a->x->w.fault.other = (ptx_meeting){ .access = "init",
                                       .between = between,
                                       .cta = c->linear,
                                       .thread = o->init.thread,
                                       .loc = o->init.loc };
  return false;
}

static bool check_init (const ptx_lane_access *a, object *o) {
  if (o->live)
    return fail_after_init(a, a->x->cta, o, "initialization of",
                           "without mbarrier.inval since the init");
  *o = (object){ .offset = o->offset, .live = true };
  o->init =
    (ptx_touch){ .time = a->x->cta->clock, .loc = a->I->loc, .thread = ptx_check_thread(a) };
  return true;
}

static const ptx_flight *flight_at (const ptx_cta *c, uint32_t offset) {
  const uint8_t *word = c->shared + c->reserved_bytes + offset;
  const ptx_flight *f = c->lead->cluster.flying.at_barriers.first;
  while (f != NULL && f->bar != word) f = f->next;
  return f;
}

static bool check_inval (const ptx_lane_access *a, const ptx_cta *c, object *o) {
  const ptx_flight *f = flight_at(c, o->offset);
  o->live = false;
  if (f == NULL) return true;
  const ptx_xwarp *x = (const ptx_xwarp *)f->w;
  fail_object(a, o, "mbarrier.inval of");
  a->x->w.fault.other =
    (ptx_meeting){ .access = "copy",
                   .between = "at which a copy in flight is to complete: the bulk copy",
                   .cta = x->cta->linear,
                   .thread = x->w.warpid * PTX_LANES + ptx_first_lane(f->mask),
                   .loc = f->I->loc };
  return false;
}

static bool check_parity (const ptx_lane_access *a, const object *o) {
  uint32_t parity = ((const uint32_t *)(const void *)(a->rf + a->I->b))[a->lane];
  return parity <= 1 || fail_object(a, o, "wait with a parity that is neither 0 nor 1 for");
}

static uint64_t word_of (const ptx_cta *c, const object *o) {
  uint64_t word;
  memcpy(&word, c->shared + c->reserved_bytes + o->offset, sizeof word);
  return word;
}

/* Of a block of the cluster, another one learns what the block has told others by then. */
static void release_told (const ptx_cta *c, object *o) {
  for (uint32_t t = 0; t < c->num_threads; t++)
    if (o->arrived.of[t] < c->told) o->arrived.of[t] = c->told;
}

static bool counts_arrivals (const ptx_uop *I) {
  return I->id >= PTX_ID_mbarrier_arrive && I->id <= PTX_ID_mbarrier_arrive_drop_expect_tx;
}

static uint32_t arrivals_of (const ptx_lane_access *a) {
  bool expects = a->I->id == PTX_ID_mbarrier_arrive_expect_tx ||
                 a->I->id == PTX_ID_mbarrier_arrive_drop_expect_tx;
  return expects ? 1 : ((const uint32_t *)(const void *)(a->rf + a->I->b))[a->lane];
}

/* Later arrivals are of the next phase. */
static void count_arrivals (const ptx_lane_access *a, const ptx_cta *c, object *o) {
  uint32_t pending, expected, count = arrivals_of(a);
  ptx_mbarrier_counts(word_of(c, o), &pending, &expected);
  if (!o->counting) o->pending = pending;
  o->counting = true;
  if (count > o->pending) return; /* which the handler reports */
  o->pending -= count;
  if (o->pending != 0) return;
  o->pending = expected;
  o->closed = o->arrived;
  o->closings++;
}

static void note_arrival (const ptx_lane_access *a, const ptx_cta *c, object *o) {
  if (c == a->x->cta) ptx_order_release(a->x, UINT32_C(1) << a->lane, &o->arrived);
  else release_told(c, o);
  if (counts_arrivals(a->I)) count_arrivals(a, c, o);
}

static bool fail_early (const ptx_lane_access *a, const ptx_cta *c, const object *o,
                        const char *what, const char *between) {
  fail_after_init(a, c, o, what, between);
  a->x->w.fault.kind = PTX_FAULT_RACE;
  return false;
}

/* Another block must know that the object is initialized: see ptx_check_peer.c. */
static bool check_told (const ptx_lane_access *a, const ptx_cta *c, const object *o,
                        const char *what) {
  return !o->live || c == a->x->cta || c->told > o->init.time ||
         fail_early(a, c, o, what,
                    "in another block of the cluster, without a barrier (barrier.cluster) after "
                    "its init");
}

static bool check_object (const ptx_lane_access *a, const ptx_cta *c, object *o) {
  if (!check_told(a, c, o, "use of")) return false;
  if (ptx_id_access[a->I->id] == PTX_ACCESS_ARRIVAL) note_arrival(a, c, o);
  switch (a->I->id) {
    case PTX_ID_mbarrier_init: return check_init(a, o);
    case PTX_ID_mbarrier_inval: return check_inval(a, c, o);
    case PTX_ID_mbarrier_test_wait_parity: return check_parity(a, o);
    default: return true;
  }
}

/* An object that is not followed orders everything: nothing that is right may be reported. */
static void pass_unknown (const ptx_uop *I, ptx_cta *c) {
  if (c != NULL && ptx_id_access[I->id] == PTX_ACCESS_ARRIVAL) ptx_cta_pass(c);
}

bool ptx_check_objects (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  if (!is_object_op(I)) return true;
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1) {
    ptx_cta *c;
    ptx_lane_access a = access_of(x, I, rf, ptx_first_lane(m));
    object *o = find_object(&a, &c);
    if (o == NULL) pass_unknown(I, c);
    else if (!check_object(&a, c, o)) return false;
  }
  return true;
}

/* ---- after */

/* Arrivals of several lanes may complete several phases. */
static void note_phase (const ptx_cta *c, object *o) {
  bool parity = word_of(c, o) >> 63, odd = parity != o->parity;
  uint32_t phases = odd ? o->closings | 1 : o->closings & ~1u;
  o->counting = false;
  o->parity = parity;
  if (phases == 0) return;
  o->complete = o->closings != 0 ? o->closed : o->arrived;
  o->closings = 0;
  for (; phases != 0; phases--) o->done[++o->phase % KEPT_PHASES] = c->clock;
}

static void learn_phases (const ptx_lane_access *a, object *o) {
  learning *l = &o->learned[a->x->w.warpid];
  if (l->phase + KEPT_PHASES < o->phase) l->phase = o->phase - KEPT_PHASES;
  while (l->phase < o->phase) l->at[++l->phase % KEPT_PHASES] = a->x->cta->clock;
}

/* A wait that has returned knows of all phases up to the latest. */
static void note_wait (const ptx_lane_access *a, const ptx_cta *c, object *o) {
  const ptx_uop *I = a->I;
  bool waits = I->id == PTX_ID_mbarrier_test_wait || I->id == PTX_ID_mbarrier_test_wait_parity;
  if (!waits || I->d < 0 || c != a->x->cta) return;
  if (((const uint32_t *)(const void *)(a->rf + I->d))[a->lane] == 0) return;
  o->known[ptx_check_thread(a)] = o->phase;
  learn_phases(a, o);
  ptx_order_acquire(a->x, &o->complete);
  a->x->waited[a->lane] = a->x->cta->clock;
}

void ptx_note_objects (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  if (!is_object_op(I)) return;
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1) {
    ptx_cta *c;
    ptx_lane_access a = access_of(x, I, rf, ptx_first_lane(m));
    object *o = find_object(&a, &c);
    if (o == NULL) continue;
    note_phase(c, o);
    note_wait(&a, c, o);
  }
}

/* ---- copies */

/* The async proxy sees an object once the warp that initialized it, or the one that names it, has
 * passed a fence. */
static bool check_ready (const ptx_lane_access *a, const ptx_cta *c, const object *o) {
  uint32_t since = o->init.time;
  if (c != a->x->cta) return check_told(a, c, o, "bulk copy with");
  if (!o->live || c->warps[o->init.thread / PTX_LANES].fenced > since || a->x->fenced > since ||
      ptx_check_proxied(c, since))
    return true;
  return fail_early(a, c, o, "bulk copy with",
                    "through the async proxy, without a fence (fence.mbarrier_init) after its init "
                    "through the generic proxy");
}

bool ptx_object_find (ptx_lane_access *a, uint64_t address) {
  ptx_lane_access at = *a;
  ptx_cta *c;
  if (address == UINT64_MAX) return true;
  at.address = address;
  at.bytes = 8;
  object *o = find_object(&at, &c);
  if (o == NULL) return true;
  a->object = (uint32_t)(o - c->objects->of) + 1;
  a->phase = o->phase + 1;
  return check_ready(a, c, o);
}

/* Whether a warp knows of the phase, and the thread of it: in its own warp, it has met others or
 * waited since. */
static bool learned_from (const object *o, const ptx_lane_access *a, uint32_t warp,
                          uint32_t phase) {
  const learning *l = &o->learned[warp];
  const ptx_xwarp *x = a->x;
  if (l->phase < phase) return false;
  uint32_t at = l->at[phase % KEPT_PHASES];
  if (warp != x->w.warpid) return ptx_order_knows_warp(x, warp, at);
  return a->async || x->synced[a->lane] > at || x->waited[a->lane] > at;
}

bool ptx_object_known (const ptx_cta *c, const ptx_lane_access *a, uint32_t number,
                       uint32_t phase) {
  if (c->objects == NULL || c->objects->run != c->run || c != a->x->cta) return true;
  const object *o = &c->objects->of[number - 1];
  if (!o->live || o->phase < phase || o->phase >= phase + KEPT_PHASES) return true;
  uint32_t since = o->done[phase % KEPT_PHASES];
  if (o->known[ptx_check_thread(a)] >= phase || since < c->epoch) return true;
  for (uint32_t k = 0; k < c->num_warps; k++)
    if (learned_from(o, a, k, phase)) return true;
  return false;
}
