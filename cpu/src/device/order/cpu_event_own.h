/* cpu_event_own.h: events, for the files that implement them. */
#ifndef CPU_EVENT_OWN_H
#define CPU_EVENT_OWN_H

#include "cpu_board.h"
#include "cpu_capture.h"
#include "cpu_event.h"

enum { CPU_EVENT_MAGIC = 0x45564e54 };

struct cu_event_ {
  uint32_t magic;
  unsigned flags;
  cu_context context;
  cpu_stream *stream;   /* of the latest record; NULL: never recorded */
  uint64_t seq;         /* of the latest record */
  uint64_t reached_seq; /* of the latest record that was executed */
  double time_ms;       /* when that was */
  cpu_mark mark;        /* of the latest record, if it was in a capture */
  cpu_board *board;     /* of an event of several processes, else NULL */
  uint64_t ticket;      /* of its latest record in this process, on `stream` */
  cpu_event *next_free, *next_all;
};

/* Where the latest record is. */
typedef struct cpu_place {
  cpu_stream *stream;
  uint64_t seq;
  double time_ms;
  uint64_t capture; /* number of the capture that the record was in, or 0 */
} cpu_place;

cu_result cpu_event_check (cu_event e);
cpu_place cpu_event_place (cu_event e);
/* The event takes over the reference to the board, which may be NULL. NULL: out of memory. */
cpu_event *cpu_event_new (unsigned flags, cpu_board *board);

/* The ticket of the latest record in this process, 0: none. */
uint64_t cpu_event_ticket (cpu_event *e);
/* The event was recorded by that operation, and with that ticket. */
void cpu_event_set_ticket (cpu_event *e, cpu_stream *s, uint64_t seq, uint64_t ticket);

/* ---- events of several processes (cpu_event_shared.c) ---- */

cu_result cpu_shared_event_create (cu_event *e, unsigned flags);
cu_result cpu_shared_event_record (cpu_event *e, cpu_stream *s, unsigned flags);
cu_result cpu_shared_event_query (cpu_event *e);
cu_result cpu_shared_event_synchronize (cpu_event *e);
cu_result cpu_shared_event_wait (cpu_stream *s, cpu_event *e, unsigned flags);

#endif
