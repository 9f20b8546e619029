/* ptx_flight.c: the lists of asynchronous operations in flight. */
#include "ptx_flight.h"

#include <string.h>

/* ---- lists ---- */

static void drop_flight (ptx_flight *f) {
  lcu_free(f->copied);
  lcu_free(f);
}

static void append (ptx_flights *list, ptx_flight *f) {
  f->next = NULL;
  if (list->first == NULL) list->first = f;
  else list->last->next = f;
  list->last = f;
}

/* Takes the operation that *at points to out of the list; `before` is the one before it. */
static void take_out (ptx_flights *list, ptx_flight **at, ptx_flight *before) {
  ptx_flight *f = *at;
  *at = f->next;
  if (list->last == f) list->last = before;
  drop_flight(f);
}

/* Returns where the next operation is. Takes *at out if no lane waits for it any more. */
static ptx_flight **step_on (ptx_flights *list, ptx_flight **at, ptx_flight **before) {
  if ((*at)->mask == 0) {
    take_out(list, at, *before);
    return at;
  }
  *before = *at;
  return &(*at)->next;
}

static ptx_flight *copy_flight (const ptx_flight *f) {
  ptx_flight *copy = lcu_alloc(f->size);
  if (copy != NULL) memcpy(copy, f, f->size);
  return copy;
}

bool ptx_flight_to_barrier (ptx_warp *w, const ptx_flight *f) {
  ptx_flight *copy = copy_flight(f);
  if (copy == NULL) return false;
  copy->w = w;
  copy->order = ++w->issued;
  append(&w->flying->at_barriers, copy);
  w->flying->any = true;
  return true;
}

static void add_to_group (ptx_warp *w, ptx_group_kind kind, ptx_flight *f, uint32_t lanes,
                          uint32_t committed) {
  ptx_flight *copy = copy_flight(f);
  if (copy == NULL) {
    f->w = w;
    f->land(f, lanes);
    return;
  }
  copy->w = w;
  copy->mask = lanes;
  copy->group = committed + 1;
  copy->order = ++w->issued;
  append(&w->in_groups[kind], copy);
  w->flying->any = true;
}

/* Lanes that have committed different numbers of groups get an operation each. */
void ptx_flight_to_group (ptx_warp *w, ptx_group_kind kind, ptx_flight *f) {
  for (uint32_t left = f->mask; left != 0;) {
    uint32_t committed = w->committed[kind][ptx_first_lane(left)], same = 0;
    for (uint32_t m = left; m != 0; m &= m - 1)
      if (w->committed[kind][ptx_first_lane(m)] == committed) same |= m & -m;
    add_to_group(w, kind, f, same, committed);
    left &= ~same;
  }
}

/* ---- waits ---- */

void ptx_flights_land_at (ptx_flights *list, const void *bar, const ptx_flight *last) {
  ptx_flight *before = NULL;
  for (ptx_flight **at = &list->first; *at != NULL;) {
    ptx_flight *f = *at;
    bool done = f == last;
    if (f->bar == bar) {
      f->land(f, f->mask);
      f->mask = 0;
    }
    at = step_on(list, at, &before);
    if (done) return;
  }
}

void ptx_groups_commit (ptx_warp *w, ptx_group_kind kind, uint32_t lanes) {
  for (; lanes != 0; lanes &= lanes - 1) w->committed[kind][ptx_first_lane(lanes)]++;
}

uint32_t ptx_flight_due (const ptx_warp *w, ptx_group_kind kind, const ptx_flight *f,
                         uint32_t lanes, uint32_t left) {
  uint32_t out = 0;
  for (uint32_t m = f->mask & lanes; m != 0; m &= m - 1)
    if ((int32_t)(w->committed[kind][ptx_first_lane(m)] - left - f->group) >= 0) out |= m & -m;
  return out;
}

/* Later writes to the source no longer matter. */
static void read_source (ptx_flight *f) {
  if (f->source == NULL || f->copied != NULL) return;
  f->copied = lcu_alloc(f->source_bytes);
  if (f->copied == NULL) return;
  memcpy(f->copied, f->source, f->source_bytes);
  f->source = f->copied;
}

void ptx_groups_wait (ptx_warp *w, ptx_group_kind kind, uint32_t lanes, uint32_t left, bool read) {
  ptx_flights *list = &w->in_groups[kind];
  ptx_flight *before = NULL;
  for (ptx_flight **at = &list->first; *at != NULL;) {
    ptx_flight *f = *at;
    uint32_t landing = ptx_flight_due(w, kind, f, lanes, left);
    if (landing != 0 && read) read_source(f);
    else if (landing != 0) {
      f->land(f, landing);
      f->mask &= ~landing;
      w->stored = 1;
    }
    at = step_on(list, at, &before);
  }
}

void ptx_groups_land_before (ptx_warp *w, ptx_group_kind kind, uint32_t lane, uint64_t order) {
  ptx_flights *list = &w->in_groups[kind];
  ptx_flight *before = NULL;
  for (ptx_flight **at = &list->first; *at != NULL && (*at)->order < order;) {
    ptx_flight *f = *at;
    uint32_t landing = f->mask & 1u << lane;
    if (landing != 0) f->land(f, landing);
    f->mask &= ~landing;
    at = step_on(list, at, &before);
  }
}

void ptx_flights_end (ptx_flights *list, bool stopped) {
  while (list->first != NULL) {
    ptx_flight *f = list->first;
    if (f->leaves && !stopped) f->land(f, f->mask);
    list->first = f->next;
    drop_flight(f);
  }
  list->last = NULL;
}
