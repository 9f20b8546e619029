/* cpu_graph_change.c: entry points that clone graphs and update executable graphs. */
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_graph_exec.h"
#include "cpu_words.h"


/* ---- clones ---- */

/* Gives a node that is a graph its graph. */
static cu_result copy_body (const char *call, cpu_node *to, const cpu_node *from) {
  if (from->num_bodies == 0) return 0;
  to->bodies = lcu_calloc(1, sizeof *to->bodies);
  if (to->bodies == NULL) return CU_ERR_OUT_OF_MEMORY;
  cu_result r = cpu_graph_copy(call, from->bodies[0], &to->bodies[0]);
  if (r != 0) return r;
  to->bodies[0]->parent = to;
  to->num_bodies = 1;
  return 0;
}

/* Appends a copy of the node to a graph that has copies of all nodes before it. */
static cu_result clone_node (const char *call, cpu_graph *to, const cpu_node *from) {
  if (from->type == CU_NODE_CONDITIONAL)
    return cpu_fail(call, CU_ERR_NOT_SUPPORTED, "a graph with conditional nodes cannot be cloned");
  if (from->memory != NULL)
    return cpu_fail(call, CU_ERR_NOT_SUPPORTED,
                    "a graph with nodes that allocate or free cannot be cloned");
  cpu_op *op = from->op != NULL ? cpu_op_copy(from->op) : NULL;
  if (from->op != NULL && op == NULL) return CU_ERR_OUT_OF_MEMORY;
  cpu_node *n = cpu_node_new(to, from->type, op, from->deps, from->num_deps);
  if (n == NULL) return CU_ERR_OUT_OF_MEMORY;
  for (size_t i = 0; i < n->num_deps; i++) n->deps[i] = to->nodes[n->deps[i]->index];
  n->copy = from->copy;
  n->original = from->id;
  return copy_body(call, n, from);
}

cu_result cpu_graph_copy (const char *call, const cpu_graph *g, cpu_graph **out) {
  cpu_graph *to = cpu_graph_new();
  bool ok = to != NULL && cpu_holdings_copy(g->holdings, &to->holdings);
  cu_result r = ok ? 0 : CU_ERR_OUT_OF_MEMORY;
  for (size_t i = 0; r == 0 && i < g->count; i++) r = clone_node(call, to, g->nodes[i]);
  if (r == 0) *out = to;
  else if (to != NULL) cpu_graph_free(to);
  return r;
}

static cu_result clone_graph (cu_graph *out, cu_graph g) {
  if (out == NULL || !cpu_object_is(CPU_GRAPH, g)) return CU_ERR_INVALID_VALUE;
  return cpu_graph_copy("cuGraphClone", g, out);
}

cu_result cpu_cuGraphClone (cu_graph *out, cu_graph g) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(clone_graph(out, g));
}

static cu_result find_in_clone (cu_graph_node *n, cu_graph_node original, cu_graph g) {
  if (n == NULL || !cpu_object_is(CPU_NODE, original) || !cpu_object_is(CPU_GRAPH, g))
    return CU_ERR_INVALID_VALUE;
  for (size_t i = 0; i < g->count; i++) {
    if (g->nodes[i]->original != original->id) continue;
    *n = g->nodes[i];
    return 0;
  }
  return CU_ERR_INVALID_VALUE;
}

cu_result cpu_cuGraphNodeFindInClone (cu_graph_node *n, cu_graph_node original, cu_graph g) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(find_in_clone(n, original, g));
}


/* ---- updates ---- */

static cu_result differs (cu_update_info *info, cu_update_result why, cpu_node *n, cpu_node *from) {
  *info = (cu_update_info){ (int)why, n, from };
  return CU_ERR_GRAPH_EXEC_UPDATE_FAILURE;
}

static bool depends (const cpu_step *s, size_t index) {
  for (size_t i = 0; i < s->num_deps; i++)
    if (s->deps[i] == index) return true;
  return false;
}

static cu_result compare (const cpu_body *b, const cpu_graph *g, cu_update_info *info);

static cu_result compare_bodies (const cpu_step *s, cpu_node *n, cu_update_info *info) {
  cu_result r = 0;
  if (s->condition_type != n->condition_type || s->num_bodies != n->num_bodies)
    return differs(info, CU_UPDATE_PARAMETERS_CHANGED, n, NULL);
  for (unsigned i = 0; r == 0 && i < s->num_bodies; i++)
    r = compare(s->bodies[i], n->bodies[i], info);
  return r;
}

/* Could the node have become this step? */
static cu_result compare_node (const cpu_step *s, cpu_node *n, cu_update_info *info) {
  if (s->type != n->type) return differs(info, CU_UPDATE_NODE_TYPE_CHANGED, n, NULL);
  for (size_t i = 0; i < n->num_deps; i++)
    if (!depends(s, n->deps[i]->index))
      return differs(info, CU_UPDATE_TOPOLOGY_CHANGED, n, n->deps[i]);
  if (s->num_deps != n->num_deps) return differs(info, CU_UPDATE_TOPOLOGY_CHANGED, n, NULL);
  return compare_bodies(s, n, info);
}

/* Nodes are compared in the order in which they were made. */
static cu_result compare (const cpu_body *b, const cpu_graph *g, cu_update_info *info) {
  cu_result r = 0;
  for (size_t i = 0; r == 0 && i < b->count && i < g->count; i++)
    r = compare_node(&b->steps[i], g->nodes[i], info);
  if (r != 0 || g->count == b->count) return r;
  return differs(info, CU_UPDATE_TOPOLOGY_CHANGED, g->count > b->count ? g->nodes[b->count] : NULL,
                 NULL);
}

/* The steps still belong to the nodes that they were first made from. */
static void keep_nodes (cpu_body *to, const cpu_body *from) {
  for (size_t i = 0; i < to->count; i++) {
    cpu_step *s = &to->steps[i];
    s->node = from->steps[i].node;
    s->enabled = from->steps[i].enabled;
    for (unsigned k = 0; k < s->num_bodies; k++) keep_nodes(s->bodies[k], from->steps[i].bodies[k]);
  }
}

static cu_result update_exec (cpu_exec *e, cpu_graph *g, cu_update_info *info) {
  *info = (cu_update_info){ .result = CU_UPDATE_SUCCESS };
  bool allocates = cpu_graph_allocates(g);
  if (allocates && g->instance != NULL && g->instance != e)
    return differs(info, CU_UPDATE_NOT_SUPPORTED, NULL, NULL);
  cu_result r = compare(e->body, g, info);
  if (r != 0) return r;
  cpu_body *b = cpu_body_new(g);
  if (b == NULL) return CU_ERR_OUT_OF_MEMORY;
  keep_nodes(b, e->body);
  cpu_body_free(e->body);
  e->body = b;
  if (allocates) cpu_exec_make_single(e, g);
  return 0;
}

cu_result cpu_cuGraphExecUpdate (cu_graph_exec e, cu_graph g, cu_update_info *info) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (info == NULL) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_graph_lock);
  if (!cpu_object_is(CPU_EXEC, e) || !cpu_object_is(CPU_GRAPH, g) || cpu_graph_busy(g))
    return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  r = cpu_graph_leave(update_exec(e, g, info));
  cpu_user_objects_end();
  return r;
}
