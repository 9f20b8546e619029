/* cpu_memory_node.c: nodes that allocate memory and free it. */
#include "cpu_memory_node.h"

#include "cpu_words.h"

static bool has_node (const cpu_graph *g, cu_node_type type, const cpu_block *b) {
  for (size_t i = 0; i < g->count; i++)
    if (g->nodes[i]->type == type && g->nodes[i]->memory == b) return true;
  return false;
}

void cpu_node_give_memory (cpu_node *n, cpu_block *b) {
  n->memory = b;
  if (n->type == CU_NODE_MEM_FREE)
    b->plan->end = has_node(n->graph, CU_NODE_MEM_ALLOC, b) ? CPU_END_IN_GRAPH : CPU_END_ELSEWHERE;
}

/* Why no node of the graph can free it; NULL: one can. */
static const char *why_not (const cpu_graph *g, const cpu_block *b) {
  bool own = has_node(g, CU_NODE_MEM_ALLOC, b);
  if (has_node(g, CU_NODE_MEM_FREE, b)) return "a node of the graph frees the memory already";
  if (own && b->plan->end == CPU_END_ELSEWHERE) return "a node of another graph frees the memory";
  if (!own && b->plan->end == CPU_END_IN_GRAPH)
    return "the graph that allocates the memory also frees it";
  return NULL;
}

cu_result cpu_node_check_free (const char *call, const cpu_graph *g, uint64_t address,
                               cpu_block **out) {
  cpu_block *b = cpu_plan_find(address);
  if (b == NULL)
    return cpu_fail_invalid(call, "a node can only free what a node of a graph allocates");
  const char *why = why_not(g, b);
  if (why == NULL) {
    *out = b;
    return 0;
  }
  cpu_plan_drop(b);
  return cpu_fail_invalid(call, why);
}
