/* ptx_jit_words.c: with all checks on, the usual accesses to shared memory without a call: loads of
 * one word by all lanes or by each row, loads and stores of words side by side, all lanes on. The
 * code looks at the records of ptx_words.h. If all words were written before the latest barrier, a
 * load is listed. If, moreover, they were not read since, and no load is listed, a store is noted.
 * All else is left to the functions of ptx_checks. */
#include "ptx_jit_words.h"

#include <stddef.h>

#include "ptx_words.h"

/* Records side by side: of `num` words, which lanes `first` + k touch. */
typedef struct block {
  uint32_t at; /* i64: bytes from the first record */
  uint32_t num, first;
} block;

typedef struct records {
  ptx_jit_emitter *E;
  bool load;
  uint32_t visit, write, read, epoch, began, clock;
  uint32_t next, now;    /* next: of the clock; now: lane 0 */
  uint32_t count, place; /* bytes that are listed, and where they are counted */
} records;

#define INVARIANT ", !invariant.load !5"

static uint32_t invariant (ptx_jit_emitter *E, uint32_t from, size_t offset, const char *type) {
  uint32_t n = E->next;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %zu\n", n, from, offset);
  lcu_buf_addf(&E->out, "  %%t%u = load %s, ptr %%t%u" INVARIANT "\n", n + 1, type, n);
  return n + 1;
}

static uint32_t field (ptx_jit_emitter *E, size_t offset, const char *type) {
  uint32_t n = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%w, i64 0\n", n);
  return invariant(E, n, offset, type);
}

/* A time, as the touches at it begin. */
static uint32_t touch_at (ptx_jit_emitter *E, uint32_t time) {
  uint32_t n = E->next;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n  %%t%u = shl i64 %%t%u, %d\n", n, time,
               n + 1, n, PTX_TOUCH_TIME);
  return n + 1;
}

/* The touch by lane 0, at the next time. */
static void find_now (records *x, uint32_t i) {
  ptx_jit_emitter *E = x->E;
  uint32_t warp = field(E, offsetof(ptx_warp, warpid), "i32"), n = E->next;
  E->next += 5;
  lcu_buf_addf(&E->out, "  %%t%u = load i32, ptr %%t%u" PTX_JIT_WARP "\n", n, x->clock);
  lcu_buf_addf(&E->out, "  %%t%u = add i32 %%t%u, 1\n", n + 1, n);
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n  %%t%u = shl i64 %%t%u, %d\n", n + 2,
               warp, n + 3, n + 2, PTX_TOUCH_WARP);
  lcu_buf_addf(&E->out, "  %%t%u = or i64 %%t%u, %u\n", n + 4, n + 3, i);
  uint32_t time = touch_at(E, n + 1), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = or i64 %%t%u, %%t%u\n", t, time, n + 4);
  x->next = n + 1;
  x->now = t;
}

static records open_records (ptx_jit_emitter *E, const ptx_jit_transfer *t) {
  records x = { .E = E, .load = t->load };
  uint32_t v = x.visit = field(E, offsetof(ptx_warp, touched), "ptr");
  x.write = invariant(E, v, offsetof(ptx_word_visit, write), "ptr");
  x.read = invariant(E, v, offsetof(ptx_word_visit, read), "ptr");
  x.began = invariant(E, v, offsetof(ptx_word_visit, began), "i64");
  x.clock = field(E, offsetof(ptx_warp, clock), "ptr");
  uint32_t epoch = invariant(E, field(E, offsetof(ptx_warp, epoch), "ptr"), 0, "i32");
  x.epoch = touch_at(E, epoch);
  find_now(&x, t->i);
  return x;
}

/* ---- vectors of records, or one */

static const char *type_of (const block *b, char text[32]) {
  ptx_jit_type(text, "i64", b->num);
  return text;
}

static uint32_t spread (const records *x, const block *b, uint32_t value) {
  return b->num == 1 ? value : ptx_jit_spread(x->E, value, "i64", b->num);
}

static uint32_t place (const records *x, const block *b, uint32_t array) {
  uint32_t t = ptx_jit_number(x->E);
  lcu_buf_addf(&x->E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %%t%u\n", t, array, b->at);
  return t;
}

static uint32_t get (const records *x, const block *b, uint32_t array) {
  char type[32];
  uint32_t p = place(x, b, array), t = ptx_jit_number(x->E);
  lcu_buf_addf(&x->E->out, "  %%t%u = load %s, ptr %%t%u, align 8" PTX_JIT_WARP "\n", t,
               type_of(b, type), p);
  return t;
}

static void set (const records *x, const block *b, uint32_t array, uint32_t value) {
  char type[32];
  uint32_t p = place(x, b, array);
  lcu_buf_addf(&x->E->out, "  store %s %%t%u, ptr %%t%u, align 8" PTX_JIT_WARP "\n",
               type_of(b, type), value, p);
}

/* The touches by lanes from `lane` on. */
static uint32_t touches (const records *x, const block *b, uint32_t lane) {
  char type[32];
  uint32_t all = spread(x, b, x->now), t = ptx_jit_number(x->E);
  lcu_buf_addf(&x->E->out, "  %%t%u = add %s %%t%u, ", t, type_of(b, type), all);
  for (uint32_t l = 0; l < b->num; l++)
    lcu_buf_addf(&x->E->out, "%s%s%llu",
                 b->num == 1 ? ""
                 : l == 0    ? "<"
                             : ", ",
                 b->num == 1 ? "" : "i64 ", (unsigned long long)(lane + l) << PTX_TOUCH_THREAD);
  lcu_buf_adds(&x->E->out, b->num == 1 ? "\n" : ">\n");
  return t;
}

static uint32_t apply_to (const records *x, const block *b, const char *op, uint32_t a,
                          uint32_t c) {
  char type[32];
  uint32_t t = ptx_jit_number(x->E);
  lcu_buf_addf(&x->E->out, "  %%t%u = %s %s %%t%u, %%t%u\n", t, op, type_of(b, type), a, c);
  return t;
}

/* i1: no number of the vector is negative. */
static uint32_t none_negative (const records *x, const block *b, uint32_t value) {
  ptx_jit_emitter *E = x->E;
  char type[32];
  uint32_t n = E->next;
  E->next += 3;
  if (b->num == 1) {
    lcu_buf_addf(&E->out, "  %%t%u = icmp sge i64 %%t%u, 0\n", n, value);
    return n;
  }
  lcu_buf_addf(&E->out, "  %%t%u = icmp slt %s %%t%u, zeroinitializer\n", n, type_of(b, type),
               value);
  lcu_buf_addf(&E->out, "  %%t%u = bitcast <%u x i1> %%t%u to i%u\n", n + 1, b->num, n, b->num);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i%u %%t%u, 0\n", n + 2, b->num, n + 1);
  return n + 2;
}

/* ---- the rules */

/* The time before the epoch, less that of the touch: negative if the touch is not old. */
static uint32_t left_to_epoch (const records *x, const block *b, uint32_t before) {
  uint32_t t = ptx_jit_number(x->E);
  lcu_buf_addf(&x->E->out, "  %%t%u = sub i64 %%t%u, 1\n", t, x->epoch);
  return apply_to(x, b, "sub", spread(x, b, t), before);
}

static uint32_t check_store (const records *x, const block *b) {
  uint32_t write = get(x, b, x->write), read = get(x, b, x->read),
           w = apply_to(x, b, "or", write, left_to_epoch(x, b, write)),
           r = apply_to(x, b, "or", read, left_to_epoch(x, b, read));
  return none_negative(x, b, apply_to(x, b, "or", w, r));
}

static uint32_t check_load (const records *x, const block *b) {
  uint32_t write = get(x, b, x->write),
           since = apply_to(x, b, "sub", write, spread(x, b, x->began));
  return none_negative(x, b, apply_to(x, b, "or", since, left_to_epoch(x, b, write)));
}

/* ---- the list of loads */

/* i1: the list has room for a load; for a store, it is empty. */
static uint32_t look_at_list (records *x) {
  ptx_jit_emitter *E = x->E;
  uint32_t n = E->next;
  E->next += 3;
  x->place = n;
  x->count = n + 1;
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %zu\n", n, x->visit,
               offsetof(ptx_word_visit, listed));
  lcu_buf_addf(&E->out, "  %%t%u = load i32, ptr %%t%u" PTX_JIT_WARP "\n", n + 1, n);
  lcu_buf_addf(&E->out, "  %%t%u = icmp ule i32 %%t%u, %d\n", n + 2, n + 1,
               x->load ? (int)(PTX_LIST_BYTES - PTX_LIST_ENTRY) : 0);
  return n + 2;
}

static void store_listed (ptx_jit_emitter *E, uint32_t entry, size_t offset, const char *type,
                          uint32_t value) {
  uint32_t n = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %zu\n", n, entry, offset);
  lcu_buf_addf(&E->out, "  store %s %%t%u, ptr %%t%u" PTX_JIT_WARP "\n", type, value, n);
}

/* Of a place among the records, i32: the word. */
static uint32_t word_of_record (ptx_jit_emitter *E, uint32_t at) {
  uint32_t n = E->next;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = lshr i64 %%t%u, 3\n  %%t%u = trunc i64 %%t%u to i32\n", n, at,
               n + 1, n);
  return n + 1;
}

/* Lanes 0 to 15 load from the first place on, the others from the second on. */
static void list_load (const records *x, const ptx_jit_transfer *t, uint32_t low, uint32_t high) {
  ptx_jit_emitter *E = x->E;
  uint32_t list = invariant(E, x->visit, offsetof(ptx_word_visit, list), "ptr"), n = E->next;
  E->next += 4;
  bool beside = t->shape == PTX_JIT_RUN || (t->shape == PTX_JIT_ROWS && t->step != 0);
  uint64_t step = beside ? 1 : 0, form = UINT32_MAX | step << 32 | (uint64_t)(t->stride / 4) << 48;
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n, x->count);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %%t%u\n", n + 1, list, n);
  lcu_buf_addf(&E->out, "  %%t%u = add i64 0, %llu\n", n + 2, (unsigned long long)form);
  lcu_buf_addf(&E->out, "  %%t%u = add i32 %%t%u, %zu\n", n + 3, x->count, sizeof(ptx_word_load));
  store_listed(E, n + 1, offsetof(ptx_word_load, first), "i64", x->now);
  store_listed(E, n + 1, offsetof(ptx_word_load, low), "i32", word_of_record(E, low));
  store_listed(E, n + 1, offsetof(ptx_word_load, high), "i32", word_of_record(E, high));
  store_listed(E, n + 1, offsetof(ptx_word_load, bits), "i64", n + 2);
  store_listed(E, x->place, 0, "i32", n + 3);
}

_Static_assert(offsetof(ptx_word_load, step) == offsetof(ptx_word_load, bits) + 4 &&
                 offsetof(ptx_word_load, words) == offsetof(ptx_word_load, bits) + 6,
               "list_load stores them as one number");

/* ---- */

/* Goes on at X`done` if the blocks are fine, and the access is noted, else at X`slow`. */
static void look_at_records (records *x, const ptx_jit_transfer *t, const block *blocks,
                             uint32_t num, uint32_t done, uint32_t slow) {
  ptx_jit_emitter *E = x->E;
  uint32_t fine = look_at_list(x);
  for (uint32_t k = 0; k < num; k++) {
    uint32_t one = x->load ? check_load(x, &blocks[k]) : check_store(x, &blocks[k]),
             both = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = and i1 %%t%u, %%t%u\n", both, fine, one);
    fine = both;
  }
  uint32_t go = ptx_jit_number(E);
  ptx_jit_likely(E, fine, go, slow);
  lcu_buf_addf(&E->out, "X%u:\n  store i32 %%t%u, ptr %%t%u" PTX_JIT_WARP "\n", go, x->next,
               x->clock);
  bool rows = t->shape != PTX_JIT_ONE;
  if (x->load) list_load(x, t, blocks[0].at, rows ? blocks[1].at : blocks[0].at);
  for (uint32_t k = 0; k < num && !x->load; k++)
    set(x, &blocks[k], x->write, touches(x, &blocks[k], blocks[k].first));
  lcu_buf_addf(&E->out, "  br label %%X%u\n", done);
}

/* ---- accesses */

/* Of a shared address, i64: where its record is. */
static uint32_t record_of (ptx_jit_emitter *E, uint32_t address, uint32_t plus) {
  uint32_t n = E->next;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %%t%u, %d\n  %%t%u = shl i64 %%t%u, 1\n", n, address,
               (int)PTX_SHARED_RESERVED - (int)plus, n + 1, n);
  return n + 1;
}

/* i1: the rows have no word in common. */
static uint32_t are_apart (ptx_jit_emitter *E, uint32_t low, uint32_t high) {
  uint32_t n = E->next;
  E->next += 3;
  lcu_buf_addf(&E->out,
               "  %%t%u = sub i64 %%t%u, %%t%u\n  %%t%u = add i64 %%t%u, 63\n"
               "  %%t%u = icmp ugt i64 %%t%u, 126\n",
               n, low, high, n + 1, n, n + 2, n + 1);
  return n + 2;
}

static void one_word (records *x, const ptx_jit_transfer *t, uint32_t at, uint32_t done,
                      uint32_t slow) {
  block b[4];
  uint32_t num = t->stride / 4;
  for (uint32_t k = 0; k < num; k++) b[k] = (block){ .at = record_of(x->E, at, 4 * k), .num = 1 };
  look_at_records(x, t, b, num, done, slow);
}

/* Two words, or two rows of them, which may be one, or overlap. */
static void two_blocks (records *x, const ptx_jit_transfer *t, const uint32_t at[2], uint32_t done,
                        uint32_t slow) {
  ptx_jit_emitter *E = x->E;
  block b[2];
  if (!x->load) {
    uint32_t apart = are_apart(E, at[0], at[1]), go = ptx_jit_number(E);
    ptx_jit_likely(E, apart, go, slow);
    lcu_buf_addf(&E->out, "X%u:\n", go);
  }
  for (uint32_t row = 0; row < 2; row++)
    b[row] = (block){ .at = record_of(E, at[row], 0),
                      .num = t->step == 0 ? 1 : PTX_JIT_ROW,
                      .first = row * PTX_JIT_ROW };
  look_at_records(x, t, b, 2, done, slow);
}

static void run_of_words (records *x, const ptx_jit_transfer *t, uint32_t at, uint32_t done,
                          uint32_t slow) {
  block b[2] = {
    { .at = record_of(x->E, at, 0), .num = PTX_JIT_ROW },
    { .at = record_of(x->E, at, PTX_JIT_ROW * 4), .num = PTX_JIT_ROW, .first = PTX_JIT_ROW }
  };
  look_at_records(x, t, b, 2, done, slow);
}

static bool can_look (const ptx_jit_emitter *E, const ptx_jit_transfer *t) {
  bool whole = t->I->size >= 4 && t->stride <= 16, one = t->I->size == 4 && t->I->vector == 1;
  if (!t->shared || !E->full || E->predicate != 0 || !whole) return false;
  switch (t->shape) {
    case PTX_JIT_ONE: return t->load;
    case PTX_JIT_RUN: return one;
    case PTX_JIT_ROWS: return one && (t->load || t->step != 0);
    default: return false;
  }
}

void ptx_jit_words (ptx_jit_emitter *E, const ptx_jit_transfer *t, const uint32_t at[2],
                    uint32_t done) {
  if (!can_look(E, t)) return;
  records x = open_records(E, t);
  uint32_t slow = ptx_jit_number(E), none = ptx_jit_number(E), n = E->next;
  E->next += 1;
  uint32_t latest = ptx_jit_field(E, offsetof(ptx_warp, latest_atomic), "ptr");
  uint32_t time = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load i32, ptr %%t%u" PTX_JIT_WARP "\n", time, latest);
  uint32_t latest_touch = touch_at(E, time);
  lcu_buf_addf(&E->out, "  %%t%u = icmp slt i64 %%t%u, %%t%u\n", n, latest_touch, x.epoch);
  ptx_jit_likely(E, n, none, slow);
  lcu_buf_addf(&E->out, "X%u:\n", none);
  if (t->shape == PTX_JIT_ONE) one_word(&x, t, at[0], done, slow);
  else if (t->shape == PTX_JIT_RUN) run_of_words(&x, t, at[0], done, slow);
  else two_blocks(&x, t, at, done, slow);
  lcu_buf_addf(&E->out, "X%u:\n", slow);
}
