/* cpu_graph_entry.c: entry points that make and describe graphs and their nodes. */
#include <string.h>

#include "cpu_graph.h"

cu_result cpu_cuGraphCreate (cu_graph *g, unsigned flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (g == NULL || flags != 0) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_graph_lock);
  *g = cpu_graph_new();
  return cpu_graph_leave(*g != NULL ? 0 : CU_ERR_OUT_OF_MEMORY);
}

cu_result cpu_cuGraphDestroy (cu_graph g) {
  cu_result r = cpu_graph_enter(CPU_GRAPH, g);
  if (r != 0) return r;
  /* A body belongs to its node. */
  if (g->parent != NULL || cpu_graph_busy(g)) return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  cpu_graph_free(g);
  r = cpu_graph_leave(0);
  cpu_user_objects_end();
  return r;
}

/* Gives the first *n of `count` handles and NULL for the rest; *n becomes the number given. Without
 * a place for them, only counts. */
static void give_nodes (cu_graph_node *out, size_t *n, cpu_node *const *from, size_t count) {
  if (out == NULL) {
    *n = count;
    return;
  }
  for (size_t i = 0; i < *n; i++) out[i] = i < count ? from[i] : NULL;
  if (count < *n) *n = count;
}

cu_result cpu_cuGraphGetNodes (cu_graph g, cu_graph_node *nodes, size_t *n) {
  cu_result r = cpu_graph_enter(CPU_GRAPH, g);
  if (r != 0) return r;
  if (n == NULL) return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  give_nodes(nodes, n, g->nodes, g->count);
  return cpu_graph_leave(0);
}

/* No edge has data other than 0. */
cu_result cpu_cuGraphNodeGetDependencies (cu_graph_node node, cu_graph_node *deps,
                                          cu_edge_data *data, size_t *n) {
  cu_result r = cpu_graph_enter(CPU_NODE, node);
  if (r != 0) return r;
  if (n == NULL) return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  give_nodes(deps, n, node->deps, node->num_deps);
  if (deps != NULL && data != NULL) memset(data, 0, *n * sizeof *data);
  return cpu_graph_leave(0);
}

cu_result cpu_cuGraphGetEdges (cu_graph g, cu_graph_node *from, cu_graph_node *to,
                               cu_edge_data *data, size_t *n) {
  size_t count = 0;
  cu_result r = cpu_graph_enter(CPU_GRAPH, g);
  if (r != 0) return r;
  if (n == NULL || (from == NULL) != (to == NULL)) return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  for (size_t i = 0; i < g->count; i++) {
    for (size_t j = 0; j < g->nodes[i]->num_deps; j++, count++) {
      if (from == NULL || count >= *n) continue;
      from[count] = g->nodes[i]->deps[j];
      to[count] = g->nodes[i];
    }
  }
  if (from == NULL || count < *n) *n = count;
  if (from != NULL && data != NULL) memset(data, 0, *n * sizeof *data);
  return cpu_graph_leave(0);
}

cu_result cpu_cuGraphNodeGetType (cu_graph_node node, int *type) {
  cu_result r = cpu_graph_enter(CPU_NODE, node);
  if (r != 0) return r;
  if (type == NULL) return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  *type = (int)node->type;
  return cpu_graph_leave(0);
}
