/* lcu_graph_nodes.c: what a graph consists of. */
#include "lcu_device_failure.h"
#include "lcu_graph.h"
#include "lcu_scope.h"

lcu_status lcu_graph_dot (lcu_graph *g, const char *path) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter_probe(g->device, &scope));
  lcu_status st = lcu_device_status(
    g->device, LCU_CALL(g->device->drv, cuGraphDebugDotPrint, (g->recording->graph, path, 0)));
  lcu_device_leave(&scope);
  return st;
}


/* ---- the list of nodes ---- */

/* The list so far; `from`: where the search for the next kernel begins. */
typedef struct node_list {
  const lcu_driver *drv;
  const lcu_kept *kept;
  lcu_graph_node *nodes;
  size_t n, room, from;
} node_list;

/* Kernels were recorded in the order of the driver's list, or nearly: the search begins after the
 * last one found. */
static const lcu_kept_kernel *find_kernel (node_list *l, cu_graph_node node) {
  const lcu_kept *k = l->kept;
  for (size_t i = 0; i < k->num_kernels; i++) {
    size_t at = (l->from + i) % k->num_kernels;
    if (k->kernels[at].node != node) continue;
    l->from = at + 1;
    return &k->kernels[at];
  }
  return NULL;
}

static const lcu_kept_condition *find_kept_condition (const lcu_kept *k, cu_graph_node node) {
  for (size_t i = 0; i < k->num_conditions; i++)
    if (k->conditions[i].node == node) return &k->conditions[i];
  return NULL;
}

static lcu_status add_graph (node_list *l, cu_graph g, size_t within, unsigned body);

static lcu_status add_node (node_list *l, cu_graph_node node, size_t within, unsigned body) {
  lcu_graph_node out = { .within = within, .body = body };
  const lcu_kept_condition *c = find_kept_condition(l->kept, node);
  LCU_TRY(lcu_kept_room((void **)(void *)&l->nodes, &l->room, l->n, sizeof *l->nodes,
                        "the nodes of a graph"));
  LCU_TRY(LCU_CALL(l->drv, cuGraphNodeGetType, (node, &out.type)));
  out.kernel = find_kernel(l, node);
  if (c != NULL) out.condition = c->type;
  l->nodes[l->n++] = out;
  size_t index = l->n;
  for (unsigned i = 0; c != NULL && i < c->num_bodies; i++)
    LCU_TRY(add_graph(l, c->bodies[i], index, i + 1));
  return LCU_OK;
}

static lcu_status get_nodes (const lcu_driver *drv, cu_graph g, cu_graph_node **out, size_t *n) {
  LCU_TRY(LCU_CALL(drv, cuGraphGetNodes, (g, NULL, n)));
  if (*n == 0) return LCU_OK;
  *out = lcu_calloc(*n, sizeof **out);
  if (*out == NULL) return lcu_no_memory("the nodes of a graph");
  return LCU_CALL(drv, cuGraphGetNodes, (g, *out, n));
}

static lcu_status add_graph (node_list *l, cu_graph g, size_t within, unsigned body) {
  cu_graph_node *nodes = NULL;
  size_t n = 0;
  lcu_status st = get_nodes(l->drv, g, &nodes, &n);
  for (size_t i = 0; st == LCU_OK && i < n; i++) st = add_node(l, nodes[i], within, body);
  lcu_free(nodes);
  return st;
}

lcu_status lcu_graph_nodes (lcu_graph *g, lcu_graph_node **out, size_t *n) {
  node_list l = { .drv = g->device->drv, .kept = &g->recording->kept };
  lcu_scope scope;
  *out = NULL;
  *n = 0;
  LCU_TRY(lcu_device_enter_probe(g->device, &scope));
  lcu_status st = lcu_device_status(g->device, add_graph(&l, g->recording->graph, 0, 0));
  lcu_device_leave(&scope);
  if (st != LCU_OK) {
    lcu_free(l.nodes);
    return st;
  }
  *out = l.nodes;
  *n = l.n;
  return LCU_OK;
}
