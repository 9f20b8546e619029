/* lcu_stream.h: streams and events, and the automatic order between streams.
 *
 * Each stream counts what is submitted to it. A block has a mark for each stream, with its counts
 * at the last use and the last write. When another stream is about to use it, an event is recorded
 * on the earlier stream at that moment and the later one waits for it: nothing is recorded while
 * one stream is used. */
#ifndef LCU_STREAM_H
#define LCU_STREAM_H

#include "lcu_device.h"

struct lcu_stream {
  lcu_object base;
  lcu_device *device;
  cu_stream handle;                /* NULL for the null stream */
  bool is_null, blocking, foreign; /* foreign: handle belongs to the host program */
  int priority;
  /* operations queued so far; counted under the device's lock, read without */
  atomic_uint_fast64_t submitted;
  atomic_uint_fast64_t completed; /* known to be complete */
  struct lcu_waited *waited;      /* which counts of other streams this one has waited for */
  /* reused for ordering; guarded by the device's lock, like `waited` */
  cu_event order_event;
  uint64_t id; /* never used twice in a process */
  /* a null stream of before a reset: no handle, no reference to the device, nothing queued */
  bool gone;
  bool left; /* a foreign stream whose handle may be gone */
  uint64_t
    left_at; /* not 0: order_event is the end of what was queued up to this count; the handle is not
                                       asked any more */
  /* for the Lua layer, which puts off dropping references: its list, and how many */
  struct lcu_stream *next_leaving;
  int leaving;
};

lcu_status lcu_stream_create (lcu_device *d, int priority, bool blocking, lcu_stream **out);
/* A stream of the host program: used, never destroyed. */
lcu_status lcu_stream_wrap (lcu_device *d, cu_stream handle, lcu_stream **out);
/* Whoever made the stream is done with it: nothing of ours keeps it longer than its work needs. */
void lcu_stream_retire (lcu_stream *s);
lcu_status lcu_stream_synchronize (lcu_stream *s);
/* done: has the work ended, well or not? A fault that the question meets waits for a call that
 * raises it. */
lcu_status lcu_stream_query (lcu_stream *s, bool *done);
/* Everything queued on `other` so far comes before what is queued on `s` from now. Streams of
 * different drivers: waits on the host. */
lcu_status lcu_stream_wait_stream (lcu_stream *s, lcu_stream *other);
/* After a wait: gives back what only running work still held. */
void lcu_stream_poll (lcu_stream *s);

typedef struct lcu_event {
  lcu_object base;
  lcu_device *device;
  cu_event handle;
  bool timing, blocking, interprocess, recorded;
  lcu_stream *stream; /* last recorded on (a reference), NULL before */
  uint64_t seq;
} lcu_event;

lcu_status lcu_event_create (lcu_device *d, bool timing, bool blocking, bool interprocess,
                             lcu_event **out);
lcu_status lcu_event_record (lcu_event *e, lcu_stream *s);
lcu_status lcu_event_synchronize (lcu_event *e);
lcu_status lcu_event_query (lcu_event *e, bool *done); /* as lcu_stream_query */
/* waits for both */
lcu_status lcu_event_elapsed (lcu_event *start, lcu_event *stop, float *ms);
/* never recorded: nothing to wait for */
lcu_status lcu_stream_wait_event (lcu_stream *s, lcu_event *e);

#endif
