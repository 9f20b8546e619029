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
#include "ptx_words.h"

/* The length of each array. Processors take addresses that are equal modulo 4096 for one, so the
 * arrays do not lie a multiple of that apart. */
static size_t length_of_words (const ptx_cta *c) {
  size_t page = 4096 / sizeof(uint64_t), num = c->shared_bytes / 4 + 1;
  return (num + page - 1) / page * page + page / 4 + 8;
}

bool ptx_fast_words_make (ptx_cta *c) {
  size_t num = length_of_words(c);
  size_t bytes = 4 * num * sizeof(uint64_t) + PTX_LIST_BYTES;
  uint64_t *all = c->words.write != NULL ? c->words.write : lcu_calloc(1, bytes);
  if (all == NULL) return false;
  c->words = (ptx_word_visit){ .write = all,
                               .atomic = all + num,
                               .read = all + 2 * num,
                               .other = all + 3 * num,
                               .list = (uint8_t *)(all + 4 * num) };
  return true;
}

void ptx_fast_words_forget (ptx_cta *c) {
  size_t num = length_of_words(c);
  if (c->words.write != NULL) memset(c->words.write, 0, 4 * num * sizeof c->words.write[0]);
}

void ptx_fast_words_begin (ptx_cta *c) { c->words.began = (uint64_t)c->epoch << PTX_TOUCH_TIME; }

/* ---- what loads leave in the words */

static uint32_t last_lane (uint32_t bits) { return 31 - (uint32_t)__builtin_clz(bits); }

static void note_other (const ptx_word_visit *v, uint32_t k, uint32_t lane) {
  v->read[k] |= PTX_TOUCH_FLAG;
  v->other[k] = ptx_touch_by(v, lane);
}

/* Of lanes that load one word, one after the other. */
static void note_loads (const ptx_word_visit *v, uint32_t k, uint32_t bits) {
  uint64_t *read = &v->read[k], flag = *read & PTX_TOUCH_FLAG;
  if (*read < v->epoch) {
    *read = ptx_touch_by(v, ptx_first_lane(bits));
    if ((bits & (bits - 1)) != 0) note_other(v, k, last_lane(bits));
  } else if (!ptx_touch_in_one_warp(*read, v->first)) note_other(v, k, last_lane(bits));
  else if (flag != 0 && !ptx_touch_in_one_warp(*read, v->other[k]))
    *read = ptx_touch_by(v, last_lane(bits)) | flag;
  else {
    uint32_t lane = (uint32_t)(*read >> PTX_TOUCH_THREAD) % PTX_LANES, bit = UINT32_C(1) << lane;
    if ((bits & bit) != 0) *read = ptx_touch_by(v, lane) | flag;
    if ((bits & ~bit) != 0) note_other(v, k, last_lane(bits & ~bit));
  }
}

static void note_row_of_one (const ptx_word_visit *v, uint32_t k, uint32_t words, uint32_t bits) {
  for (uint32_t e = 0; e < words && bits != 0; e++) note_loads(v, k + e, bits);
}

/* One of the list, whose size it returns. */
static uint32_t note_listed (const ptx_word_loops *loops, const ptx_word_visit *v,
                             const uint8_t *at) {
  const ptx_word_load *n = (const void *)at;
  if (n->step == PTX_LOAD_LANES) {
    loops->note(v, n->bits, n->low, (const void *)(at + sizeof *n), n->words);
    return PTX_LIST_ENTRY;
  }
  if (n->step == 1) loops->note_rows(v, n->low, n->high);
  else if (n->low == n->high) note_row_of_one(v, n->low, n->words, n->bits);
  else {
    note_row_of_one(v, n->low, n->words, n->bits & 0xffff);
    note_row_of_one(v, n->high, n->words, n->bits & 0xffff0000);
  }
  return sizeof *n;
}

static void note_all_listed (ptx_cta *c) {
  ptx_word_visit v = c->words;
  v.epoch = (uint64_t)c->epoch << PTX_TOUCH_TIME;
  for (uint32_t k = 0; k < v.listed;) {
    v.first = ((const ptx_word_load *)(const void *)(v.list + k))->first;
    k += note_listed(c->warps[0].w.words, &v, v.list + k);
  }
  c->words.listed = 0;
  c->words.needed = true;
}

/* Room for one, of which `first`, `bits` and `words` are set. */
static ptx_word_load *next_listed (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t bytes) {
  ptx_cta *c = ((ptx_xwarp *)w)->cta;
  if (c->words.listed > PTX_LIST_BYTES - PTX_LIST_ENTRY) note_all_listed(c);
  ptx_word_load *n = (void *)(c->words.list + c->words.listed);
  c->words.listed += bytes;
  n->first = c->words.first;
  n->bits = bits;
  n->words = (uint16_t)((uint32_t)I->size * I->vector / 4);
  return n;
}

static void list_rows (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t low, uint32_t high,
                       uint16_t step) {
  ptx_word_load *n = next_listed(I, w, bits, sizeof *n);
  n->low = low;
  n->high = high;
  n->step = step;
}

static void list_lanes (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t from,
                        const uint32_t *offsets) {
  ptx_word_load *n = next_listed(I, w, bits, PTX_LIST_ENTRY);
  n->low = from;
  n->step = PTX_LOAD_LANES;
  memcpy(n + 1, offsets, PTX_LANES * sizeof *offsets);
}

/* ---- one access of a warp */

static inline const ptx_word_visit *word_visit_of (const ptx_uop *I, ptx_warp *w) {
  ptx_cta *c = ((ptx_xwarp *)w)->cta;
  ptx_word_visit *v = &c->words;
  if (v->listed != 0 && ptx_id_access[I->id] != PTX_ACCESS_LOAD) note_all_listed(c);
  v->epoch = (uint64_t)c->epoch << PTX_TOUCH_TIME;
  v->first = (uint64_t)++c->clock << PTX_TOUCH_TIME |
             (uint64_t)(w->warpid * PTX_LANES) << PTX_TOUCH_THREAD |
             (uint64_t)(I - c->grid->code->uops);
  v->atomics = c->latest_atomic >= c->epoch;
  return v;
}

/* It is not noted. */
static bool refuse (ptx_warp *w) {
  ((ptx_xwarp *)w)->cta->clock--;
  return false;
}

/* As ptx_check_before has it: others may have told the warp something by it. */
static void note_atomic (ptx_xwarp *x) {
  x->cta->latest_atomic = x->cta->clock;
  ptx_order_observe(x);
}

/* ---- rows of 16 lanes */

static uint32_t word_number (uint32_t address) { return (address - PTX_SHARED_RESERVED) / 4; }

static bool rows_overlap (uint32_t low, uint32_t high) {
  return (low < high ? high - low : low - high) < PTX_LANES / 2;
}

/* Of whole words side by side. */
static bool whole_rows (const ptx_uop *I, ptx_warp *w, uint32_t low, uint32_t high) {
  const ptx_word_visit *v = word_visit_of(I, w);
  const ptx_word_loops *loops = w->words;
  bool load = ptx_id_access[I->id] == PTX_ACCESS_LOAD;
  bool fine = load ? loops->load_rows(v, low, high)
                   : !rows_overlap(low, high) && loops->store_rows(v, low, high);
  if (fine && load) list_rows(I, w, UINT32_MAX, low, high, 1);
  return fine || refuse(w);
}

/* Whether so many are two rows of words side by side. */
static bool are_rows (const uint32_t *offsets) {
  uint32_t differ = 0;
  if (offsets[1] - offsets[0] != 4) return false;
  for (uint32_t l = 0; l < 16; l++)
    differ |= (offsets[l] - offsets[0] - 4 * l) | (offsets[16 + l] - offsets[16] - 4 * l);
  return differ == 0;
}

/* ---- lanes anywhere */

bool ptx_fast_shared (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t from,
                      const uint32_t *offsets) {
  const ptx_word_loops *loops = w->words;
  uint32_t bytes = (uint32_t)I->size * (I->vector == 0 ? 1u : I->vector);
  ptx_access access = (ptx_access)ptx_id_access[I->id];
  if (bits == UINT32_MAX && bytes == 4 && access != PTX_ACCESS_ATOMIC && are_rows(offsets) &&
      whole_rows(I, w, word_number(from + offsets[0]), word_number(from + offsets[16])))
    return true;
  const ptx_word_visit *v = word_visit_of(I, w);
  ptx_word_loop loop = access == PTX_ACCESS_LOAD    ? loops->load
                       : access == PTX_ACCESS_STORE ? loops->store
                                                    : loops->atomic;
  if (access == PTX_ACCESS_LOAD && v->needed && v->listed == 0 && bytes % 4 == 0 &&
      loops->first(v, bits, from - PTX_SHARED_RESERVED, offsets, bytes / 4))
    return true;
  bool fine = bytes % 4 == 0 && loop(v, bits, from - PTX_SHARED_RESERVED, offsets, bytes / 4);
  if (!fine) return refuse(w);
  if (access == PTX_ACCESS_LOAD) list_lanes(I, w, bits, from - PTX_SHARED_RESERVED, offsets);
  if (access == PTX_ACCESS_ATOMIC) note_atomic((ptx_xwarp *)w);
  return true;
}

/* ---- one address, and rows */

static bool is_late (const ptx_word_visit *v, uint32_t k) {
  return v->write[k] >= v->began && v->write[k] < v->epoch &&
         (!v->atomics || v->atomic[k] < v->epoch);
}

/* One value for lanes 0 to 15, one for the others. */
static bool load_two (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t low, uint32_t high) {
  uint32_t bytes = (uint32_t)I->size * I->vector;
  const ptx_word_visit *v = word_visit_of(I, w);
  bool fine = bytes % 4 == 0;
  for (uint32_t e = 0; e < bytes / 4 && fine; e++)
    fine = is_late(v, low + e) && is_late(v, high + e);
  if (!fine) return refuse(w);
  list_rows(I, w, bits, low, high, 0);
  return true;
}

bool ptx_fast_shared_one (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t address) {
  return load_two(I, w, bits, word_number(address), word_number(address));
}

bool ptx_fast_shared_rows (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t low,
                           uint32_t high, uint32_t distance) {
  uint32_t offsets[PTX_LANES], bytes = (uint32_t)I->size * I->vector;
  if (distance == 0) return load_two(I, w, bits, word_number(low), word_number(high));
  if (bits == UINT32_MAX && bytes == 4 && distance == 4 &&
      whole_rows(I, w, word_number(low), word_number(high)))
    return true;
  for (uint32_t l = 0; l < PTX_LANES; l++) offsets[l] = (l < 16 ? low : high) + l % 16 * distance;
  return ptx_fast_shared(I, w, bits, 0, offsets);
}

/* ---- from and to the records of bytes */

static ptx_touch touch_of (const ptx_cta *c, uint64_t n) {
  return (ptx_touch){ .time = (uint32_t)(n >> PTX_TOUCH_TIME),
                      .loc = c->grid->code->uops[n & 0xffff].loc,
                      .thread = (uint16_t)(n >> PTX_TOUCH_THREAD & ~(uint64_t)PTX_TOUCH_SHARED) };
}

/* Does the word know more than the bytes' records? */
static bool is_own (const ptx_cta *c, uint64_t n) {
  return n >= c->words.began && (n >> PTX_TOUCH_THREAD & 0xffff) != PTX_TOUCH_NONE;
}

static void tell_byte (const ptx_cta *c, uint32_t k, ptx_shadow *s) {
  const ptx_word_visit *v = &c->words;
  if (s->run != c->run) *s = (ptx_shadow){ .run = c->run };
  if (is_own(c, v->write[k])) {
    s->write = touch_of(c, v->write[k]);
    s->writers = UINT32_C(1) << s->write.thread % PTX_LANES;
    s->initialized = true;
  }
  if (is_own(c, v->atomic[k])) s->atomic = touch_of(c, v->atomic[k]);
  if (!is_own(c, v->read[k])) return;
  s->read = touch_of(c, v->read[k]);
  s->other_read = (v->read[k] & PTX_TOUCH_FLAG) != 0 ? touch_of(c, v->other[k]) : s->read;
}

static void tell_word (ptx_cta *c, uint32_t k) {
  for (uint32_t b = 4 * k; b < 4 * k + 4 && b < c->shared_bytes; b++)
    tell_byte(c, k, &c->shadow[b]);
}

void ptx_fast_tell (ptx_cta *c, uint32_t start, uint32_t bytes) {
  if (c->jit == NULL || bytes == 0) return;
  note_all_listed(c);
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
  const uint64_t now = (uint64_t)c->clock << PTX_TOUCH_TIME | (uint64_t)PTX_TOUCH_NONE
                                                                << PTX_TOUCH_THREAD;
  if (c->jit == NULL || bytes == 0) return;
  c->latest_atomic = c->clock;
  for (uint32_t k = start / 4; k <= (start + bytes - 1) / 4; k++) {
    uint64_t n = is_initialized(c, k) ? now : UINT64_MAX;
    c->words.write[k] = c->words.atomic[k] = c->words.read[k] = c->words.other[k] = n;
  }
}
