/* cpu_graph_edges.c: entry points for the edges between nodes, and for taking nodes out. */
#include <string.h>

#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_graph.h"
#include "cpu_words.h"

static bool depends_on (const cpu_node *n, const cpu_node *dep) {
  for (size_t i = 0; i < n->num_deps; i++)
    if (n->deps[i] == dep) return true;
  return false;
}


/* ---- which nodes ---- */

/* Gives the nodes that depend on `dep`, or on none if it is NULL; the rest as cuGraphGetNodes. */
static cu_result give_edge (const cpu_graph *g, const cpu_node *dep, cu_graph_node *out,
                            size_t *n) {
  size_t count = 0;
  if (n == NULL) return CU_ERR_INVALID_VALUE;
  for (size_t i = 0; i < g->count; i++) {
    cpu_node *node = g->nodes[i];
    if (dep != NULL ? !depends_on(node, dep) : node->num_deps > 0) continue;
    if (out != NULL && count < *n) out[count] = node;
    count++;
  }
  for (size_t i = count; out != NULL && i < *n; i++) out[i] = NULL;
  if (out == NULL || count < *n) *n = count;
  return 0;
}

cu_result cpu_cuGraphGetRootNodes (cu_graph g, cu_graph_node *nodes, size_t *n) {
  cu_result r = cpu_graph_enter(CPU_GRAPH, g);
  return r != 0 ? r : cpu_graph_leave(give_edge(g, NULL, nodes, n));
}

cu_result cpu_cuGraphNodeGetDependentNodes (cu_graph_node node, cu_graph_node *nodes,
                                            cu_edge_data *data, size_t *n) {
  cu_result r = cpu_graph_enter(CPU_NODE, node);
  if (r != 0) return r;
  r = give_edge(node->graph, node, nodes, n);
  if (r == 0 && nodes != NULL && data != NULL) memset(data, 0, *n * sizeof *data);
  return cpu_graph_leave(r);
}


/* ---- edges ---- */

static bool deps_placed (const cpu_node *n, const bool *placed) {
  for (size_t i = 0; i < n->num_deps; i++)
    if (!placed[n->deps[i]->index]) return false;
  return true;
}

/* Lists the nodes so that each comes after those that it depends on, else as they were. Returns the
 * number of those listed: fewer than all if there is a circle. */
static size_t list_in_order (const cpu_graph *g, cpu_node **list, bool *placed) {
  size_t count = 0, before;
  do {
    before = count;
    for (size_t i = 0; i < g->count; i++) {
      if (placed[i] || !deps_placed(g->nodes[i], placed)) continue;
      placed[i] = true;
      list[count++] = g->nodes[i];
    }
  } while (count > before && count < g->count);
  return count;
}

static void set_order (cpu_graph *g, cpu_node *const *list) {
  memcpy(g->nodes, list, g->count * sizeof *list);
  for (size_t i = 0; i < g->count; i++) g->nodes[i]->index = i;
}

static cu_result put_in_order (cpu_graph *g) {
  cpu_node **list = lcu_calloc(g->count + 1, sizeof *list);
  bool *placed = lcu_calloc(g->count + 1, sizeof *placed);
  cu_result r = list != NULL && placed != NULL ? 0 : CU_ERR_OUT_OF_MEMORY;
  if (r == 0 && list_in_order(g, list, placed) < g->count) r = CU_ERR_INVALID_VALUE;
  if (r == 0) set_order(g, list);
  lcu_free(list);
  lcu_free(placed);
  return r;
}

static cu_result link (cpu_node *from, cpu_node *to) {
  if (from == to || depends_on(to, from)) return CU_ERR_INVALID_VALUE;
  cpu_node **deps = lcu_realloc(to->deps, (to->num_deps + 1) * sizeof *deps);
  if (deps == NULL) return CU_ERR_OUT_OF_MEMORY;
  to->deps = deps;
  deps[to->num_deps++] = from;
  return 0;
}

static void unlink_all (const cu_graph_node *from, const cu_graph_node *to, size_t n) {
  for (size_t i = 0; i < n; i++) cpu_node_unlink(to[i], from[i]);
}

/* All edges are added, or none. */
static cu_result link_all (cpu_graph *g, const cu_graph_node *from, const cu_graph_node *to,
                           size_t n) {
  size_t done = 0;
  cu_result r = 0;
  bool ordered = true;
  for (; r == 0 && done < n; done += r == 0) {
    r = link(from[done], to[done]);
    ordered = ordered && from[done]->index < to[done]->index;
  }
  if (r == 0 && !ordered) r = put_in_order(g);
  if (r != 0) unlink_all(from, to, done);
  return r;
}

static cu_result enter_edges (cu_graph g, const cu_graph_node *from, const cu_graph_node *to,
                              const cu_edge_data *data, size_t n) {
  static const cu_edge_data plain;
  cu_result r = cpu_graph_enter(CPU_GRAPH, g);
  if (r != 0) return r;
  for (size_t i = 0; data != NULL && i < n; i++)
    if (memcmp(&data[i], &plain, sizeof plain) != 0) return cpu_graph_leave(CU_ERR_NOT_SUPPORTED);
  return cpu_graph_has(g, from, n) && cpu_graph_has(g, to, n)
           ? 0
           : cpu_graph_leave(CU_ERR_INVALID_VALUE);
}

cu_result cpu_cuGraphAddDependencies (cu_graph g, const cu_graph_node *from,
                                      const cu_graph_node *to, const cu_edge_data *data, size_t n) {
  cu_result r = enter_edges(g, from, to, data, n);
  return r != 0 ? r : cpu_graph_leave(link_all(g, from, to, n));
}

/* Nodes and edges of a graph with memory stay: they tell when the memory may be used. */
static cu_result check_removal (const char *call, const cpu_graph *g) {
  if (!cpu_graph_allocates(cpu_graph_root(g))) return 0;
  return cpu_fail(call, CU_ERR_NOT_SUPPORTED,
                  "a graph with nodes that allocate or free keeps its nodes and edges");
}

cu_result cpu_cuGraphRemoveDependencies (cu_graph g, const cu_graph_node *from,
                                         const cu_graph_node *to, const cu_edge_data *data,
                                         size_t n) {
  cu_result r = enter_edges(g, from, to, data, n);
  if (r != 0) return r;
  for (size_t i = 0; i < n; i++)
    if (!depends_on(to[i], from[i])) return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  r = check_removal("cuGraphRemoveDependencies", g);
  if (r == 0) unlink_all(from, to, n);
  return cpu_graph_leave(r);
}

/* A capture may name its nodes. */
cu_result cpu_cuGraphDestroyNode (cu_graph_node node) {
  cu_result r = cpu_graph_enter(CPU_NODE, node);
  if (r != 0) return r;
  if (cpu_graph_busy(cpu_graph_root(node->graph))) return cpu_graph_leave(CU_ERR_ILLEGAL_STATE);
  r = check_removal("cuGraphDestroyNode", node->graph);
  if (r != 0) return cpu_graph_leave(r);
  cpu_node_drop(node);
  r = cpu_graph_leave(0);
  cpu_user_objects_end();
  return r;
}
