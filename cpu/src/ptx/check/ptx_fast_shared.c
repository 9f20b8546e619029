/* ptx_fast_shared.c: with all checks on, accesses of compiled code to shared memory, by words.
 *
 * Contract: an access that is certainly right is noted in the words that it uses, as
 * ptx_check_shared.c would note it for each of their bytes. Certainly right means that the latest
 * accesses that could conflict with it came before the block's latest barrier, or were this
 * thread's own. All else is left to ptx_check_shared.c: the words become records of bytes before
 * it looks at them, and are out of use here until the next barrier. */
#include <string.h>

#include "ptx_check_fast.h"
#include "ptx_grid.h"

/* A touch is one number: its time, the thread, and the micro-operation. So what is before a time
 * is less than a number. */
typedef uint64_t touch_number;
enum { TIME_SHIFT = 32, THREAD_SHIFT = 16, WARP_SHIFT = THREAD_SHIFT + 5, NO_THREAD = 0xffff };

/* The latest touches of a word. NO_THREAD: what the bytes' records say. */
struct ptx_word {
  touch_number write, atomic, read, other;
};
typedef struct ptx_word word;

ptx_word *ptx_fast_words_new (uint32_t bytes) {
  return lcu_calloc(bytes / 4 + 1, sizeof(ptx_word));
}

/* ---- one access of a warp */

typedef struct word_visit {
  const ptx_uop *I;
  ptx_cta *c;
  touch_number epoch, began, first; /* first: the touch by lane 0 */
} word_visit;

static word_visit word_visit_of (const ptx_uop *I, ptx_warp *w) {
  const ptx_xwarp *x = (const ptx_xwarp *)w;
  ptx_cta *c = x->cta;
  touch_number now = (touch_number)++c->clock << TIME_SHIFT;
  return (word_visit){ .I = I,
                       .c = c,
                       .epoch = (touch_number)c->epoch << TIME_SHIFT,
                       .began = (touch_number)c->began << TIME_SHIFT,
                       .first = now | (touch_number)(w->warpid * PTX_LANES) << THREAD_SHIFT |
                                (touch_number)(I - c->grid->code->uops) };
}

/* It is not noted. */
static bool refuse (const word_visit *v) {
  v->c->clock--;
  return false;
}

static inline touch_number touch_by (const word_visit *v, uint32_t lane) {
  return v->first + ((touch_number)lane << THREAD_SHIFT);
}

static inline word *word_at (const word_visit *v, uint32_t address) {
  return v->c->words + (address - PTX_SHARED_RESERVED) / 4;
}

/* Was it by another thread? */
static inline bool differs (touch_number a, touch_number b) {
  return ((a ^ b) >> THREAD_SHIFT & 0xffff) != 0;
}

static inline bool in_one_warp (touch_number a, touch_number b) {
  return ((a ^ b) >> WARP_SHIFT & 0x7ff) == 0;
}

static inline bool may_meet (const word_visit *v, touch_number before, touch_number now) {
  return before >= v->epoch && differs(before, now);
}

/* ---- loads */

static inline bool load_may_fail (const word_visit *v, const word *p, touch_number now) {
  return p->write < v->began || may_meet(v, p->write, now) || may_meet(v, p->atomic, now);
}

/* As note_read of ptx_check_shared.c. */
static inline void note_load (const word_visit *v, word *p, touch_number now) {
  if (p->read < v->epoch) p->read = p->other = now;
  else if (!differs(p->read, now) || (in_one_warp(p->read, now) && !in_one_warp(p->read, p->other)))
    p->read = now;
  else p->other = now;
}

/* The same for some lanes that load one word, one after the other. */
static void note_loads (const word_visit *v, word *p, uint32_t bits) {
  uint32_t last = 31 - (uint32_t)__builtin_clz(bits);
  touch_number now = touch_by(v, last);
  if (p->read < v->epoch) {
    p->read = touch_by(v, ptx_first_lane(bits));
    p->other = now;
  } else if (!in_one_warp(p->read, now)) p->other = now;
  else if (!in_one_warp(p->read, p->other)) p->read = now;
  else {
    uint32_t lane = (uint32_t)(p->read >> THREAD_SHIFT) % PTX_LANES, bit = UINT32_C(1) << lane;
    if ((bits & bit) != 0) p->read = touch_by(v, lane);
    bits &= ~bit;
    if (bits != 0) p->other = touch_by(v, 31 - (uint32_t)__builtin_clz(bits));
  }
}

static inline bool word_is_old (const word_visit *v, const word *p) {
  return p->write >= v->began && p->write < v->epoch && p->atomic < v->epoch;
}

/* ---- stores and atomics */

static inline bool store_may_fail (const word_visit *v, const word *p, touch_number now) {
  return may_meet(v, p->write, now) || may_meet(v, p->atomic, now) || may_meet(v, p->read, now) ||
         may_meet(v, p->other, now);
}

static inline bool atomic_may_fail (const word_visit *v, const word *p, touch_number now) {
  return p->write < v->began || may_meet(v, p->write, now) || may_meet(v, p->read, now) ||
         may_meet(v, p->other, now);
}

/* Words that lanes of one instruction store to. */
typedef struct stored {
  uint32_t num;
  word *at[PTX_LANES * 4];
  touch_number before[PTX_LANES * 4];
} stored;

/* False: another lane of the instruction has stored to it. */
static inline bool note_store (const word_visit *v, word *p, touch_number now, stored *s) {
  if (p->write >> TIME_SHIFT == v->first >> TIME_SHIFT) return false;
  s->at[s->num] = p;
  s->before[s->num++] = p->write;
  p->write = now;
  return true;
}

static bool take_back (const stored *s) {
  for (uint32_t k = 0; k < s->num; k++) s->at[k]->write = s->before[k];
  return false;
}

/* ---- any addresses */

static bool load_lanes (const word_visit *v, uint32_t bits, uint32_t from, const uint32_t *offsets,
                        uint32_t words) {
  bool fails = false;
  for (uint32_t m = bits; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m);
    const word *p = word_at(v, from + offsets[l]);
    for (uint32_t k = 0; k < words; k++) fails |= load_may_fail(v, p + k, touch_by(v, l));
  }
  if (fails) return false;
  for (uint32_t m = bits; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m);
    word *p = word_at(v, from + offsets[l]);
    for (uint32_t k = 0; k < words; k++) note_load(v, p + k, touch_by(v, l));
  }
  return true;
}

static bool store_lanes (const word_visit *v, uint32_t bits, uint32_t from, const uint32_t *offsets,
                         uint32_t words) {
  stored s;
  bool fails = false;
  for (uint32_t m = bits; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m);
    const word *p = word_at(v, from + offsets[l]);
    for (uint32_t k = 0; k < words; k++) fails |= store_may_fail(v, p + k, touch_by(v, l));
  }
  if (fails) return false;
  s.num = 0;
  for (uint32_t m = bits; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m);
    word *p = word_at(v, from + offsets[l]);
    for (uint32_t k = 0; k < words; k++)
      if (!note_store(v, p + k, touch_by(v, l), &s)) return take_back(&s);
  }
  return true;
}

static bool atomic_lanes (const word_visit *v, uint32_t bits, uint32_t from,
                          const uint32_t *offsets, uint32_t words) {
  bool fails = false;
  for (uint32_t m = bits; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m);
    const word *p = word_at(v, from + offsets[l]);
    for (uint32_t k = 0; k < words; k++) fails |= atomic_may_fail(v, p + k, touch_by(v, l));
  }
  if (fails) return false;
  for (uint32_t m = bits; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m);
    word *p = word_at(v, from + offsets[l]);
    for (uint32_t k = 0; k < words; k++) p[k].atomic = touch_by(v, l);
  }
  return true;
}

bool ptx_fast_shared (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t from,
                      const uint32_t *offsets) {
  uint32_t bytes = (uint32_t)I->size * (I->vector == 0 ? 1u : I->vector);
  word_visit v = word_visit_of(I, w);
  bool fine = bytes % 4 == 0;
  if (!fine) return refuse(&v);
  switch ((ptx_access)ptx_id_access[I->id]) {
    case PTX_ACCESS_LOAD: fine = load_lanes(&v, bits, from, offsets, bytes / 4); break;
    case PTX_ACCESS_STORE: fine = store_lanes(&v, bits, from, offsets, bytes / 4); break;
    default: fine = atomic_lanes(&v, bits, from, offsets, bytes / 4); break;
  }
  return fine || refuse(&v);
}

/* ---- one address, and rows of 16 lanes */

static bool load_one (const word_visit *v, uint32_t bits, uint32_t address, uint32_t words) {
  word *p = word_at(v, address);
  for (uint32_t k = 0; k < words; k++)
    if (!word_is_old(v, p + k)) return false;
  for (uint32_t k = 0; k < words; k++) note_loads(v, p + k, bits);
  return true;
}

bool ptx_fast_shared_one (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t address) {
  uint32_t bytes = (uint32_t)I->size * I->vector;
  word_visit v = word_visit_of(I, w);
  return (bytes % 4 == 0 && load_one(&v, bits, address, bytes / 4)) || refuse(&v);
}

/* Loads of two values: by lanes 0 to 15, and by the others. */
static bool load_two (const word_visit *v, uint32_t bits, uint32_t low, uint32_t high,
                      uint32_t words) {
  const uint32_t half = 0xffff;
  word *p = word_at(v, low), *q = word_at(v, high);
  for (uint32_t k = 0; k < words; k++)
    if (!word_is_old(v, p + k) || !word_is_old(v, q + k)) return false;
  for (uint32_t k = 0; k < words && (bits & half) != 0; k++) note_loads(v, p + k, bits & half);
  for (uint32_t k = 0; k < words && (bits & ~half) != 0; k++) note_loads(v, q + k, bits & ~half);
  return true;
}

bool ptx_fast_shared_rows (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t low,
                           uint32_t high, uint32_t distance) {
  uint32_t offsets[PTX_LANES], bytes = (uint32_t)I->size * I->vector;
  if (distance == 0) {
    word_visit v = word_visit_of(I, w);
    return (bytes % 4 == 0 && load_two(&v, bits, low, high, bytes / 4)) || refuse(&v);
  }
  for (uint32_t l = 0; l < PTX_LANES; l++) offsets[l] = (l < 16 ? low : high) + l % 16 * distance;
  return ptx_fast_shared(I, w, bits, 0, offsets);
}

/* ---- from and to the records of bytes */

static ptx_touch touch_of (const ptx_cta *c, touch_number n) {
  return (ptx_touch){ .time = (uint32_t)(n >> TIME_SHIFT),
                      .loc = c->grid->code->uops[n & 0xffff].loc,
                      .thread = (uint16_t)(n >> THREAD_SHIFT) };
}

/* Does the word know more than the bytes' records? */
static bool is_own (const ptx_cta *c, touch_number n) {
  return n >> TIME_SHIFT >= c->began && (n >> THREAD_SHIFT & 0xffff) != NO_THREAD;
}

static void tell_byte (const ptx_cta *c, const word *p, ptx_shadow *s) {
  if (s->run != c->run) *s = (ptx_shadow){ .run = c->run };
  if (is_own(c, p->write)) {
    s->write = touch_of(c, p->write);
    s->writers = UINT32_C(1) << s->write.thread % PTX_LANES;
    s->initialized = true;
  }
  if (is_own(c, p->atomic)) s->atomic = touch_of(c, p->atomic);
  if (is_own(c, p->read)) s->read = touch_of(c, p->read);
  if (is_own(c, p->other)) s->other_read = touch_of(c, p->other);
}

static void tell_word (ptx_cta *c, uint32_t k) {
  word *p = &c->words[k];
  for (uint32_t b = 4 * k; b < 4 * k + 4 && b < c->shared_bytes; b++)
    tell_byte(c, p, &c->shadow[b]);
}

void ptx_fast_tell (ptx_cta *c, uint32_t start, uint32_t bytes) {
  if (c->jit == NULL || bytes == 0) return;
  for (uint32_t k = start / 4; k <= (start + bytes - 1) / 4; k++) tell_word(c, k);
}

/* Whether a load of the word needs no look at its bytes. */
static bool is_initialized (const ptx_cta *c, uint32_t k) {
  if (4 * k + 4 > c->shared_bytes) return false;
  for (uint32_t b = 4 * k; b < 4 * k + 4; b++)
    if (c->shadow[b].run != c->run || !c->shadow[b].initialized) return false;
  return true;
}

void ptx_fast_retire (ptx_cta *c, uint32_t start, uint32_t bytes) {
  const touch_number now = (touch_number)c->clock << TIME_SHIFT | (touch_number)NO_THREAD
                                                                    << THREAD_SHIFT;
  if (c->jit == NULL || bytes == 0) return;
  for (uint32_t k = start / 4; k <= (start + bytes - 1) / 4; k++) {
    touch_number n = is_initialized(c, k) ? now : UINT64_MAX;
    c->words[k] = (word){ n, n, n, n };
  }
}
