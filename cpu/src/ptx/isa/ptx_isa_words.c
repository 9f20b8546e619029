/* ptx_isa_words.c: the loops of ptx_words.h. Usually, a barrier separates all earlier touches from
 * an access; only if not, it matters by whom they were. */
#include "ptx_isa.h"
#include "ptx_words.h"

enum { WORD_ROW = 16 };

typedef ptx_word_visit word_visit;

static inline bool may_meet (const word_visit *v, uint64_t before, uint64_t now) {
  return before >= v->epoch && ptx_touch_differs(before, now);
}

static inline bool was_written (const word_visit *v, uint32_t k) { return v->write[k] >= v->began; }

/* ---- whether the access breaks no rule: all touches are old, and else */

static inline bool load_is_late (const word_visit *v, uint32_t k) {
  return (v->write[k] - v->began < v->epoch - v->began) & (v->atomic[k] < v->epoch);
}
static inline bool load_is_fine (const word_visit *v, uint32_t k, uint64_t now) {
  return was_written(v, k) && !may_meet(v, v->write[k], now) && !may_meet(v, v->atomic[k], now);
}

static inline bool store_is_late (const word_visit *v, uint32_t k) {
  return (v->write[k] < v->epoch) & (v->atomic[k] < v->epoch) & (v->read[k] < v->epoch) &
         (v->other[k] < v->epoch);
}
static inline bool store_is_fine (const word_visit *v, uint32_t k, uint64_t now) {
  return !may_meet(v, v->write[k], now) && !may_meet(v, v->atomic[k], now) &&
         !may_meet(v, v->read[k], now) && !may_meet(v, v->other[k], now);
}

static inline bool atomic_is_late (const word_visit *v, uint32_t k) {
  return (v->write[k] - v->began < v->epoch - v->began) & (v->read[k] < v->epoch) &
         (v->other[k] < v->epoch);
}
static inline bool atomic_is_fine (const word_visit *v, uint32_t k, uint64_t now) {
  return was_written(v, k) && !may_meet(v, v->write[k], now) && !may_meet(v, v->read[k], now) &&
         !may_meet(v, v->other[k], now);
}

#define LANES_ARE(kind) \
  static bool lanes_##kind##_are_fine(const word_visit *v, uint32_t bits, uint32_t from, \
                                      const uint32_t *offsets, uint32_t words) { \
    bool late = true, fine = true; \
    for (uint32_t m = bits; m != 0; m &= m - 1) { \
      uint32_t l = ptx_first_lane(m), at = (from + offsets[l]) / 4; \
      for (uint32_t k = 0; k < words; k++) late &= kind##_is_late(v, at + k); \
    } \
    if (late) return true; \
    for (uint32_t m = bits; m != 0 && fine; m &= m - 1) { \
      uint32_t l = ptx_first_lane(m), at = (from + offsets[l]) / 4; \
      for (uint32_t k = 0; k < words; k++) fine &= kind##_is_fine(v, at + k, ptx_touch_by(v, l)); \
    } \
    return fine; \
  }
LANES_ARE(load)
LANES_ARE(store)
LANES_ARE(atomic)
#undef LANES_ARE

/* ---- noting it */

/* As note_read of ptx_check_shared.c. */
static inline void note_load (const word_visit *v, uint32_t k, uint64_t now) {
  uint64_t read = v->read[k], other = v->other[k];
  bool old = read < v->epoch, same = !ptx_touch_differs(read, now),
       ours = ptx_touch_in_one_warp(read, now) & !ptx_touch_in_one_warp(read, other);
  bool first = old | same | ours, second = old | !(same | ours);
  v->read[k] = first ? now : read;
  v->other[k] = second ? now : other;
}

static bool load_lanes (const word_visit *v, uint32_t bits, uint32_t from, const uint32_t *offsets,
                        uint32_t words) {
  if (!lanes_load_are_fine(v, bits, from, offsets, words)) return false;
  for (uint32_t m = bits; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m), at = (from + offsets[l]) / 4;
    for (uint32_t k = 0; k < words; k++) note_load(v, at + k, ptx_touch_by(v, l));
  }
  return true;
}

/* What the words held, to be put back if two lanes store to one. */
typedef struct stored {
  uint32_t num, at[PTX_LANES * 4];
  uint64_t before[PTX_LANES * 4];
} stored;

static inline bool note_store (const word_visit *v, uint32_t k, uint64_t now, stored *s) {
  uint64_t before = v->write[k];
  if (lcu_unlikely(before >> PTX_TOUCH_TIME == now >> PTX_TOUCH_TIME)) return false;
  s->at[s->num] = k;
  s->before[s->num++] = before;
  v->write[k] = now;
  return true;
}

static bool take_back (const word_visit *v, const stored *s) {
  for (uint32_t k = 0; k < s->num; k++) v->write[s->at[k]] = s->before[k];
  return false;
}

static bool store_lanes (const word_visit *v, uint32_t bits, uint32_t from, const uint32_t *offsets,
                         uint32_t words) {
  stored s;
  s.num = 0;
  if (!lanes_store_are_fine(v, bits, from, offsets, words)) return false;
  for (uint32_t m = bits; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m), at = (from + offsets[l]) / 4;
    for (uint32_t k = 0; k < words; k++)
      if (!note_store(v, at + k, ptx_touch_by(v, l), &s)) return take_back(v, &s);
  }
  return true;
}

static bool atomic_lanes (const word_visit *v, uint32_t bits, uint32_t from,
                          const uint32_t *offsets, uint32_t words) {
  if (!lanes_atomic_are_fine(v, bits, from, offsets, words)) return false;
  for (uint32_t m = bits; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m), at = (from + offsets[l]) / 4;
    for (uint32_t k = 0; k < words; k++) v->atomic[at + k] = ptx_touch_by(v, l);
  }
  return true;
}

/* ---- rows */

static inline bool load_row_is_late (const word_visit *v, uint32_t at) {
  const uint64_t *write = v->write + at, *atomic = v->atomic + at, began = v->began,
                 epoch = v->epoch;
  uint64_t bad = 0;
  for (uint32_t l = 0; l < WORD_ROW; l++)
    bad |=
      (uint64_t)(write[l] < began) | (uint64_t)(write[l] >= epoch) | (uint64_t)(atomic[l] >= epoch);
  return bad == 0;
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
  if (!load_row_is_late(v, low) || (low != high && !load_row_is_late(v, high))) return false;
  note_load_row(v, low, 0);
  note_load_row(v, high, WORD_ROW);
  return true;
}

static inline bool store_row_is_late (const word_visit *v, uint32_t at) {
  const uint64_t *write = v->write + at, *atomic = v->atomic + at, *read = v->read + at,
                 *other = v->other + at, epoch = v->epoch;
  uint64_t bad = 0;
  for (uint32_t l = 0; l < WORD_ROW; l++)
    bad |= (uint64_t)(write[l] >= epoch) | (uint64_t)(atomic[l] >= epoch) |
           (uint64_t)(read[l] >= epoch) | (uint64_t)(other[l] >= epoch);
  return bad == 0;
}

static bool store_rows (const word_visit *v, uint32_t low, uint32_t high) {
  if (!store_row_is_late(v, low) || !store_row_is_late(v, high)) return false;
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
