/* cpu_graph.h: graphs: operations that are recorded instead of queued, and repeated together.
 *
 * A node holds an operation that was never queued, and the nodes it depends on. The nodes of a
 * graph are listed in the order of their creation, unless an edge that was added later asks for
 * another one: each comes after those that it depends on, so the list is a valid order of
 * execution. An executable graph has copies of the operations. A launch queues one operation,
 * which runs them all in that order (cpu_graph_launch.c).
 *
 * Graphs, nodes and executable graphs stay allocated until the context ends, and are used again for
 * new ones, so that a handle of an object that is gone is recognized by its magic number. */
#ifndef CPU_GRAPH_H
#define CPU_GRAPH_H

#include <pthread.h>

#include "cpu_queue.h"
#include "cpu_user_object.h"

typedef struct cu_graph_ cpu_graph;
typedef struct cu_graph_node_ cpu_node;
typedef struct cu_graph_exec_ cpu_exec;
typedef struct cpu_condition cpu_condition; /* cpu_condition.h */
typedef struct cpu_body cpu_body;

/* What the three kinds of object begin with (cpu_object.c). */
typedef struct cpu_object {
  uint32_t magic;
  struct cpu_object *next_free, *next_all;
} cpu_object;
typedef enum cpu_object_kind { CPU_GRAPH, CPU_NODE, CPU_EXEC, CPU_OBJECT_KINDS } cpu_object_kind;

struct cu_graph_node_ {
  cpu_object object;
  cu_node_type type;
  uint64_t id, original; /* numbers of this node and of the one that it was cloned from, or 0 */
  size_t index;          /* in its graph */
  cpu_graph *graph;
  cpu_op *op;     /* NULL: an empty node */
  cu_copy3d copy; /* the copy that `op` carries out */
  void **params;  /* addresses of the parameters of a kernel, once they were asked for */
  cpu_node **deps;
  size_t num_deps;
  struct cpu_block *memory; /* of a node that allocates or frees (cpu_plan.h) */
  cpu_condition *condition; /* of a conditional node */
  int condition_type;
  unsigned num_bodies; /* of a conditional node; 1: also of one that is a graph */
  cpu_graph **bodies;
};

struct cu_graph_ {
  cpu_object object;
  cpu_node **nodes;
  size_t count, room;
  int captures;              /* captures that record into it */
  cpu_node *parent;          /* the node that it is a body of, or NULL */
  cpu_condition *conditions; /* created for it */
  cpu_exec *instance;        /* if there may be only one */
  cpu_holding *holdings;
};

/* One operation of an executable graph. */
typedef struct cpu_step {
  cu_node_type type;
  bool enabled;
  uint64_t node; /* number of the node that it was made from */
  cpu_op *op;
  size_t *deps; /* indices of the steps it depends on */
  size_t num_deps;
  struct cpu_block *memory; /* of a node that allocates or frees */
  cpu_condition *condition; /* of a conditional node, whose bodies are run as it says; else NULL */
  int condition_type;
  unsigned num_bodies;
  cpu_body **bodies;
} cpu_step;

/* The operations of an executable graph. A queued launch holds a reference to it, so that a change
 * of the executable graph only concerns later launches. */
struct cpu_body {
  int refs;
  size_t count;
  bool host; /* calls host functions */
  cpu_holding *holdings;
  cpu_step steps[];
};

struct cu_graph_exec_ {
  cpu_object object;
  cpu_body *body;
  cpu_graph *source;  /* whose only instance this is, or NULL */
  cpu_stream *stream; /* of the latest launch; NULL: never launched */
  uint64_t seq;       /* of the latest launch */
  uint64_t flags;     /* that it was made with */
};

/* Guards all of this and the captures. It is held while operations are queued, but not while they
 * are waited for. */
extern pthread_mutex_t cpu_graph_lock;
/* cpu_enter_device, then the lock, which is held afterwards if the result is 0. */
cu_result cpu_graph_enter (cpu_object_kind kind, const void *handle);
/* Releases the lock and returns r. */
static inline cu_result cpu_graph_leave (cu_result r) {
  pthread_mutex_unlock(&cpu_graph_lock);
  return r;
}

/* The functions below need the lock. */

/* A zeroed object, or NULL. */
void *cpu_object_new (cpu_object_kind kind);
void cpu_object_retire (cpu_object_kind kind, void *object);
/* Is it a handle of that kind? */
bool cpu_object_is (cpu_object_kind kind, const void *handle);

cpu_graph *cpu_graph_new (void);
void cpu_graph_free (cpu_graph *g);
/* Adds a node after `deps`. The node owns `op` from now on, also when NULL is returned. */
cpu_node *cpu_node_new (cpu_graph *g, cu_node_type type, cpu_op *op, cpu_node *const *deps,
                        size_t num_deps);
/* Frees the node; those that depend on it no longer do. */
void cpu_node_drop (cpu_node *n);
/* The node no longer depends on `dep`. */
void cpu_node_unlink (cpu_node *n, const cpu_node *dep);
/* Are all of them nodes of the graph? */
bool cpu_graph_has (const cpu_graph *g, cpu_node *const *nodes, size_t n);
/* Does a capture record into the graph or into a graph in it? */
bool cpu_graph_busy (const cpu_graph *g);
/* Has the graph, or a graph in it, a node that allocates or frees? */
bool cpu_graph_allocates (const cpu_graph *g);
/* The graph that it is in, over all levels. */
const cpu_graph *cpu_graph_root (const cpu_graph *g);
/* A copy of an operation that was not queued; NULL: out of memory. */
cpu_op *cpu_op_copy (const cpu_op *op);

/* Calls `f` for each object of a kind that is in use. */
void cpu_objects_each (cpu_object_kind kind, void (*f)(void *object, const void *ud),
                       const void *ud);
/* Frees the memory of all of them. No other thread may use one any more. */
void cpu_objects_free (cpu_object_kind kind);

#endif
