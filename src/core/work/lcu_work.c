/* lcu_work.c: the automatic order between streams.
 *
 * lcu_block.h says what is always true of a block and its marks. Two rules keep it:
 *
 * - Work leaves its counts in the mark of its own stream, and changes no other mark.
 * - A mark is removed only when its uses are covered by the mark that remains: by an ordered write,
 *   which waited for all of them; when its work is complete; or when there is no room for another
 *   mark, after the new mark's stream has waited for it. In the last case the new mark counts as a
 *   write if the removed one had an incomplete write.
 *
 * Unordered work does not wait, except for room (more than LCU_MARKS streams at a time), and
 * removes no other mark. The memory of a new block belongs to its home stream from the allocation
 * on, so the allocation counts as a write there.
 *
 * Work that is recorded leaves no marks on blocks. Within a capture the same rules hold for the
 * records that stand for the blocks there (lcu_capture.h).
 *
 * While only one stream uses a block no driver call is needed: the only mark is that stream's, and
 * the cost is a lock and a few comparisons. */
#include "lcu_work.h"

#include "lcu_capture.h"
#include "lcu_stream.h"

enum { WAITS_MAX = 8, DROPS_MAX = 16 };

/* ---- before work: collect the streams to wait for, then wait without the lock ---- */

typedef struct wait_list {
  lcu_stream *stream[WAITS_MAX];
  uint64_t seq[WAITS_MAX];
  size_t n;
  bool full;
} wait_list;

static void want (wait_list *w, lcu_stream *s, lcu_stream *other, uint64_t seq) {
  if (other == s || lcu_stream_reached(other, seq)) return;
  for (size_t i = 0; i < w->n; i++) {
    if (w->stream[i] != other) continue;
    if (w->seq[i] < seq) w->seq[i] = seq;
    return;
  }
  if (w->n == WAITS_MAX) {
    w->full = true;
    return;
  }
  w->stream[w->n] = lcu_ref(other);
  w->seq[w->n++] = seq;
}

static lcu_mark *find_mark (lcu_block *b, const lcu_stream *s) {
  for (int i = 0; i < b->num_marks; i++)
    if (b->marks[i].stream == s) return &b->marks[i];
  return NULL;
}

/* The mark to remove for a new one: one whose work is complete, else the oldest that only read,
 * else the oldest. */
static lcu_mark *victim (lcu_block *b) {
  lcu_mark *reader = NULL;
  for (lcu_mark *m = b->marks; m < b->marks + b->num_marks; m++) {
    if (lcu_stream_reached(m->stream, m->used)) return m;
    if (reader == NULL && m->wrote == 0) reader = m;
  }
  return reader != NULL ? reader : b->marks;
}

static bool needs_room (lcu_block *b, const lcu_stream *s) {
  return b->num_marks == LCU_MARKS && find_mark(b, s) == NULL;
}

/* An ordered write needs no room: its mark is the only one. */
static void want_block (wait_list *w, lcu_stream *s, const lcu_use *u, bool ordered) {
  lcu_block *b = u->block;
  for (int i = 0; ordered && i < b->num_marks; i++)
    want(w, s, b->marks[i].stream, lcu_mark_before(&b->marks[i], u->write));
  if (!(ordered && u->write) && needs_room(b, s)) want(w, s, victim(b)->stream, victim(b)->used);
}

/* Switches to the lock of another device; blocks of one launch usually share their device. */
static lcu_device *relock (lcu_device *held, lcu_device *wanted) {
  if (held == wanted) return held;
  if (held != NULL) pthread_mutex_unlock(&held->lock);
  if (wanted != NULL) pthread_mutex_lock(&wanted->lock);
  return wanted;
}

static void collect_waits (wait_list *w, lcu_stream *s, const lcu_use *uses, size_t n,
                           bool ordered) {
  lcu_device *held = NULL;
  w->n = 0;
  w->full = false;
  for (size_t i = 0; i < n; i++) {
    if (uses[i].block == NULL) continue;
    held = relock(held, uses[i].block->device);
    want_block(w, s, &uses[i], ordered);
  }
  relock(held, NULL);
}

static lcu_status wait_all (lcu_stream *s, wait_list *w) {
  lcu_status st = LCU_OK;
  for (size_t i = 0; i < w->n; i++) {
    if (st == LCU_OK) st = lcu_order_after_count(s, w->stream[i], w->seq[i]);
    lcu_unref(w->stream[i]);
  }
  return st;
}

/* Where there are more streams than the list holds, the rest is handled block by block: a block has
 * at most LCU_MARKS. */
lcu_status lcu_work_order (lcu_stream *s, const lcu_use *uses, size_t n, bool ordered) {
  wait_list w;
  for (size_t i = 0; i < n; i++)
    if (uses[i].block != NULL) LCU_TRY(lcu_block_allows(uses[i].block, uses[i].write));
  if (s->capture != NULL) LCU_TRY(lcu_capture_begin_use(s->capture, uses, n, &uses));
  collect_waits(&w, s, uses, n, ordered);
  if (lcu_likely(w.n == 0)) return LCU_OK;
  if (!w.full) return wait_all(s, &w);
  LCU_TRY(wait_all(s, &w));
  for (size_t i = 0; i < n; i++) {
    collect_waits(&w, s, &uses[i], 1, ordered);
    LCU_TRY(wait_all(s, &w));
  }
  return LCU_OK;
}

/* ---- after work: leave marks ---- */

/* Streams of removed marks. Their references, which may be the last, are dropped without the
 * lock. */
typedef struct drop_list {
  lcu_stream *stream[DROPS_MAX];
  size_t n;
} drop_list;

static void drop_all (drop_list *d) {
  for (size_t i = 0; i < d->n; i++) lcu_unref(d->stream[i]);
  d->n = 0;
}

static void take_mark (lcu_block *b, lcu_mark *m, drop_list *d) {
  d->stream[d->n++] = m->stream;
  for (b->num_marks--; m < b->marks + b->num_marks; m++) m[0] = m[1];
}

static lcu_mark *add_mark (lcu_block *b, lcu_stream *s) {
  lcu_mark *m = &b->marks[b->num_marks++];
  *m = (lcu_mark){ .stream = lcu_ref(s) };
  return m;
}

/* An ordered write has waited for all other streams. */
static lcu_mark *only_mark (lcu_block *b, lcu_stream *s, drop_list *d) {
  while (b->num_marks > 0 && b->marks[b->num_marks - 1].stream != s)
    take_mark(b, &b->marks[b->num_marks - 1], d);
  while (b->num_marks > 1) take_mark(b, b->marks, d);
  return b->num_marks > 0 ? b->marks : add_mark(b, s);
}

/* A mark that replaces another one also stands for its write. */
static lcu_mark *own_mark (lcu_block *b, lcu_stream *s, uint64_t seq, drop_list *d) {
  lcu_mark *m = find_mark(b, s);
  if (m != NULL) return m;
  if (b->num_marks < LCU_MARKS) return add_mark(b, s);
  m = victim(b);
  bool inherits = !lcu_stream_reached(m->stream, m->wrote);
  take_mark(b, m, d);
  m = add_mark(b, s);
  if (inherits) m->wrote = seq;
  return m;
}

static void leave_use_mark (const lcu_use *u, lcu_stream *s, uint64_t seq, bool ordered,
                            drop_list *d) {
  lcu_block *b = u->block;
  if (lcu_mark_renew(b, s, seq, u->write)) return;
  lcu_mark *m = ordered && u->write ? only_mark(b, s, d) : own_mark(b, s, seq, d);
  m->used = seq;
  if (u->write) m->wrote = seq;
  bool sole = b->num_marks == 1 && !b->readonly; /* so that lcu_work_order sees every write */
  atomic_store_explicit(&b->sole, sole ? s : NULL, memory_order_release);
}

LCU_COLD void lcu_work_leave_marks (lcu_stream *s, const lcu_use *uses, size_t n, uint64_t seq,
                                    bool ordered) {
  lcu_device *held = NULL;
  drop_list drops = { .n = 0 };
  if (s->capture != NULL && lcu_capture_end_use(s->capture, uses, n, &uses) != LCU_OK) return;
  for (size_t i = 0; i < n; i++) {
    if (uses[i].block == NULL) continue;
    if (lcu_unlikely(drops.n > DROPS_MAX - LCU_MARKS)) {
      held = relock(held, NULL);
      drop_all(&drops);
    }
    held = relock(held, uses[i].block->device);
    leave_use_mark(&uses[i], s, seq, ordered, &drops);
  }
  relock(held, NULL);
  drop_all(&drops);
}

void lcu_work_end (lcu_stream *s, const lcu_use *uses, size_t n) {
  lcu_work_end_kernel(s, uses, n, true, NULL, 0);
}
