/* lcu_timeline.c: recording a timeline. Events are used again once their times are read, so a long
 * recording needs few of them. */
#include "lcu_timeline.h"

#include <string.h>

#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_device.h"
#include "lcu_scope.h"
#include "lcu_thread.h"

/* One device of a timeline: the event that its times count from, and events without a use. */
typedef struct place {
  lcu_device *device; /* a reference, so that device:reset() refuses; NULL: not used yet */
  cu_event base, *unused;
  size_t num_unused, room;
  double base_ms; /* when the base event was reached, since the timeline began */
} place;

struct lcu_timeline {
  uint64_t number; /* never used twice; 0 is none */
  double begin_ms, length_ms;
  lcu_span *spans;
  size_t n, room, limit, dropped;
  size_t known;      /* spans before this one have their times */
  size_t open;       /* 1 + the index of the span of a device being queued, or 0 */
  lcu_status status; /* what kept a span from being measured first */
  lcu_failure failure;
  lcu_arena names;
  place places[LCU_MAX_DEVICES];
};

static _Thread_local lcu_timeline *current;

const char *lcu_span_kind_name (lcu_span_kind kind) {
  static const char *const names[] = { "kernel", "copy", "fill", "wait", "compile", "range" };
  return names[kind];
}

static double now (const lcu_timeline *t) { return lcu_now_ms() - t->begin_ms; }


/* ---- begin and end ---- */

lcu_status lcu_timeline_begin (size_t limit, lcu_timeline **out) {
  static atomic_uint_fast64_t last;
  *out = NULL;
  if (current != NULL) return lcu_fail(LCU_E_STATE, "profile: a profile is being recorded already");
  lcu_timeline *t = lcu_calloc(1, sizeof *t);
  if (t == NULL) return lcu_no_memory("a profile");
  t->number = atomic_fetch_add(&last, 1) + 1;
  t->limit = limit;
  t->begin_ms = lcu_now_ms();
  *out = current = t;
  lcu_process_watch_times(true);
  return LCU_OK;
}

void lcu_timeline_end (lcu_timeline *t) {
  if (current != t) return;
  t->length_ms = now(t);
  for (size_t i = 0; i < t->n; i++)
    if (t->spans[i].ms < 0 && t->spans[i].start == NULL)
      t->spans[i].ms = t->length_ms - t->spans[i].at_ms;
  current = NULL;
  lcu_process_watch_times(false);
}

const lcu_span *lcu_timeline_spans (const lcu_timeline *t, size_t *n) {
  *n = t->n;
  return t->spans;
}

size_t lcu_timeline_dropped (const lcu_timeline *t) { return t->dropped; }
double lcu_timeline_length (const lcu_timeline *t) { return t->length_ms; }

static void note_failure (lcu_timeline *t, lcu_status st) {
  if (st == LCU_OK || t->status != LCU_OK) return;
  t->status = st;
  t->failure = *lcu_failure_get();
}


/* ---- spans ---- */

static bool make_room (lcu_timeline *t) {
  if (t->n < t->room) return true;
  size_t room = t->room == 0 ? 256 : 2 * t->room;
  lcu_span *spans = lcu_realloc(t->spans, room * sizeof *spans);
  if (spans == NULL) return false;
  t->spans = spans;
  t->room = room;
  return true;
}

/* A new span, or NULL: then it counts as dropped. */
static lcu_span *add_span (lcu_timeline *t, lcu_span_kind kind, const char *name) {
  if (t->n >= t->limit || !make_room(t)) {
    t->dropped++;
    return NULL;
  }
  lcu_span *p = &t->spans[t->n++];
  *p = (lcu_span){ .kind = kind, .ms = -1 };
  if (name != NULL) p->name = lcu_arena_strndup(&t->names, name, strlen(name));
  return p;
}

lcu_host_span lcu_timeline_host_open (lcu_span_kind kind, const char *name) {
  lcu_timeline *t = current;
  lcu_span *p = t != NULL ? add_span(t, kind, name) : NULL;
  if (p == NULL) return (lcu_host_span){ 0 };
  p->at_ms = now(t);
  return (lcu_host_span){ t->number, t->n - 1 };
}

lcu_host_span lcu_timeline_host_copy (const char *from, const char *to, size_t bytes) {
  lcu_host_span h = lcu_timeline_host_open(LCU_SPAN_COPY, NULL);
  if (h.timeline == 0) return h;
  current->spans[h.index].from = lcu_arena_strndup(&current->names, from, strlen(from));
  current->spans[h.index].to = lcu_arena_strndup(&current->names, to, strlen(to));
  current->spans[h.index].bytes = bytes;
  return h;
}

void lcu_timeline_host_close (lcu_host_span h) {
  lcu_timeline *t = current;
  if (t == NULL || t->number != h.timeline) return;
  lcu_span *p = &t->spans[h.index];
  if (p->ms < 0) p->ms = now(t) - p->at_ms;
}


/* ---- events ---- */

static lcu_status take_event (place *p, const lcu_device *d, cu_event *out) {
  if (p->num_unused > 0) {
    *out = p->unused[--p->num_unused];
    return LCU_OK;
  }
  return LCU_CALL(d->drv, cuEventCreate, (out, 0));
}

static void drop_event (lcu_device *d, cu_event e) {
  if (e != NULL) lcu_device_defer(d, LCU_CALL(d->drv, cuEventDestroy, (e)));
}

static void give_event (place *p, lcu_device *d, cu_event e) {
  if (p->num_unused == p->room) {
    size_t room = p->room == 0 ? 64 : 2 * p->room;
    cu_event *list = lcu_realloc(p->unused, room * sizeof *list);
    if (list == NULL) {
      drop_event(d, e);
      return;
    }
    p->unused = list;
    p->room = room;
  }
  p->unused[p->num_unused++] = e;
}

static lcu_status record_new (place *p, const lcu_stream *s, cu_event *out) {
  const lcu_device *d = s->device;
  cu_event e;
  LCU_TRY(take_event(p, d, &e));
  lcu_status st = LCU_CALL(d->drv, cuEventRecord, (e, s->handle));
  if (st != LCU_OK) give_event(p, s->device, e);
  else *out = e;
  return st;
}

/* While another thread records a graph, only the event can be waited for. */
static lcu_status wait_base (lcu_device *d, cu_event e) {
  if (!lcu_recording_forbid(d)) return lcu_device_status(d, lcu_comm_event_wait(d, e));
  lcu_status st = lcu_comm_guard_device(d);
  if (st == LCU_OK) st = LCU_CALL(d->drv, cuCtxSynchronize, ());
  st = lcu_device_status(d, st);
  lcu_recording_allow(d);
  return st;
}

/* The host waits for the device, so that earlier work is not measured, and with it for the base
 * event, which connects its clock with the device's. A fault of earlier work stays pending. */
static lcu_status find_base (lcu_timeline *t, place *p, const lcu_stream *s) {
  if (p->base != NULL) return LCU_OK;
  lcu_device *d = s->device;
  cu_event e;
  if (p->device == NULL) p->device = lcu_ref(d);
  LCU_TRY(record_new(p, s, &e));
  lcu_status st = wait_base(d, e);
  p->base_ms = now(t);
  if (st == LCU_OK) {
    p->base = e;
    return LCU_OK;
  }
  lcu_device_defer(d, st);
  give_event(p, d, e);
  return st;
}

/* Reads the times of a span whose last event is reached, and takes its events back. */
static lcu_status read_times (lcu_timeline *t, lcu_span *p) {
  place *at = &t->places[p->device->index];
  lcu_device *d = at->device;
  float start = 0, length = 0;
  lcu_status st = LCU_CALL(d->drv, cuEventElapsedTime, (&start, at->base, p->start));
  if (st == LCU_OK) st = LCU_CALL(d->drv, cuEventElapsedTime, (&length, p->start, p->stop));
  p->at_ms = at->base_ms + (double)start;
  p->ms = (double)length;
  give_event(at, d, p->start);
  give_event(at, d, p->stop);
  p->start = p->stop = NULL;
  return st;
}

static bool is_reached (lcu_device *d, cu_event e) {
  bool done = false;
  (void)lcu_device_query_status(d, "cuEventQuery", d->drv->cuEventQuery(e), &done);
  return done;
}

/* Reads what is complete, so that its events can be used again. The device is entered. */
static void read_early (lcu_timeline *t, lcu_device *d) {
  enum { MANY = 2048 };
  if (t->n - t->known < MANY) return;
  for (; t->known < t->n; t->known++) {
    lcu_span *p = &t->spans[t->known];
    if (p->start == NULL) continue;
    if (p->device != d || p->stop == NULL || !is_reached(d, p->stop)) return;
    note_failure(t, read_times(t, p));
  }
}


/* ---- the work of devices ---- */

static bool is_captured (lcu_timeline *t, const lcu_stream *s) {
  bool captured;
  if (s->capture != NULL) return true;
  note_failure(t, lcu_stream_is_captured(s, &captured));
  return captured;
}

static void open_span (lcu_timeline *t, lcu_stream *s, lcu_span_kind kind) {
  place *at = &t->places[s->device->index];
  cu_event start = NULL;
  if (at->device != NULL && at->device != s->device) { /* a closed context had the index */
    t->dropped++;
    return;
  }
  read_early(t, s->device);
  lcu_status st = find_base(t, at, s);
  if (st == LCU_OK) st = record_new(at, s, &start);
  note_failure(t, st);
  if (st != LCU_OK) return;
  lcu_span *p = add_span(t, kind, NULL);
  if (p == NULL) {
    give_event(at, s->device, start);
    return;
  }
  p->device = s->device;
  p->stream = s->is_null ? 0 : s->id;
  p->start = start;
  t->open = t->n;
}

void lcu_timeline_open (lcu_stream *s, lcu_span_kind kind) {
  lcu_timeline *t = current;
  if (t == NULL) return;
  t->open = 0;
  if (!is_captured(t, s)) open_span(t, s, kind);
}

/* Ends a span that was not measured. */
static void give_up (lcu_timeline *t, lcu_device *d, lcu_span *p) {
  give_event(&t->places[d->index], d, p->start);
  p->start = NULL;
  p->at_ms = now(t);
  p->ms = 0;
}

void lcu_timeline_close (lcu_stream *s, lcu_status st) {
  lcu_timeline *t = current;
  if (t == NULL || t->open == 0) return;
  lcu_span *p = &t->spans[t->open - 1];
  t->open = 0;
  if (st == LCU_OK) {
    st = record_new(&t->places[s->device->index], s, &p->stop);
    note_failure(t, st);
  }
  if (st != LCU_OK) give_up(t, s->device, p);
}

/* The span that the next calls describe, or NULL. */
static lcu_span *open_one (void) {
  return current != NULL && current->open != 0 ? &current->spans[current->open - 1] : NULL;
}

void lcu_timeline_kernel (const char *name, const uint32_t grid[3], const uint32_t block[3]) {
  lcu_span *p = open_one();
  if (p == NULL) return;
  p->name = lcu_arena_strndup(&current->names, name, strlen(name));
  if (grid != NULL) memcpy(p->grid, grid, sizeof p->grid);
  if (block != NULL) memcpy(p->block, block, sizeof p->block);
}

void lcu_timeline_open_routine (lcu_stream *s, const char *name) {
  lcu_timeline_open(s, LCU_SPAN_KERNEL);
  lcu_timeline_kernel(name, NULL, NULL);
}

void lcu_timeline_copy (const char *from, const char *to, size_t bytes) {
  lcu_span *p = open_one();
  if (p == NULL) return;
  p->from = lcu_arena_strndup(&current->names, from, strlen(from));
  p->to = lcu_arena_strndup(&current->names, to, strlen(to));
  p->bytes = bytes;
}

void lcu_timeline_fill (size_t bytes) {
  lcu_span *p = open_one();
  if (p == NULL) return;
  p->kind = LCU_SPAN_FILL;
  p->bytes = bytes;
}


/* ---- the end ---- */

static lcu_status finish_span (lcu_timeline *t, lcu_span *p) {
  lcu_device *d = t->places[p->device->index].device;
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = lcu_comm_event_wait(d, p->stop);
  if (st == LCU_OK) st = read_times(t, p);
  lcu_device_leave(&scope);
  return lcu_device_status(d, st);
}

lcu_status lcu_timeline_finish (lcu_timeline *t) {
  for (; t->known < t->n; t->known++)
    if (t->spans[t->known].start != NULL) LCU_TRY(finish_span(t, &t->spans[t->known]));
  return t->status == LCU_OK ? LCU_OK : lcu_fail_again(&t->failure);
}

void lcu_timeline_leave_context (lcu_device *c) {
  lcu_timeline *t = current;
  if (t == NULL || t->places[c->index].device != c) return;
  place *at = &t->places[c->index];
  for (size_t i = t->known; i < t->n; i++)
    if (t->spans[i].device == c && t->spans[i].start != NULL)
      note_failure(t, finish_span(t, &t->spans[i]));
  at->base = NULL;
  at->num_unused = 0;
}

static void drop_events (lcu_timeline *t, place *p) {
  lcu_device *d = p->device;
  drop_event(d, p->base);
  for (size_t i = 0; i < p->num_unused; i++) drop_event(d, p->unused[i]);
  for (size_t i = t->known; i < t->n; i++) {
    if (t->spans[i].device != d || t->spans[i].start == NULL) continue;
    drop_event(d, t->spans[i].start);
    drop_event(d, t->spans[i].stop);
  }
}

static void leave_place (lcu_timeline *t, place *p) {
  lcu_scope scope;
  if (p->device == NULL) return;
  if (lcu_device_enter_quiet(p->device, &scope)) {
    drop_events(t, p);
    lcu_device_leave(&scope);
  }
  lcu_free(p->unused);
  lcu_unref(p->device);
}

void lcu_timeline_free (lcu_timeline *t) {
  if (t == NULL) return;
  lcu_timeline_end(t);
  for (size_t i = 0; i < LCU_MAX_DEVICES; i++) leave_place(t, &t->places[i]);
  lcu_arena_free(&t->names);
  lcu_free(t->spans);
  lcu_free(t);
}
