/* lcu_condition.h: conditions of a graph: numbers that kernels set while the graph runs, and that
 * decide whether the work of a conditional node runs, how often, or which. All functions are for a
 * stream of a capture. */
#ifndef LCU_CONDITION_H
#define LCU_CONDITION_H

#include "lcu_capture.h"
#include "lcu_dtype.h"

/* Fails where the driver has no conditional nodes of the type, or none with so many bodies; `what`
 * names the caller. */
lcu_status lcu_condition_check (const lcu_device *d, int type, size_t bodies, const char *what);
/* A condition for a node that is recorded next to `s`, with its value when a launch begins. */
lcu_status lcu_condition_create (lcu_stream *s, uint32_t value, cu_graph_condition *out);
/* Was it made beside `s`, and has it no node yet? */
bool lcu_condition_is_free (const lcu_stream *s, cu_graph_condition h);

/* An integer or boolean in memory that `block` owns. */
typedef struct lcu_condition_source {
  lcu_block *block;
  cu_deviceptr address;
  const lcu_dtype *dtype;
} lcu_condition_source;
/* Queues a kernel that sets the condition. For CU_COND_SWITCH the number counts from 1, for other
 * types the condition becomes 0 or 1. */
lcu_status lcu_condition_set (lcu_stream *s, cu_graph_condition h, int type,
                              const lcu_condition_source *from);

/* Adds the node of a condition to `s`, after all work recorded so far; *bodies is borrowed. Its
 * capture ends well only after lcu_condition_complete. */
lcu_status lcu_condition_add (lcu_stream *s, cu_graph_condition h, int type, unsigned size,
                              cu_graph **bodies);
/* Begins to record a body of the node that was added to `s` last. */
lcu_status lcu_condition_body_begin (lcu_stream *s, cu_graph body, lcu_capture **out);
/* Sets the condition again after all work of a body. */
lcu_status lcu_condition_set_last (lcu_capture *c, cu_graph_condition h, int type,
                                   const lcu_condition_source *from);
/* Ends it: the capture of `s` keeps what the body uses. Frees the body's capture, also after a
 * failure. */
lcu_status lcu_condition_body_end (lcu_capture *c, lcu_stream *s);
void lcu_condition_complete (lcu_stream *s);


/* ---- for the files that implement conditions; the device is entered ---- */

/* The driver's graph that the stream is captured into, and the nodes at its end (borrowed). */
lcu_status lcu_condition_place (const lcu_stream *s, cu_graph *g, const cu_graph_node **nodes,
                                size_t *n);
/* It has its node. */
void lcu_condition_forget (lcu_capture *c, cu_graph_condition h);

#endif
