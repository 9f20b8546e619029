/* ptx_isa_words.c: the loops of ptx_words.h. Usually, a barrier separates all earlier touches from
 * an access; only if not, it matters by whom they were. */
#include "ptx_isa.h"
#include "ptx_words.h"

enum { WORD_ROW = 16 };

typedef ptx_word_visit word_visit;

/* ---- whether the access breaks no rule: negative if it may */

/* No touch is negative, except of words of which other records know more. */
static inline uint64_t is_new (const word_visit *v, uint64_t before) {
  return v->epoch - 1 - before;
}

static inline bool is_negative (uint64_t n) { return (int64_t)n < 0; }

/* Is the touch one of another thread, that no barrier follows? */
static inline uint64_t may_meet (const word_visit *v, uint64_t before, uint64_t now) {
  const uint64_t thread = UINT64_C(0xffff) << PTX_TOUCH_THREAD;
  return is_new(v, before) & (0 - ((before ^ now) & thread));
}

static inline uint64_t meets_atomic (const word_visit *v, uint32_t k, uint64_t now) {
  return v->atomics ? may_meet(v, v->atomic[k], now) : 0;
}

static inline uint64_t is_unwritten (const word_visit *v, uint64_t write) {
  return write - v->began;
}

static inline uint64_t load_is_wrong (const word_visit *v, uint32_t k, uint64_t now) {
  uint64_t write = v->write[k];
  return is_unwritten(v, write) | may_meet(v, write, now) | meets_atomic(v, k, now);
}

/* Reads by two threads meet every thread: PTX_TOUCH_FLAG differs. Atomics aside. */
static inline uint64_t store_is_wrong (const word_visit *v, uint64_t write, uint64_t read,
                                       uint64_t now) {
  return write | may_meet(v, write, now) | may_meet(v, read, now);
}

static inline uint64_t atomic_is_wrong (const word_visit *v, uint32_t k, uint64_t now) {
  uint64_t write = v->write[k];
  return is_unwritten(v, write) | may_meet(v, write, now) | may_meet(v, v->read[k], now);
}

/* The words of one access. `all` lanes, which is faster, or those of `bits`. */
typedef struct lane_words {
  bool all;
  uint32_t bits, from, words;
  const uint32_t *offsets;
} lane_words;

/* A loop over the words of the lanes. i_: the lane, or the bits of those that are left. */
#define EACH_WORD(a, l, k) \
  for (uint32_t i_ = (a)->all ? 0 : (a)->bits; (a)->all ? i_ < PTX_LANES : i_ != 0; \
       i_ = (a)->all ? i_ + 1 : i_ & (i_ - 1)) \
    for (uint32_t l = (a)->all ? i_ : (uint32_t)__builtin_ctz(i_), e_ = 0, \
                  k = ((a)->from + (a)->offsets[l]) / 4; \
         e_ < (a)->words; e_++, k++)

/* What the words held, to be put back. */
typedef struct stored {
  uint64_t before[PTX_LANES * 4];
} stored;

static inline void take_back (uint64_t *array, const lane_words *a, const stored *s) {
  const uint64_t *before = s->before + (size_t)ptx_popc(a->bits) * a->words;
  for (uint32_t l = PTX_LANES; l-- > 0;)
    for (uint32_t e = a->words, k = (a->from + a->offsets[l]) / 4; e-- > 0 && (a->bits >> l & 1);)
      array[k + e] = *--before;
}

/* ---- noting it */

/* As note_read of ptx_check_shared.c. */
static inline void note_load (const word_visit *v, uint32_t k, uint64_t now) {
  uint64_t read = v->read[k], flag = read & PTX_TOUCH_FLAG;
  bool same = !ptx_touch_differs(read, now), ours = ptx_touch_in_one_warp(read, now),
       one = flag == 0 || ptx_touch_in_one_warp(read, v->other[k]);
  if (read < v->epoch) v->read[k] = now;
  else if (same || (ours && !one)) v->read[k] = now | flag;
  else {
    v->read[k] = read | PTX_TOUCH_FLAG;
    v->other[k] = now;
  }
}

/* Usually, no thread has read the words since the barrier. */
static inline bool note_any (const word_visit *v, const lane_words *a) {
  stored s;
  uint64_t again = 0, *before = s.before;
  EACH_WORD(a, l, k) {
    again |= is_new(v, v->read[k]);
    *before++ = v->read[k];
    v->read[k] = ptx_touch_by(v, l);
  }
  if (lcu_likely(!is_negative(again))) return true;
  take_back(v->read, a, &s);
  EACH_WORD(a, l, k) note_load(v, k, ptx_touch_by(v, l));
  return true;
}

/* ---- accesses */

/* Usually, all words were written before the barrier. */
static inline bool load_any (const word_visit *v, const lane_words *a) {
  uint64_t wrong = v->atomics ? UINT64_MAX : 0;
  EACH_WORD(a, l, k) wrong |= is_unwritten(v, v->write[k]) | is_new(v, v->write[k]);
  if (lcu_likely(!is_negative(wrong))) return true;
  wrong = 0;
  EACH_WORD(a, l, k) wrong |= load_is_wrong(v, k, ptx_touch_by(v, l));
  return !is_negative(wrong);
}

static inline bool first_any (const word_visit *v, const lane_words *a) {
  stored s;
  uint64_t wrong = v->atomics ? UINT64_MAX : 0, *before = s.before;
  EACH_WORD(a, l, k) {
    uint64_t write = v->write[k], read = v->read[k];
    wrong |= is_unwritten(v, write) | is_new(v, write) | is_new(v, read);
    *before++ = read;
    v->read[k] = ptx_touch_by(v, l);
  }
  if (lcu_likely(!is_negative(wrong))) return true;
  take_back(v->read, a, &s);
  return false;
}

/* Two lanes that store to one word meet as well. */
static inline bool store_any (const word_visit *v, const lane_words *a) {
  stored s;
  uint64_t wrong = 0, *before = s.before;
  EACH_WORD(a, l, k) {
    uint64_t now = ptx_touch_by(v, l), write = v->write[k];
    wrong |= store_is_wrong(v, write, v->read[k], now);
    *before++ = write;
    v->write[k] = now;
  }
  if (v->atomics) EACH_WORD(a, l, k) wrong |= meets_atomic(v, k, ptx_touch_by(v, l));
  if (lcu_likely(!is_negative(wrong))) return true;
  take_back(v->write, a, &s);
  return false;
}

static inline bool atomic_any (const word_visit *v, const lane_words *a) {
  uint64_t wrong = 0;
  EACH_WORD(a, l, k) wrong |= atomic_is_wrong(v, k, ptx_touch_by(v, l));
  if (is_negative(wrong)) return false;
  EACH_WORD(a, l, k) v->atomic[k] = ptx_touch_by(v, l);
  return true;
}

/* Usually, lanes access one word each. The copy of *v tells the compiler that it stays. */
#define LANES(kind) \
  static bool kind##_lanes(const word_visit *v, uint32_t bits, uint32_t from, \
                           const uint32_t *offsets, uint32_t words) { \
    const word_visit copy = *v; \
    if (words != 1) return kind##_any(&copy, &(lane_words){ false, bits, from, words, offsets }); \
    if (bits == UINT32_MAX) \
      return kind##_any(&copy, &(lane_words){ true, bits, from, 1, offsets }); \
    return kind##_any(&copy, &(lane_words){ false, bits, from, 1, offsets }); \
  }
LANES(load)
LANES(first)
LANES(store)
LANES(atomic)
LANES(note)
#undef LANES

/* ---- rows */

static inline bool row_of_loads_is_fine (const word_visit *v, uint32_t at, uint32_t lane) {
  const uint64_t *write = v->write + at, from = ptx_touch_by(v, lane);
  uint64_t wrong = 0;
  for (uint32_t l = 0; l < WORD_ROW; l++)
    wrong |=
      is_unwritten(v, write[l]) | may_meet(v, write[l], from + ((uint64_t)l << PTX_TOUCH_THREAD));
  return !is_negative(wrong);
}

static bool load_rows (const word_visit *v, uint32_t low, uint32_t high) {
  return !v->atomics && row_of_loads_is_fine(v, low, 0) && row_of_loads_is_fine(v, high, WORD_ROW);
}

/* As note_load; all bits of a number say whether something holds. */
static inline void note_load_row (const word_visit *v, uint32_t at, uint32_t lane) {
  uint64_t *read = v->read + at, *other = v->other + at;
  const uint64_t epoch = v->epoch, from = ptx_touch_by(v, lane), flag = PTX_TOUCH_FLAG;
  PTX_IVDEP for (uint32_t l = 0; l < WORD_ROW; l++) {
    uint64_t now = from + ((uint64_t)l << PTX_TOUCH_THREAD), r = read[l], o = other[l];
    uint64_t old = r < epoch ? UINT64_MAX : 0,
             same = ((r ^ now) & (UINT64_C(0x7fff) << PTX_TOUCH_THREAD)) == 0 ? UINT64_MAX : 0,
             ours = ((r ^ now) & (UINT64_C(0x3ff) << PTX_TOUCH_WARP)) == 0 ? UINT64_MAX : 0,
             two = (r & flag) != 0 ? UINT64_MAX : 0,
             one = ((r ^ o) & (UINT64_C(0x3ff) << PTX_TOUCH_WARP)) == 0 ? UINT64_MAX : 0;
    uint64_t again = same | (ours & two & ~one), first = old | again;
    read[l] = (first & (now | (r & flag & ~old))) | (~first & (r | flag));
    other[l] = (o & first) | (now & ~first);
  }
}

static bool note_rows (const word_visit *v, uint32_t low, uint32_t high) {
  note_load_row(v, low, 0);
  note_load_row(v, high, WORD_ROW);
  return true;
}

static inline bool row_of_stores_is_fine (const word_visit *v, uint32_t at, uint32_t lane) {
  const uint64_t *write = v->write + at, *read = v->read + at, from = ptx_touch_by(v, lane);
  uint64_t wrong = 0;
  for (uint32_t l = 0; l < WORD_ROW; l++)
    wrong |= store_is_wrong(v, write[l], read[l], from + ((uint64_t)l << PTX_TOUCH_THREAD));
  return !is_negative(wrong);
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
  .first = first_lanes,
  .store = store_lanes,
  .atomic = atomic_lanes,
  .note = note_lanes,
  .load_rows = load_rows,
  .store_rows = store_rows,
  .note_rows = note_rows,
};
