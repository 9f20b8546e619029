/* ptx_jit_words.c: with all checks on, the usual accesses to shared memory without a call: loads of
 * one word by all lanes or by each row, loads and stores of words side by side, all lanes on. The
 * code looks at the records of ptx_words.h, and notes the access, if
 * - all words were written before the latest barrier and, for a store, not read since;
 * - a word that was read since was not read by this warp.
 * All else is left to the functions of ptx_checks. */
#include "ptx_jit_words.h"

#include <stddef.h>

#include "ptx_words.h"

/* Records side by side: of `num` words, which lanes `first` + k to `last` + k touch. */
typedef struct block {
  uint32_t at; /* i64: bytes from the first record */
  uint32_t num, first, last, read, old;
} block;

typedef struct records {
  ptx_jit_emitter *E;
  bool load;
  uint32_t write, read, other, epoch, began, clock, next, now; /* next: of the clock; now: lane 0 */
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
  uint32_t v = field(E, offsetof(ptx_warp, touched), "ptr");
  x.write = invariant(E, v, offsetof(ptx_word_visit, write), "ptr");
  x.read = invariant(E, v, offsetof(ptx_word_visit, read), "ptr");
  x.other = invariant(E, v, offsetof(ptx_word_visit, other), "ptr");
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

/* Reads by this warp: the difference in the bits of the warp is 0, and less 1 negative. */
static uint32_t check_load (const records *x, block *b) {
  ptx_jit_emitter *E = x->E;
  char type[32];
  uint32_t write = get(x, b, x->write), read = get(x, b, x->read),
           since = apply_to(x, b, "sub", write, spread(x, b, x->began)),
           wrong = apply_to(x, b, "or", since, left_to_epoch(x, b, write)), n = E->next;
  E->next += 3;
  lcu_buf_addf(&E->out, "  %%t%u = add i64 0, %llu\n  %%t%u = add i64 0, 1\n", n,
               0x7ffull << PTX_TOUCH_WARP, n + 1);
  uint32_t differs = apply_to(x, b, "and", apply_to(x, b, "xor", read, spread(x, b, x->now)),
                              spread(x, b, n)),
           ours = apply_to(x, b, "sub", differs, spread(x, b, n + 1));
  b->read = read;
  b->old = n + 2;
  lcu_buf_addf(&E->out, "  %%t%u = icmp slt %s %%t%u, %%t%u\n", n + 2, type_of(b, type), read,
               spread(x, b, x->epoch));
  uint32_t m = E->next;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = select %s %%t%u, %s %s, %s %%t%u\n", m,
               b->num == 1    ? "i1"
               : b->num == 16 ? "<16 x i1>"
                              : "<32 x i1>",
               n + 2, type, b->num == 1 ? "0" : "zeroinitializer", type, ours);
  return none_negative(x, b, apply_to(x, b, "or", wrong, m));
}

static void note_load (const records *x, const block *b) {
  ptx_jit_emitter *E = x->E;
  char type[32];
  uint32_t now = touches(x, b, b->first), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = select %s %%t%u, %s %%t%u, %s %%t%u\n", t,
               b->num == 1    ? "i1"
               : b->num == 16 ? "<16 x i1>"
                              : "<32 x i1>",
               b->old, type_of(b, type), now, type, b->read);
  set(x, b, x->read, t);
  set(x, b, x->other, touches(x, b, b->last));
}

/* Goes on at X`done` if the blocks are fine, which are then noted, else at X`slow`. */
static void look_at_records (records *x, block *blocks, uint32_t num, uint32_t done,
                             uint32_t slow) {
  ptx_jit_emitter *E = x->E;
  uint32_t fine = 0;
  for (uint32_t k = 0; k < num; k++) {
    uint32_t one = x->load ? check_load(x, &blocks[k]) : check_store(x, &blocks[k]);
    uint32_t both = k == 0 ? one : ptx_jit_number(E);
    if (k != 0) lcu_buf_addf(&E->out, "  %%t%u = and i1 %%t%u, %%t%u\n", both, fine, one);
    fine = both;
  }
  uint32_t go = ptx_jit_number(E);
  ptx_jit_likely(E, fine, go, slow);
  lcu_buf_addf(&E->out, "X%u:\n  store i32 %%t%u, ptr %%t%u" PTX_JIT_WARP "\n", go, x->next,
               x->clock);
  for (uint32_t k = 0; k < num; k++) {
    if (x->load) note_load(x, &blocks[k]);
    else set(x, &blocks[k], x->write, touches(x, &blocks[k], blocks[k].first));
  }
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

static uint32_t compare_places (ptx_jit_emitter *E, uint32_t low, uint32_t high) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i64 %%t%u, %%t%u\n", t, low, high);
  return t;
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
  for (uint32_t k = 0; k < num; k++)
    b[k] = (block){ .at = record_of(x->E, at, 4 * k), .num = 1, .last = PTX_LANES - 1 };
  look_at_records(x, b, num, done, slow);
}

static void two_words (records *x, const ptx_jit_transfer *t, const uint32_t at[2], uint32_t done,
                       uint32_t slow) {
  block b[2];
  uint32_t one = compare_places(x->E, at[0], at[1]), two = ptx_jit_number(x->E);
  (void)t;
  ptx_jit_likely(x->E, one, slow, two);
  lcu_buf_addf(&x->E->out, "X%u:\n", two);
  for (uint32_t row = 0; row < 2; row++)
    b[row] = (block){ .at = record_of(x->E, at[row], 0),
                      .num = 1,
                      .first = row * PTX_JIT_ROW,
                      .last = row * PTX_JIT_ROW + PTX_JIT_ROW - 1 };
  look_at_records(x, b, 2, done, slow);
}

static void run_of_words (records *x, uint32_t at, uint32_t done, uint32_t slow) {
  block b = { .at = record_of(x->E, at, 0), .num = PTX_LANES };
  look_at_records(x, &b, 1, done, slow);
}

/* The rows may be one. */
static void rows_of_words (records *x, const uint32_t at[2], uint32_t done, uint32_t slow) {
  ptx_jit_emitter *E = x->E;
  uint32_t one = ptx_jit_number(E), two = ptx_jit_number(E), apart = ptx_jit_number(E);
  if (x->load) {
    uint32_t same = compare_places(E, at[0], at[1]);
    lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\nX%u:\n", same, one, two, one);
    block b = { .at = record_of(E, at[0], 0), .num = PTX_JIT_ROW, .last = PTX_JIT_ROW };
    look_at_records(x, &b, 1, done, slow);
  } else lcu_buf_addf(&E->out, "  br label %%X%u\n", two);
  lcu_buf_addf(&E->out, "X%u:\n", two);
  ptx_jit_likely(E, are_apart(E, at[0], at[1]), apart, slow);
  lcu_buf_addf(&E->out, "X%u:\n", apart);
  block b[2];
  for (uint32_t row = 0; row < 2; row++)
    b[row] = (block){ .at = record_of(E, at[row], 0),
                      .num = PTX_JIT_ROW,
                      .first = row * PTX_JIT_ROW,
                      .last = row * PTX_JIT_ROW };
  look_at_records(x, b, 2, done, slow);
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
  else if (t->shape == PTX_JIT_RUN) run_of_words(&x, at[0], done, slow);
  else if (t->step == 0) two_words(&x, t, at, done, slow);
  else rows_of_words(&x, at, done, slow);
  lcu_buf_addf(&E->out, "X%u:\n", slow);
}
