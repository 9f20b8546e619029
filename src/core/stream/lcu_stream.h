/* lcu_stream.h: streams. Each counts the operations submitted to it, and how many of them are known
 * to be complete. */
#ifndef LCU_STREAM_H
#define LCU_STREAM_H

#include "lcu_device.h"

struct lcu_stream {
  lcu_object base;
  lcu_device *device;
  cu_stream handle;                /* NULL for the null stream */
  bool is_null, blocking, foreign; /* foreign: the handle belongs to the host program */
  int priority;
  struct lcu_partition *partition; /* where its kernels run; NULL: on the whole device */
  /* operations queued so far; counted under the device's lock, read without */
  atomic_uint_fast64_t submitted;
  atomic_uint_fast64_t completed; /* known to be complete */
  struct lcu_waited *waited;      /* counts of other streams that this one has waited for */
  /* reused for ordering; guarded by the device's lock, like `waited` */
  cu_event order_event;
  uint64_t id; /* never used twice in a process */
  /* the null stream before a reset, or any stream of a context that was closed: without handle or
   * queued work */
  bool gone;
  bool orphan; /* gone, and without a reference to the device */
  struct lcu_stream *next_of_device, *prev_of_device;
  bool retired; /* a foreign stream whose owner may have ended it (lcu_order_retire) */
  /* the capture that its work is recorded in, NULL: work runs; and the stream that it stands for
   * (borrowed): one of the program, or for the origin of a body one of the capture around it; NULL:
   * the origin of a graph, which stands for the null stream */
  struct lcu_capture *capture;
  struct lcu_stream *stands_for;
  /* not 0: order_event marks the end of the work up to this count, and the handle is not used any
   * more */
  uint64_t retired_at;
  /* for the Lua layer, which drops references later: its list, and their number */
  struct lcu_stream *next_leaving;
  int leaving;
};

lcu_status lcu_stream_create (lcu_device *d, int priority, bool blocking, lcu_stream **out);
/* A stream of a partition; it does not block with the null stream. */
lcu_status lcu_stream_create_in (struct lcu_partition *p, int priority, lcu_stream **out);
/* Wraps a stream of the host program: it is used but never destroyed. */
lcu_status lcu_stream_wrap (lcu_device *d, cu_stream handle, lcu_stream **out);
lcu_status lcu_stream_create_null (lcu_device *d, lcu_stream **out);
/* The null stream of a device that is reset: gone from now on. */
void lcu_stream_leave_device (lcu_stream *s);
/* A stream without a handle. */
lcu_stream *lcu_stream_new (lcu_device *d);

/* Counts an operation and returns its number. The device's lock is held. */
static inline uint64_t lcu_stream_count_locked (lcu_stream *s) {
  uint64_t seq = atomic_load_explicit(&s->submitted, memory_order_relaxed) + 1;
  atomic_store_explicit(&s->submitted, seq, memory_order_release);
  return seq;
}
/* Records that everything up to `seq` is complete. */
void lcu_stream_completed (lcu_stream *s, uint64_t seq);
/* Is everything up to `seq` known to be complete? Does not query the driver. */
static inline bool lcu_stream_reached (const lcu_stream *s, uint64_t seq) {
  return atomic_load_explicit(&s->completed, memory_order_acquire) >= seq;
}
/* Does only the event describe the work? Then the handle may not be used. */
static inline bool lcu_stream_is_retired (const lcu_stream *s) {
  return s->retired_at != 0 &&
         s->retired_at == atomic_load_explicit(&s->submitted, memory_order_acquire);
}
/* Is its work being captured for a graph? The device is entered. */
lcu_status lcu_stream_is_captured (const lcu_stream *s, bool *captured);
/* cuStreamQuery, or cuEventQuery for a retired stream. */
cu_result lcu_stream_query_driver (const lcu_stream *s);
/* Waits for the stream's work. The device is entered. */
lcu_status lcu_stream_sync_entered (lcu_stream *s);

/* lcu_comm_guard for the work of the stream. */
lcu_status lcu_stream_guard (lcu_stream *s);

/* ---- lcu_order.c: makes one stream wait for another */

/* Orders what is queued on `s` from now on after what `other` has queued so far. Where the streams
 * have different drivers the host waits. Devices need not be entered. */
lcu_status lcu_order_after (lcu_stream *s, lcu_stream *other);
/* The same for the work of `other` up to its count `seq`. Queues nothing where `s` has waited for
 * it before. */
lcu_status lcu_order_after_count (lcu_stream *s, lcu_stream *other, uint64_t seq);
/* Records that `s` follows count `seq` of the stream with that id. */
void lcu_order_remember (lcu_stream *s, uint64_t id, uint64_t seq);
/* Retires a foreign stream: its owner may end it after this call. The device is entered. */
lcu_status lcu_order_retire (lcu_stream *s);

#endif
