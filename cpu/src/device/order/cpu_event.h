/* cpu_event.h: events. */
#ifndef CPU_EVENT_H
#define CPU_EVENT_H

#include "cpu_queue.h"

/* Lets what is queued in `s` from now on wait for the other stream up to that number (nothing, if
 * there is no other stream), or for the latest record of the event. */
cu_result cpu_queue_wait (cpu_stream *s, cpu_stream *other, uint64_t seq);
cu_result cpu_event_wait (cpu_stream *s, cpu_event *e);
/* The event was recorded by that operation. */
void cpu_event_set_place (cpu_event *e, cpu_stream *s, uint64_t seq);
/* The wait of a node of a graph for the event, or its record. Its context is the current one. */
cu_result cpu_event_op (cpu_event *e, bool wait, cpu_op **op);
/* Frees all events. All work must be complete. */
void cpu_events_free (void);
/* Ends the events of a context. */
void cpu_events_end (cu_context ctx);

#endif
