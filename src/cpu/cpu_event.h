/* cpu_event.h: events. */
#ifndef CPU_EVENT_H
#define CPU_EVENT_H

/* Frees all events. All work must be complete. */
void cpu_events_free (void);

#endif
