/* cpu_condition.h: the conditions of conditional nodes. */
#ifndef CPU_CONDITION_H
#define CPU_CONDITION_H

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

/* Appends one to the conditions of the graph; NULL: out of memory. */
cpu_condition *cpu_condition_new (cpu_graph *g, uint32_t initial, bool assign);
void cpu_condition_drop (cpu_condition *c); /* drops one reference */
void cpu_conditions_free (cpu_graph *g);

#endif
