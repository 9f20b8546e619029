/* lcu_capture_own.h: a capture, for the files that implement captures.
 *
 * The body of a conditional node is recorded by a capture of its own, into the driver's graph in
 * the node. It has streams of its own again, which stand for the same streams of the program, and a
 * record of what it keeps. When it ends, the capture around it takes over the record, and counts
 * the body as one piece of work of the stream that has the node (lcu_condition_body.c). */
#ifndef LCU_CAPTURE_OWN_H
#define LCU_CAPTURE_OWN_H

#include "lcu_capture.h"
#include "lcu_capture_blocks.h"

/* A stream of the capture, the program's stream that it stands for, and memory for library calls
 * that are recorded on it (NULL: none needed it yet). */
typedef struct lcu_branch {
  lcu_stream *stream, *of;
  lcu_block *workspace;
} lcu_branch;

/* An event of the program recorded in the capture, and the event that marks the point within. */
typedef struct lcu_capture_mark {
  lcu_event *event; /* kept by `kept` */
  cu_event own;
} lcu_capture_mark;

struct lcu_capture {
  lcu_device *device;
  lcu_stream *origin;
  cu_event start; /* where branches begin */
  lcu_branch *branches;
  size_t num_branches, branches_room;
  lcu_capture_mark *marks;
  size_t num_marks, marks_room;
  lcu_capture_blocks blocks;
  lcu_kept kept;
  /* of a body: the capture around it, and the graph in the node (borrowed) */
  lcu_capture *parent;
  cu_graph body;
  int incomplete; /* conditional nodes whose bodies were not recorded to the end */
  /* conditions without a node */
  cu_graph_condition *conditions;
  size_t num_conditions, conditions_room;
  /* of the outermost capture */
  lcu_object *setter; /* the module that sets conditions, or NULL (lcu_condition.c) */
  bool keeps_graph;   /* the driver's graph cannot be destroyed (lcu_capture.c) */
};

/* The capture around all others. */
static inline lcu_capture *lcu_capture_root (lcu_capture *c) {
  while (c->parent != NULL) c = c->parent;
  return c;
}

/* Makes the origin, and begins to record. `of`: the program's stream that the origin stands for. */
lcu_status lcu_capture_start (lcu_capture *c, lcu_stream *of);
/* Orders later records on `s` after everything recorded so far. */
lcu_status lcu_capture_join (lcu_capture *c, lcu_stream *s);
/* Joins the streams in the origin, as the driver demands, and ends recording; frees nothing. */
lcu_status lcu_capture_finish (lcu_capture *c, cu_graph *graph);
/* Frees the capture; its streams are ordinary streams from then on. */
void lcu_capture_free (lcu_capture *c);

#endif
