/* cpu_graph_cond.c: conditional nodes: their conditions, and the graphs in them. */
#include "cpu_condition.h"
#include "cpu_graph_exec.h"


/* ---- conditions ---- */

static cu_result create (cu_graph_condition *h, cu_graph g, unsigned value, unsigned flags) {
  if (!cpu_object_is(CPU_GRAPH, g)) return CU_ERR_INVALID_VALUE;
  const cpu_condition *c = cpu_condition_new(g, value, flags == CU_COND_ASSIGN_DEFAULT);
  if (c == NULL) return CU_ERR_OUT_OF_MEMORY;
  *h = c->handle;
  return 0;
}

cu_result cpu_cuGraphConditionalHandleCreate (cu_graph_condition *h, cu_graph g, cu_context ctx,
                                              unsigned value, unsigned flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (h == NULL || flags > CU_COND_ASSIGN_DEFAULT) return CU_ERR_INVALID_VALUE;
  if (ctx != NULL && !cpu_context_is(ctx)) return CU_ERR_INVALID_CONTEXT;
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(create(h, g, value, flags));
}

/* ---- nodes ---- */

/* The condition of the node, which no other node uses. It belongs to the graph or to one around
 * it. */
static cpu_condition *find_unused (const cpu_graph *g, uint64_t handle) {
  cpu_condition *c = g->conditions;
  while (c != NULL && c->handle != handle) c = c->next_of_graph;
  if (c == NULL && g->parent != NULL) return find_unused(g->parent->graph, handle);
  return c != NULL && !c->used ? c : NULL;
}

static bool size_fits (const cu_conditional_node *p) {
  return p->size >= 1 && (p->type == CU_COND_SWITCH || (p->type == CU_COND_IF && p->size <= 2) ||
                          (p->type == CU_COND_WHILE && p->size == 1));
}

/* Gives the node its bodies, which are empty; false when out of memory. */
static bool add_bodies (cpu_node *n, unsigned size) {
  n->bodies = lcu_calloc(size, sizeof *n->bodies);
  for (; n->bodies != NULL && n->num_bodies < size; n->num_bodies++) {
    cpu_graph *body = n->bodies[n->num_bodies] = cpu_graph_new();
    if (body == NULL) return false;
    body->parent = n;
  }
  return n->bodies != NULL;
}

cu_result cpu_node_add_conditional (cu_graph_node *out, cu_graph g, const cu_graph_node *deps,
                                    size_t num_deps, cu_conditional_node *p) {
  cpu_condition *c = find_unused(g, p->handle);
  if (c == NULL || !size_fits(p) || p->type < CU_COND_IF || p->type > CU_COND_SWITCH)
    return CU_ERR_INVALID_VALUE;
  cpu_node *n = cpu_node_new(g, CU_NODE_CONDITIONAL, NULL, deps, num_deps);
  if (n == NULL) return CU_ERR_OUT_OF_MEMORY;
  if (!add_bodies(n, p->size)) {
    cpu_node_drop(n);
    return CU_ERR_OUT_OF_MEMORY;
  }
  n->condition_type = p->type;
  n->condition = c;
  c->used = true;
  p->bodies = n->bodies;
  *out = n;
  return 0;
}
