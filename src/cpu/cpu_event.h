/* cpu_event.h: events. */
#ifndef CPU_EVENT_H
#define CPU_EVENT_H

void cpu_events_free (void);

#endif
