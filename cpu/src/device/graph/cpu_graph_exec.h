/* cpu_graph_exec.h: executable graphs, and all graphs. */
#ifndef CPU_GRAPH_EXEC_H
#define CPU_GRAPH_EXEC_H

#include "cpu_graph.h"

/* The functions below need cpu_graph_lock. */

cpu_body *cpu_body_new (const cpu_graph *g); /* NULL: out of memory */
void cpu_body_free (cpu_body *b);            /* drops one reference */
void cpu_exec_free (cpu_exec *e);
/* The executable graph is the only one that the graph may have, and has no other graph. */
void cpu_exec_make_single (cpu_exec *e, cpu_graph *g);
/* The step that was made from the node, or NULL. */
cpu_step *cpu_exec_step (cpu_exec *e, const cpu_node *n);
/* To be called before the body changes; false when out of memory. */
bool cpu_exec_own (cpu_exec *e);

/* ---- cpu_graph_cond.c, cpu_graph_change.c ---- */

cu_result cpu_node_add_conditional (cu_graph_node *out, cu_graph g, const cu_graph_node *deps,
                                    size_t num_deps, cu_conditional_node *p);
/* A copy of the graph, without conditional nodes. */
cu_result cpu_graph_copy (const char *call, const cpu_graph *g, cpu_graph **out);

/* ---- cpu_graph_memory.c ---- */

cu_result cpu_node_add_alloc (const char *call, cu_graph_node *out, cu_graph g,
                              const cu_graph_node *deps, size_t num_deps, cu_mem_alloc_node *p);
cu_result cpu_node_add_free (const char *call, cu_graph_node *out, cu_graph g,
                             const cu_graph_node *deps, size_t num_deps, cu_deviceptr address);

/* ---- cpu_graphs.c ---- */

/* The module is about to be unloaded: launches of its kernels will fail. Takes the lock. */
void cpu_graphs_forget (const cpu_module *m);
/* Frees all graphs and captures; no lock is needed, as no other thread may use them any more. */
void cpu_graphs_free (void);

#endif
