/* cpu_graph_cond.h: the conditions of conditional nodes. */
#ifndef CPU_GRAPH_COND_H
#define CPU_GRAPH_COND_H

#include "cpu_graph.h"

struct cpu_condition {
  uint64_t handle;
  uint32_t initial; /* its value when a launch begins, if `assign` */
  bool assign, used;
  _Atomic uint32_t value;
  int refs; /* the graph, and steps made from the node */
  cpu_condition *next, *next_of_graph;
};

/* What cudaGraphSetConditional does; false when no graph has such a condition. Takes the lock. */
bool cpu_condition_set (uint64_t handle, uint32_t value);

/* The functions below need the lock. */

void cpu_condition_drop (cpu_condition *c); /* drops one reference */
/* Has each condition of the graph its node? */
cu_result cpu_conditions_check (const cpu_graph *g);
void cpu_conditions_free (cpu_graph *g);

#endif
