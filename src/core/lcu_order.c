/* lcu_order.c: the automatic order between streams. While one stream is used nothing is asked of the driver: a block's
 * marks name that stream, and a lock and a few compares are all. */
#include "lcu_order.h"

enum { WAITS_MAX = 8, DROPS_MAX = 16 };

/* ---- which counts of other streams a stream has waited for ---- */

enum { WAITED_MAX = 16 };
struct lcu_waited { struct { uint64_t id, seq; } row[WAITED_MAX]; unsigned next; };

static bool waited_for (const lcu_stream *s, uint64_t id, uint64_t seq) {
  const struct lcu_waited *w = s->waited;
  for (unsigned i = 0; w != NULL && i < WAITED_MAX; i++)
    if (w->row[i].id == id) return w->row[i].seq >= seq;
  return false;
}

/* A row that is lost costs one more wait, so a small ring will do, and no memory for it is no failure. */
static void remember_locked (lcu_stream *s, uint64_t id, uint64_t seq) {
  if (s->waited == NULL) s->waited = lcu_calloc(1, sizeof *s->waited);
  struct lcu_waited *w = s->waited;
  if (w == NULL) return;
  unsigned i = 0;
  while (i < WAITED_MAX && w->row[i].id != id) i++;
  if (i == WAITED_MAX) {
    i = w->next++ % WAITED_MAX;
    w->row[i].id = id;
    w->row[i].seq = 0;
  }
  if (w->row[i].seq < seq) w->row[i].seq = seq;
}

void lcu_order_remember (lcu_stream *s, uint64_t id, uint64_t seq) {
  pthread_mutex_lock(&s->device->lock);
  remember_locked(s, id, seq);
  pthread_mutex_unlock(&s->device->lock);
}

void lcu_order_forget (lcu_stream *s) {
  lcu_free(s->waited);
  s->waited = NULL;
}


/* ---- one stream after another ---- */

/* The event of the earlier stream; made at the first use. Its device is entered. */
static lcu_status order_event (lcu_stream *s, cu_event *out) {
  cu_event fresh = NULL;
  pthread_mutex_lock(&s->device->lock);
  *out = s->order_event;
  pthread_mutex_unlock(&s->device->lock);
  if (*out != NULL) return LCU_OK;
  LCU_TRY(lcu_device_status(s->device, LCU_CALL(s->device->drv, cuEventCreate, (&fresh, CU_EVENT_DISABLE_TIMING_))));
  pthread_mutex_lock(&s->device->lock);
  cu_event extra = s->order_event != NULL ? fresh : NULL;       /* another thread was faster */
  if (extra == NULL) s->order_event = fresh;
  *out = s->order_event;
  pthread_mutex_unlock(&s->device->lock);
  if (extra != NULL) s->device->drv->cuEventDestroy(extra);
  return LCU_OK;
}

static lcu_status record_earlier (lcu_stream *other, cu_event *e, uint64_t *seq) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(other->device, &scope));
  lcu_status st = order_event(other, e);
  *seq = atomic_load(&other->submitted);
  if (st == LCU_OK) st = lcu_device_status(other->device, LCU_CALL(other->device->drv, cuEventRecord, (*e, other->handle)));
  lcu_device_leave(&scope);
  return st;
}

static lcu_status wait_later (lcu_stream *s, cu_event e) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = lcu_device_status(s->device, LCU_CALL(s->device->drv, cuStreamWaitEvent, (s->handle, e, 0)));
  lcu_device_leave(&scope);
  return st;
}

/* A wait takes the event as it was last recorded, so the event may be recorded again at once; when two threads do this
 * for the same earlier stream, one of them may wait for a little more than it had to. */
lcu_status lcu_order_after (lcu_stream *s, lcu_stream *other) {
  cu_event e;
  uint64_t seq;
  if (s == other) return LCU_OK;
  if (s->device->drv != other->device->drv) return lcu_stream_synchronize(other);
  LCU_TRY(record_earlier(other, &e, &seq));
  LCU_TRY(wait_later(s, e));
  lcu_order_remember(s, other->id, seq);
  return LCU_OK;
}

bool lcu_mark_done (const lcu_mark *m) {
  return m->stream == NULL || atomic_load_explicit(&m->stream->completed, memory_order_acquire) >= m->seq;
}


/* ---- before work: collect the streams to wait for, then wait without the lock ---- */

typedef struct wait_list { lcu_stream *stream[WAITS_MAX]; uint64_t seq[WAITS_MAX]; size_t n; bool full; } wait_list;

static void want (wait_list *w, lcu_stream *s, const lcu_mark *m) {
  if (m->stream == s || lcu_mark_done(m)) return;
  for (size_t i = 0; i < w->n; i++) {
    if (w->stream[i] != m->stream) continue;
    if (w->seq[i] < m->seq) w->seq[i] = m->seq;
    return;
  }
  if (w->n == WAITS_MAX) {
    w->full = true;
    return;
  }
  w->stream[w->n] = lcu_ref(m->stream);
  w->seq[w->n++] = m->seq;
}

/* A reader that finds no room for its mark takes the place of the oldest, so it has to come after it. */
static void want_room (wait_list *w, lcu_stream *s, const lcu_block *b) {
  if (b->num_readers < (int)lcu_arraylen(b->readers)) return;
  for (int i = 0; i < b->num_readers; i++)
    if (b->readers[i].stream == s || lcu_mark_done(&b->readers[i])) return;
  want(w, s, &b->readers[0]);
}

static void want_block (wait_list *w, lcu_stream *s, const lcu_use *u, bool ordered) {
  const lcu_block *b = u->block;
  if (!ordered) { want_room(w, s, b); return; }
  want(w, s, &b->writer);
  if (!u->write) { want_room(w, s, b); return; }
  for (int i = 0; i < b->num_readers; i++) want(w, s, &b->readers[i]);
}

/* Holds the lock of the device whose block is looked at; blocks of one launch mostly share it. */
static lcu_device *relock (lcu_device *held, lcu_device *wanted) {
  if (held == wanted) return held;
  if (held != NULL) pthread_mutex_unlock(&held->lock);
  if (wanted != NULL) pthread_mutex_lock(&wanted->lock);
  return wanted;
}

static void collect_waits (wait_list *w, lcu_stream *s, const lcu_use *uses, size_t n, bool ordered) {
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

static lcu_status wait_one (lcu_stream *s, lcu_stream *other, uint64_t seq) {
  pthread_mutex_lock(&s->device->lock);
  bool known = waited_for(s, other->id, seq);
  pthread_mutex_unlock(&s->device->lock);
  return known ? LCU_OK : lcu_order_after(s, other);
}

static lcu_status wait_all (lcu_stream *s, wait_list *w) {
  lcu_status st = LCU_OK;
  for (size_t i = 0; i < w->n; i++) {
    if (st == LCU_OK) st = wait_one(s, w->stream[i], w->seq[i]);
    lcu_unref(w->stream[i]);
  }
  return st;
}

/* More streams than the list holds: the rest is taken block by block, which has five marks at most. */
lcu_status lcu_work_wait (lcu_stream *s, const lcu_use *uses, size_t n, bool ordered) {
  wait_list w;
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

/* Streams whose last reference may be one of the marks replaced: they are let go without the lock. */
typedef struct drop_list { lcu_stream *stream[DROPS_MAX]; size_t n; } drop_list;

static void drop_all (drop_list *d) {
  for (size_t i = 0; i < d->n; i++) lcu_unref(d->stream[i]);
  d->n = 0;
}

static void set_mark (lcu_mark *m, lcu_stream *s, uint64_t seq, drop_list *d) {
  if (m->stream != s) {
    if (m->stream != NULL) d->stream[d->n++] = m->stream;
    m->stream = lcu_ref(s);
  }
  m->seq = seq;
}

static void mark_write (lcu_block *b, lcu_stream *s, uint64_t seq, drop_list *d) {
  for (int i = 0; i < b->num_readers; i++) d->stream[d->n++] = b->readers[i].stream;
  b->num_readers = 0;
  set_mark(&b->writer, s, seq, d);
}

static int reader_place (const lcu_block *b, const lcu_stream *s) {
  for (int i = 0; i < b->num_readers; i++)
    if (b->readers[i].stream == s) return i;
  if (b->num_readers < (int)lcu_arraylen(b->readers)) return b->num_readers;
  for (int i = 0; i < b->num_readers; i++)
    if (lcu_mark_done(&b->readers[i])) return i;
  return 0;                                     /* lcu_work_begin made `s` wait for it */
}

/* Place 0 stays the oldest: whoever replaces it goes to the end. */
static void mark_read (lcu_block *b, lcu_stream *s, uint64_t seq, drop_list *d) {
  int i = reader_place(b, s);
  if (i == b->num_readers) b->readers[b->num_readers++] = (lcu_mark){ NULL, 0 };
  else if (i == 0 && b->readers[0].stream != s) {
    lcu_mark oldest = b->readers[0];
    for (; i + 1 < b->num_readers; i++) b->readers[i] = b->readers[i + 1];
    b->readers[i] = oldest;
  }
  set_mark(&b->readers[i], s, seq, d);
}

/* Work that waited for nobody must not hide who was there before: the last writer goes on as a reader. */
static void mark_unordered (lcu_block *b, lcu_stream *s, uint64_t seq, bool write, drop_list *d) {
  lcu_mark before = b->writer;
  if (!write) { mark_read(b, s, seq, d); return; }
  if (before.stream != NULL && before.stream != s && !lcu_mark_done(&before)) {
    b->writer = (lcu_mark){ NULL, 0 };
    mark_read(b, before.stream, before.seq, d);
    d->stream[d->n++] = before.stream;          /* the reader's mark has a reference of its own */
  }
  set_mark(&b->writer, s, seq, d);
}

static bool all_marks_name (const lcu_block *b, const lcu_stream *s) {
  if (b->writer.stream != NULL && b->writer.stream != s) return false;
  for (int i = 0; i < b->num_readers; i++)
    if (b->readers[i].stream != s) return false;
  return true;
}

static void leave_mark (const lcu_use *u, lcu_stream *s, uint64_t seq, bool ordered, drop_list *d) {
  lcu_block *b = u->block;
  if (lcu_mark_renew(b, s, seq, u->write)) return;
  if (!ordered) mark_unordered(b, s, seq, u->write, d);
  else if (u->write) mark_write(b, s, seq, d);
  else mark_read(b, s, seq, d);
  atomic_store_explicit(&b->sole, all_marks_name(b, s) ? s : NULL, memory_order_release);
}

LCU_COLD void lcu_work_leave_marks (lcu_stream *s, const lcu_use *uses, size_t n, uint64_t seq, bool ordered) {
  lcu_device *held = NULL;
  drop_list drops = { .n = 0 };
  for (size_t i = 0; i < n; i++) {
    if (uses[i].block == NULL) continue;
    if (lcu_unlikely(drops.n >= DROPS_MAX - 1 - lcu_arraylen(uses[i].block->readers))) {
      held = relock(held, NULL);
      drop_all(&drops);
    }
    held = relock(held, uses[i].block->device);
    leave_mark(&uses[i], s, seq, ordered, &drops);
  }
  relock(held, NULL);
  drop_all(&drops);
}

void lcu_work_end (lcu_stream *s, const lcu_use *uses, size_t n) {
  lcu_work_finish(s, uses, n, true, NULL, 0);
}
