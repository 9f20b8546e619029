/* lcu_graph.h: graphs: recorded work that is launched as one operation.
 *
 * A graph has two parts: what was recorded (the driver's graph and what it keeps), and the
 * executable made from it. Each part ends with a block that holds it (a block without memory): a
 * launch uses these blocks like all memory of the graph, so a part is freed when nothing refers to
 * it and no launch runs any more. The executable is used as if written: the driver does not run it
 * twice at a time. */
#ifndef LCU_GRAPH_H
#define LCU_GRAPH_H

#include "lcu_capture.h"
#include "lcu_work.h"

typedef struct lcu_recording lcu_recording;
typedef struct lcu_executable lcu_executable;

typedef struct lcu_graph {
  lcu_object base;
  lcu_device *device;
  lcu_block *executable, *recorded; /* the holders of its parts */
  lcu_executable *x;
  lcu_recording *recording;
  /* what a launch uses: the holders, then the memory */
  lcu_use *uses;
  size_t num_uses;
  uint64_t id; /* in place of a kernel's */
} lcu_graph;

/* Ends the capture and makes a graph of it; frees the capture also after a failure. */
lcu_status lcu_graph_create (lcu_capture *c, lcu_graph **out);
/* Queues a launch: after earlier work on all memory of the graph, before later work on it. */
lcu_status lcu_graph_launch (lcu_graph *g, lcu_stream *s);

/* Puts the work of the capture in the place of the graph's own, in the same executable. Fails with
 * LCU_E_ARGUMENT where it has other nodes, and leaves the graph as it was. Where either has
 * conditional nodes, a new executable takes the place of the old one: the kernels that set
 * conditions name those of their own graph. Frees the capture. */
lcu_status lcu_graph_update (lcu_graph *g, lcu_capture *c);
/* A second graph of the same work and memory; LCU_E_STATE for a graph with conditional nodes. */
lcu_status lcu_graph_clone (lcu_graph *g, lcu_graph **out);
/* The driver's description in the language of Graphviz, written to a file. */
lcu_status lcu_graph_dot (lcu_graph *g, const char *path);

/* A node: its kind (cu_node_type), and what is known of a kernel (NULL for other nodes and kernels
 * of libraries; borrowed). */
typedef struct lcu_graph_node {
  int type;
  const lcu_kept_kernel *kernel;
  int condition; /* of a conditional node: CU_COND_ */
  /* indices from 1: the conditional node that it is in (0: none), and which of its bodies */
  size_t within;
  unsigned body;
} lcu_graph_node;
/* All nodes in the order in which they were recorded; those in a conditional node follow it. The
 * caller frees the list. */
lcu_status lcu_graph_nodes (lcu_graph *g, lcu_graph_node **out, size_t *n);
/* Gives a settable kernel other arguments; `params` as for a launch. */
lcu_status lcu_graph_set (lcu_graph *g, const lcu_kept_kernel *kernel, void **params,
                          const lcu_use *uses, size_t n);


/* ---- for the files that implement graphs ---- */

struct lcu_recording {
  lcu_device *device;
  cu_graph graph;
  lcu_kept kept;
};
/* The executable, and the driver's graph that it was made from, if that is not the recording's any
 * more. The driver finds its nodes by the nodes of that graph. It ends before the recording, whose
 * communicators end after all graphs with their operations: NCCL waits for that. */
struct lcu_executable {
  lcu_device *device;
  lcu_block *recorded; /* holder of the recording */
  cu_graph_exec exec;
  cu_graph origin;
  cu_graph_node *nodes; /* of its kernels */
  size_t num_nodes;
};

lcu_graph *lcu_graph_new (lcu_device *d);
/* Makes the holder of a recording, which it frees after a failure. */
lcu_status lcu_graph_hold (lcu_recording *r, lcu_block **out);
/* Ends the capture. */
lcu_status lcu_graph_record (lcu_device *d, lcu_capture *c, lcu_recording **out,
                             lcu_block **holder);
lcu_status lcu_graph_instantiate (lcu_graph *g);
lcu_status lcu_graph_list_uses (lcu_graph *g);

#endif
