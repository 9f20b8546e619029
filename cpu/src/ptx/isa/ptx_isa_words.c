/* ptx_isa_words.c: the loops of ptx_words.h. Usually, a barrier separates all earlier touches from
 * an access; only if not, it matters by whom they were. */
#include "ptx_isa.h"
#include "ptx_words.h"

enum { WORD_ROW = 16 };

typedef ptx_word_visit word_visit;

/* ---- whether the access breaks no rule: 0, else 1 */

/* Is the touch one of another thread, that no barrier follows? */
static inline uint64_t may_meet (const word_visit *v, uint64_t before, uint64_t now) {
  const uint64_t thread = UINT64_C(0xffff) << PTX_TOUCH_THREAD;
  return (uint64_t)(before >= v->epoch) & (uint64_t)(((before ^ now) & thread) != 0);
}

static inline uint64_t meets_atomic (const word_visit *v, uint32_t k, uint64_t now) {
  return v->atomics ? may_meet(v, v->atomic[k], now) : 0;
}

static inline uint64_t load_is_wrong (const word_visit *v, uint32_t k, uint64_t now) {
  return (uint64_t)(v->write[k] < v->began) | may_meet(v, v->write[k], now) |
         meets_atomic(v, k, now);
}

static inline uint64_t store_is_wrong (const word_visit *v, uint32_t k, uint64_t now) {
  return may_meet(v, v->write[k], now) | may_meet(v, v->read[k], now) |
         may_meet(v, v->other[k], now) | meets_atomic(v, k, now);
}

static inline uint64_t atomic_is_wrong (const word_visit *v, uint32_t k, uint64_t now) {
  return (uint64_t)(v->write[k] < v->began) | may_meet(v, v->write[k], now) |
         may_meet(v, v->read[k], now) | may_meet(v, v->other[k], now);
}

/* A walk over lanes: all, which is faster, or those of `bits`. */
typedef struct lane_walk {
  uint32_t left, lane;
} lane_walk;

static inline lane_walk start_walk (uint32_t bits) {
  return (lane_walk){ bits, bits == UINT32_MAX || bits == 0 ? 0 : ptx_first_lane(bits) };
}
static inline bool walk_is_over (const lane_walk *w, uint32_t bits) {
  return bits == UINT32_MAX ? w->lane == PTX_LANES : w->left == 0;
}
static inline void step_walk (lane_walk *w, uint32_t bits) {
  if (bits == UINT32_MAX) {
    w->lane++;
    return;
  }
  w->left &= w->left - 1;
  w->lane = (uint32_t)__builtin_ctz(w->left | UINT32_C(1) << 31);
}

/* A loop over the words of the lanes. */
#define EACH_WORD(bits, l, k) \
  for (lane_walk w_ = start_walk(bits); !walk_is_over(&w_, bits); step_walk(&w_, bits)) \
    for (uint32_t l = w_.lane, e_ = 0, k = (from + offsets[l]) / 4; e_ < words; e_++, k++)

/* ---- noting it */

/* As note_read of ptx_check_shared.c. */
static inline void note_load (const word_visit *v, uint32_t k, uint64_t now) {
  uint64_t read = v->read[k], other = v->other[k];
  uint32_t old = read < v->epoch, same = !ptx_touch_differs(read, now),
           ours = ptx_touch_in_one_warp(read, now), one = ptx_touch_in_one_warp(read, other);
  uint32_t again = same | (ours & (one ^ 1u));
  v->read[k] = (old | again) != 0 ? now : read;
  v->other[k] = old != 0 || again == 0 ? now : other;
}

/* The same if all touches were old before this load. */
static inline void note_first_load (const word_visit *v, uint32_t k, uint64_t now) {
  uint64_t read = v->read[k];
  v->read[k] = read < v->epoch ? now : read;
  v->other[k] = now;
}

static inline bool load_any (const word_visit *v, uint32_t bits, uint32_t from,
                             const uint32_t *offsets, uint32_t words) {
  uint64_t wrong = 0, again = 0;
  EACH_WORD(bits, l, k) {
    wrong |= load_is_wrong(v, k, ptx_touch_by(v, l));
    again |= (uint64_t)(v->read[k] >= v->epoch);
  }
  if (wrong != 0) return false;
  if (again == 0) EACH_WORD(bits, l, k) note_first_load(v, k, ptx_touch_by(v, l));
  else EACH_WORD(bits, l, k) note_load(v, k, ptx_touch_by(v, l));
  return true;
}

/* What the lanes' words held, to be put back. */
typedef struct stored {
  uint64_t before[PTX_LANES * 4];
} stored;

static inline void take_back (const word_visit *v, uint32_t bits, uint32_t from,
                              const uint32_t *offsets, uint32_t words, const stored *s) {
  const uint64_t *before = s->before + (size_t)ptx_popc(bits) * words;
  for (uint32_t l = PTX_LANES; l-- > 0;)
    for (uint32_t e = words, k = (from + offsets[l]) / 4; e-- > 0 && (bits >> l & 1) != 0;)
      v->write[k + e] = *--before;
}

/* Two lanes that store to one word meet as well. */
static inline bool store_any (const word_visit *v, uint32_t bits, uint32_t from,
                              const uint32_t *offsets, uint32_t words) {
  stored s;
  uint64_t wrong = 0, *before = s.before;
  EACH_WORD(bits, l, k) {
    wrong |= store_is_wrong(v, k, ptx_touch_by(v, l));
    *before++ = v->write[k];
    v->write[k] = ptx_touch_by(v, l);
  }
  if (lcu_likely(wrong == 0)) return true;
  take_back(v, bits, from, offsets, words, &s);
  return false;
}

static inline bool atomic_any (const word_visit *v, uint32_t bits, uint32_t from,
                               const uint32_t *offsets, uint32_t words) {
  uint64_t wrong = 0;
  EACH_WORD(bits, l, k) wrong |= atomic_is_wrong(v, k, ptx_touch_by(v, l));
  if (wrong != 0) return false;
  EACH_WORD(bits, l, k) v->atomic[k] = ptx_touch_by(v, l);
  return true;
}

/* Usually, lanes access one word each, and all are on. */
#define LANES(kind) \
  static bool kind##_lanes(const word_visit *v, uint32_t bits, uint32_t from, \
                           const uint32_t *offsets, uint32_t words) { \
    return words == 1 ? bits == UINT32_MAX ? kind##_any(v, UINT32_MAX, from, offsets, 1) \
                                           : kind##_any(v, bits, from, offsets, 1) \
                      : kind##_any(v, bits, from, offsets, words); \
  }
LANES(load)
LANES(store)
LANES(atomic)
#undef LANES

/* ---- rows */

/* *again: whether some word was read since the barrier. */
static inline bool row_of_loads_is_fine (const word_visit *v, uint32_t at, uint32_t lane,
                                         bool *again) {
  const uint64_t *write = v->write + at, *read = v->read + at, began = v->began, epoch = v->epoch,
                 from = ptx_touch_by(v, lane);
  uint64_t wrong = 0, was_read = 0;
  for (uint32_t l = 0; l < WORD_ROW; l++) {
    uint64_t now = from + ((uint64_t)l << PTX_TOUCH_THREAD);
    wrong |= (uint64_t)(write[l] < began) | may_meet(v, write[l], now);
    was_read |= (uint64_t)(read[l] >= epoch);
  }
  *again |= was_read != 0;
  return wrong == 0;
}

static inline void note_first_row (const word_visit *v, uint32_t at, uint32_t first,
                                   uint32_t last) {
  uint64_t *read = v->read + at, *other = v->other + at, from = ptx_touch_by(v, first),
           to = ptx_touch_by(v, last);
  PTX_IVDEP for (uint32_t l = 0; l < WORD_ROW; l++) {
    read[l] = from + ((uint64_t)l << PTX_TOUCH_THREAD);
    other[l] = to + ((uint64_t)l << PTX_TOUCH_THREAD);
  }
}

static inline void note_load_row (const word_visit *v, uint32_t at, uint32_t lane) {
  uint64_t *read = v->read + at, *other = v->other + at;
  const uint64_t epoch = v->epoch, from = ptx_touch_by(v, lane);
  PTX_IVDEP for (uint32_t l = 0; l < WORD_ROW; l++) {
    uint64_t now = from + ((uint64_t)l << PTX_TOUCH_THREAD), r = read[l], o = other[l];
    uint64_t old = r < epoch ? UINT64_MAX : 0,
             same = ((r ^ now) & (UINT64_C(0xffff) << PTX_TOUCH_THREAD)) == 0 ? UINT64_MAX : 0,
             mine = ((r ^ now) & (UINT64_C(0x7ff) << PTX_TOUCH_WARP)) == 0 ? UINT64_MAX : 0,
             one = ((r ^ o) & (UINT64_C(0x7ff) << PTX_TOUCH_WARP)) == 0 ? UINT64_MAX : 0;
    uint64_t again = same | (mine & ~one), first = old | again, second = old | ~again;
    read[l] = (now & first) | (r & ~first);
    other[l] = (now & second) | (o & ~second);
  }
}

static bool load_rows (const word_visit *v, uint32_t low, uint32_t high) {
  bool again = v->atomics, one = low == high;
  if (v->atomics || !row_of_loads_is_fine(v, low, 0, &again) ||
      !row_of_loads_is_fine(v, high, WORD_ROW, &again))
    return false;
  again |= !one && (low < high ? high - low : low - high) < WORD_ROW;
  if (again) {
    note_load_row(v, low, 0);
    note_load_row(v, high, WORD_ROW);
  } else if (one) note_first_row(v, low, 0, WORD_ROW);
  else {
    note_first_row(v, low, 0, 0);
    note_first_row(v, high, WORD_ROW, WORD_ROW);
  }
  return true;
}

static inline bool row_of_stores_is_fine (const word_visit *v, uint32_t at, uint32_t lane) {
  const uint64_t *write = v->write + at, *read = v->read + at, *other = v->other + at,
                 from = ptx_touch_by(v, lane);
  uint64_t wrong = 0;
  for (uint32_t l = 0; l < WORD_ROW; l++) {
    uint64_t now = from + ((uint64_t)l << PTX_TOUCH_THREAD);
    wrong |= may_meet(v, write[l], now) | may_meet(v, read[l], now) | may_meet(v, other[l], now);
  }
  return wrong == 0;
}

static bool store_rows (const word_visit *v, uint32_t low, uint32_t high) {
  if (v->atomics || !row_of_stores_is_fine(v, low, 0) || !row_of_stores_is_fine(v, high, WORD_ROW))
    return false;
  for (uint32_t l = 0; l < WORD_ROW; l++) {
    v->write[low + l] = ptx_touch_by(v, l);
    v->write[high + l] = ptx_touch_by(v, WORD_ROW + l);
  }
  return true;
}

extern const ptx_word_loops PTX_CAT(ptx_word_loops, PTX_ISA);
const ptx_word_loops PTX_CAT(ptx_word_loops, PTX_ISA) = {
  .load = load_lanes,
  .store = store_lanes,
  .atomic = atomic_lanes,
  .load_rows = load_rows,
  .store_rows = store_rows,
};
