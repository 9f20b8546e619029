/* lcu_event.h: events. */
#ifndef LCU_EVENT_H
#define LCU_EVENT_H

#include "lcu_stream.h"

typedef struct lcu_event_poll lcu_event_poll;

typedef struct lcu_event {
  lcu_object base;
  lcu_device *device;
  cu_event handle;
  bool timing, blocking, interprocess, recorded;
  bool opened;        /* an interprocess event of another process */
  lcu_stream *stream; /* last recorded on (a reference), NULL before */
  uint64_t seq;
  lcu_event_poll *poll; /* its descriptor, NULL before the first use (lcu_event_poll.c) */
} lcu_event;

lcu_status lcu_event_create (lcu_device *d, bool timing, bool blocking, bool interprocess,
                             lcu_event **out);
/* Of an interprocess event: the driver's handle, and the event of another process that it names. */
lcu_status lcu_event_ipc_handle (lcu_event *e, cu_ipc_event *out);
lcu_status lcu_event_open (lcu_device *d, const cu_ipc_event *h, lcu_event **out);
lcu_status lcu_event_record (lcu_event *e, lcu_stream *s);
/* Notes that the event has been recorded on `s`, after its work up to `seq`. */
void lcu_event_noted (lcu_event *e, lcu_stream *s, uint64_t seq);
lcu_status lcu_event_synchronize (lcu_event *e);
lcu_status lcu_event_query (lcu_event *e, bool *done); /* as lcu_stream_query (lcu_wait.h) */
/* waits for both */
lcu_status lcu_event_elapsed (lcu_event *start, lcu_event *stop, float *ms);
/* An event never recorded counts as reached. */
lcu_status lcu_stream_wait_event (lcu_stream *s, lcu_event *e);

/* ---- lcu_event_poll.c: file descriptors that become readable when an event is reached, for
 * programs that wait with poll(2) or a loop of their own */

/* The event's descriptor, made at the first call. It is readable once the last record has been
 * reached, until the next record. LCU_E_STATE where the event was never recorded, or only in a
 * capture. The event closes it. */
lcu_status lcu_event_fd (lcu_event *e, int *fd);
/* After a record of an event that has a descriptor; inside the scope of its device. */
lcu_status lcu_event_poll_arm (lcu_event *e);
void lcu_event_poll_close (lcu_event *e); /* closes the descriptor */
/* Destroys the stream of the descriptor. The caller has entered its device. */
void lcu_event_poll_destroy_stream (lcu_event *e);

#endif
