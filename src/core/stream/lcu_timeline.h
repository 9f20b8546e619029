/* lcu_timeline.h: the timeline of cuda.profile: what one thread queues on devices and waits for,
 * with the times of events on the devices and of the clock on the host. A span is one kernel, copy,
 * fill, wait, compilation or range. While nothing is recorded, a hook costs the test of one flag.
 *
 * Spans of devices begin and end with events on their stream, so the CPU device is measured in the
 * same way as a GPU. Work captured into a graph gets no span, because its events would be captured
 * with it. */
#ifndef LCU_TIMELINE_H
#define LCU_TIMELINE_H

#include "lcu_process.h"
#include "lcu_stream.h"

typedef enum lcu_span_kind {
  LCU_SPAN_KERNEL,
  LCU_SPAN_COPY,
  LCU_SPAN_FILL,
  LCU_SPAN_WAIT,
  LCU_SPAN_COMPILE,
  LCU_SPAN_RANGE
} lcu_span_kind;
const char *lcu_span_kind_name (lcu_span_kind kind); /* "kernel" */

typedef struct lcu_span {
  lcu_span_kind kind;
  const char *name;         /* NULL for copies and fills */
  const char *from, *to;    /* of a copy: "host", "gpu0"; NULL: unknown */
  const lcu_device *device; /* NULL: the host */
  uint64_t stream;          /* its id; 0: the null stream */
  size_t bytes;             /* of a copy or fill; 0: unknown */
  uint32_t grid[3], block[3];
  cu_event start, stop; /* of a device; NULL once the times are known */
  double at_ms, ms;     /* since the timeline began; ms < 0: still open */
} lcu_span;

typedef struct lcu_timeline lcu_timeline;

/* Records what this thread does from now on, up to `limit` spans. One at a time for each thread:
 * LCU_E_STATE if there is one. */
lcu_status lcu_timeline_begin (size_t limit, lcu_timeline **out);
/* Ends the recording, on the same thread. Open ranges end now. */
void lcu_timeline_end (lcu_timeline *t);
/* Waits for the recorded work, whose times are known afterwards. Fails with what kept a span from
 * being measured. */
lcu_status lcu_timeline_finish (lcu_timeline *t);
const lcu_span *lcu_timeline_spans (const lcu_timeline *t, size_t *n);
size_t lcu_timeline_dropped (const lcu_timeline *t); /* spans beyond the limit */
double lcu_timeline_length (const lcu_timeline *t);  /* ms from begin to end */
void lcu_timeline_free (lcu_timeline *t);
/* A context is about to be closed: reads its times, and forgets its events. */
void lcu_timeline_leave_context (lcu_device *c);

/* ---- hooks of the functions that queue work and wait ---- */

static inline bool lcu_timeline_on (void) { return lcu_process_watched(LCU_WATCH_TIMES); }

/* Around one piece of work: after the waits that order it, and before its marks are left. The
 * device is entered. `st`: what queuing the work returned; after a failure no driver call is made,
 * so that its record stays. */
void lcu_timeline_open (lcu_stream *s, lcu_span_kind kind);
/* The same for a kernel of which only the name is known. */
void lcu_timeline_open_routine (lcu_stream *s, const char *name);
void lcu_timeline_close (lcu_stream *s, lcu_status st);
/* Describe the open span. Names are copied; `from` and `to` are static. */
void lcu_timeline_kernel (const char *name, const uint32_t grid[3], const uint32_t block[3]);
void lcu_timeline_copy (const char *from, const char *to, size_t bytes);
void lcu_timeline_fill (size_t bytes);

/* On the host: open returns the number of a span, for close; or a number that close ignores. */
typedef struct lcu_host_span {
  uint64_t timeline;
  size_t index;
} lcu_host_span;
lcu_host_span lcu_timeline_host_open (lcu_span_kind kind, const char *name);
void lcu_timeline_host_close (lcu_host_span h);
/* A copy that the host makes. */
lcu_host_span lcu_timeline_host_copy (const char *from, const char *to, size_t bytes);

/* Around work of the host: a wait or a compilation, named by its static text. */
static inline lcu_host_span lcu_timeline_host (lcu_span_kind kind, const char *name) {
  return lcu_unlikely(lcu_timeline_on()) ? lcu_timeline_host_open(kind, name)
                                         : (lcu_host_span){ 0 };
}
static inline lcu_host_span lcu_timeline_wait (const char *name) {
  return lcu_timeline_host(LCU_SPAN_WAIT, name);
}
static inline void lcu_timeline_waited (lcu_host_span h) {
  if (lcu_unlikely(h.timeline != 0)) lcu_timeline_host_close(h);
}

#endif
