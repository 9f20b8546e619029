/* cpu_memory_node.h: nodes that allocate memory and free it. The functions need cpu_graph_lock. */
#ifndef CPU_MEMORY_NODE_H
#define CPU_MEMORY_NODE_H

#include "cpu_graph.h"
#include "cpu_plan.h"

/* Gives a new node its memory, and with it a reference to the memory. */
void cpu_node_give_memory (cpu_node *n, cpu_block *b);
/* The memory at the address, which a node of the graph may free, with one more reference. */
cu_result cpu_node_check_free (const char *call, const cpu_graph *g, uint64_t address,
                               cpu_block **out);

/* ---- cpu_capture.c; these take the lock ---- */

/* Records that the next node of a stream allocates the memory, whose reference it takes if the
 * result is 0. */
cu_result cpu_capture_alloc (cpu_stream *s, cpu_block *b);
/* Records that it frees the memory. If no node can, the capture goes on. */
cu_result cpu_capture_free (const char *call, cpu_stream *s, uint64_t address);

#endif
