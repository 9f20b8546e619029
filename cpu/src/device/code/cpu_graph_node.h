/* cpu_graph_node.h: what nodes do, as programs describe it. */
#ifndef CPU_GRAPH_NODE_H
#define CPU_GRAPH_NODE_H

#include "cpu_graph.h"

/* Makes the operation of a node. What `p` points to depends on the type: cu_kernel_node, cu_copy3d,
 * cu_memset_node, cu_host_node, or the event of a wait or a record; an empty node has nothing.
 * `old`: the operation that it replaces, or NULL. Needs the lock. */
cu_result cpu_node_describe (const char *call, int type, const void *p, const cpu_op *old,
                             cpu_op **op);
/* The same place in parameters for nodes of any type. */
const void *cpu_node_place (const cu_node_params *p);

#endif
