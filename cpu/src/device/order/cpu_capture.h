/* cpu_capture.h: capture: streams whose operations become nodes of a graph. */
#ifndef CPU_CAPTURE_H
#define CPU_CAPTURE_H

#include "cpu_graph.h"

/* Nodes that what comes next depends on: at the end of a captured stream, or at an event that was
 * recorded in one. */
typedef struct cpu_front {
  cpu_node **nodes;
  size_t count, room;
} cpu_front;
/* Adds the nodes that are not there yet. */
bool cpu_front_add (cpu_front *f, cpu_node *const *nodes, size_t count);
void cpu_front_clear (cpu_front *f); /* frees its memory too */

typedef struct cpu_capture {
  uint64_t id;
  cpu_graph *graph;
  bool own; /* the graph was made for the capture */
  bool broken;
  int mode;
  const void *thread; /* that began it */
  cpu_stream *origin;
  cpu_stream *streams; /* all of them */
  cpu_front left;      /* the ends of those that were destroyed */
  struct cpu_capture *next;
} cpu_capture;

static inline bool cpu_capturing (cpu_stream *s) {
  return lcu_unlikely(atomic_load_explicit(&s->capture, memory_order_relaxed) != NULL);
}

/* The functions below take cpu_graph_lock. */

/* Records an operation as the next node of a stream in a capture, which owns it from now on.
 * `copy`: of a copy, what it copies. */
cu_result cpu_capture_op (cpu_stream *s, cu_node_type type, cpu_op *op, const cu_copy3d *copy);
/* For calls that wait for the stream or ask for its state: breaks the capture of the stream. 0 when
 * the stream is in none. */
cu_result cpu_capture_forbid (cpu_stream *s);
/* The same for calls that concern all streams of a context. */
cu_result cpu_capture_forbid_all (cu_context ctx);
/* For calls that may wait for all streams, such as allocations: breaks the captures whose mode
 * forbids them on this thread (cuThreadExchangeStreamCaptureMode); 0 when none does. */
cu_result cpu_capture_forbid_unsafe (void);
/* For calls that use the null stream of a context: it would have to wait for blocking streams in a
 * capture. */
cu_result cpu_capture_implicit (cu_context ctx);
/* The stream is about to be destroyed: ends the capture that began in it. A capture that it joined
 * goes on, and has to join its end as before. */
void cpu_capture_abandon (cpu_stream *s);
/* The same for all streams of a context. */
void cpu_captures_abandon (cu_context ctx);

/* The place of an event that was recorded in a capture. */
typedef struct cpu_mark {
  uint64_t capture; /* its number; 0: not recorded in a capture */
  cpu_front front;
} cpu_mark;
/* The end of the stream, in *out, which is empty. */
cu_result cpu_capture_mark (cpu_stream *s, cpu_mark *out);
/* What comes next in `s` depends on the mark; the stream joins the capture. */
cu_result cpu_capture_join (cpu_stream *s, const cpu_mark *mark);
/* A query of a mark of the capture, or a wait for it: breaks the capture. */
cu_result cpu_capture_forbid_mark (uint64_t capture);
/* The stream would depend on work that is not in its capture. */
cu_result cpu_capture_isolate (cpu_stream *s);

/* ---- the functions from here on need the lock ---- */

static inline cpu_capture *cpu_capture_of (cpu_stream *s) {
  return atomic_load_explicit(&s->capture, memory_order_relaxed);
}
/* `own`: the graph was made for the capture. */
cu_result cpu_capture_begin (cpu_stream *s, cpu_graph *g, bool own, int mode);
/* Ends the capture; its graph stays. */
void cpu_capture_end (cpu_capture *c);
/* Ends it and frees the graph that was made for it. */
void cpu_capture_drop (cpu_capture *c);
/* Breaks it and returns `why`, or STREAM_CAPTURE_INVALIDATED if it was broken before. */
cu_result cpu_capture_break (cpu_capture *c, cu_result why);
/* Did this thread begin it? */
bool cpu_capture_is_ours (const cpu_capture *c);
/* Ends all captures; for the end of the context. */
void cpu_captures_free (void);

#endif
