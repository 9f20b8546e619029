/* cpu_graph.c: entry points that make and describe graphs and their nodes. */
#include "cpu_graph.h"

#include <string.h>

#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_graph_cond.h"
#include "cpu_launch.h"
#include "cpu_routine.h"

static uint64_t last_id;


/* ---- graphs and nodes ---- */

cpu_graph *cpu_graph_new (void) { return cpu_object_new(CPU_GRAPH); }

static void node_free (cpu_node *n) {
  for (unsigned i = 0; i < n->num_bodies; i++) cpu_graph_free(n->bodies[i]);
  lcu_free(n->bodies);
  if (n->op != NULL) cpu_op_discard(n->op);
  lcu_free(n->params);
  lcu_free(n->deps);
  cpu_object_retire(CPU_NODE, n);
}

void cpu_graph_free (cpu_graph *g) {
  for (size_t i = 0; i < g->count; i++) node_free(g->nodes[i]);
  lcu_free(g->nodes);
  cpu_conditions_free(g);
  if (g->instance != NULL) g->instance->source = NULL;
  cpu_object_retire(CPU_GRAPH, g);
}

void cpu_node_drop_last (cpu_graph *g) { node_free(g->nodes[--g->count]); }

bool cpu_graph_has (const cpu_graph *g, cpu_node *const *nodes, size_t n) {
  if (n > 0 && nodes == NULL) return false;
  for (size_t i = 0; i < n; i++)
    if (!cpu_object_is(CPU_NODE, nodes[i]) || nodes[i]->graph != g) return false;
  return true;
}

bool cpu_graph_busy (const cpu_graph *g) {
  bool busy = g->captures > 0;
  for (size_t i = 0; !busy && i < g->count; i++)
    for (unsigned k = 0; !busy && k < g->nodes[i]->num_bodies; k++)
      busy = cpu_graph_busy(g->nodes[i]->bodies[k]);
  return busy;
}

const cpu_graph *cpu_graph_root (const cpu_graph *g) {
  while (g->parent != NULL) g = g->parent->graph;
  return g;
}

static bool make_room (cpu_graph *g) {
  if (g->count < g->room) return true;
  size_t room = 2 * g->room + 16;
  cpu_node **nodes = lcu_realloc(g->nodes, room * sizeof *nodes);
  if (nodes == NULL) return false;
  g->nodes = nodes;
  g->room = room;
  return true;
}

static cpu_node *refuse_node (cpu_node *n, cpu_op *op) {
  if (op != NULL) cpu_op_discard(op);
  if (n != NULL) cpu_object_retire(CPU_NODE, n);
  return NULL;
}

cpu_node *cpu_node_new (cpu_graph *g, cu_node_type type, cpu_op *op, cpu_node *const *deps,
                        size_t num_deps) {
  cpu_node *n = cpu_object_new(CPU_NODE);
  if (n == NULL || !make_room(g)) return refuse_node(n, op);
  n->deps = lcu_calloc(num_deps + 1, sizeof *n->deps);
  if (n->deps == NULL) return refuse_node(n, op);
  if (num_deps > 0) memcpy(n->deps, deps, num_deps * sizeof *deps);
  n->num_deps = num_deps;
  n->type = type;
  n->id = ++last_id;
  n->op = op;
  n->graph = g;
  n->index = g->count;
  g->nodes[g->count++] = n;
  return n;
}

cpu_op *cpu_op_copy (const cpu_op *from) {
  cpu_op *to = cpu_op_new(from->kind, from->run);
  if (to == NULL) return NULL;
  if (from->kind == CPU_OP_KERNEL) return cpu_launch_copy(to, from);
  if (from->kind == CPU_OP_ROUTINE) return cpu_routine_copy(to, from);
  memcpy(to->used, from->used, sizeof to->used);
  memcpy(&to->box, &from->box, sizeof *to - offsetof(cpu_op, box));
  return to;
}


/* ---- entry points ---- */

/* cpu_enter, then the lock, which is held afterwards if the result is 0. */
static cu_result enter (cpu_object_kind kind, const void *handle) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  if (cpu_object_is(kind, handle)) return 0;
  pthread_mutex_unlock(&cpu_graph_lock);
  return CU_ERR_INVALID_VALUE;
}

static cu_result leave (cu_result r) {
  pthread_mutex_unlock(&cpu_graph_lock);
  return r;
}

cu_result cpu_cuGraphCreate (cu_graph *g, unsigned flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (g == NULL || flags != 0) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_graph_lock);
  *g = cpu_graph_new();
  return leave(*g != NULL ? 0 : CU_ERR_OUT_OF_MEMORY);
}

cu_result cpu_cuGraphDestroy (cu_graph g) {
  cu_result r = enter(CPU_GRAPH, g);
  if (r != 0) return r;
  /* A body belongs to its node. */
  if (g->parent != NULL || cpu_graph_busy(g)) return leave(CU_ERR_INVALID_VALUE);
  cpu_graph_free(g);
  return leave(0);
}

/* Gives the first *n of `count` handles and NULL for the rest; *n becomes the number given. Without
 * a place for them, only counts. */
static void give (cu_graph_node *out, size_t *n, cpu_node *const *from, size_t count) {
  if (out == NULL) {
    *n = count;
    return;
  }
  for (size_t i = 0; i < *n; i++) out[i] = i < count ? from[i] : NULL;
  if (count < *n) *n = count;
}

cu_result cpu_cuGraphGetNodes (cu_graph g, cu_graph_node *nodes, size_t *n) {
  cu_result r = enter(CPU_GRAPH, g);
  if (r != 0) return r;
  if (n == NULL) return leave(CU_ERR_INVALID_VALUE);
  give(nodes, n, g->nodes, g->count);
  return leave(0);
}

/* No edge has data other than 0. */
cu_result cpu_cuGraphNodeGetDependencies (cu_graph_node node, cu_graph_node *deps,
                                          cu_edge_data *data, size_t *n) {
  cu_result r = enter(CPU_NODE, node);
  if (r != 0) return r;
  if (n == NULL) return leave(CU_ERR_INVALID_VALUE);
  give(deps, n, node->deps, node->num_deps);
  if (deps != NULL && data != NULL) memset(data, 0, *n * sizeof *data);
  return leave(0);
}

cu_result cpu_cuGraphGetEdges (cu_graph g, cu_graph_node *from, cu_graph_node *to,
                               cu_edge_data *data, size_t *n) {
  size_t count = 0;
  cu_result r = enter(CPU_GRAPH, g);
  if (r != 0) return r;
  if (n == NULL || (from == NULL) != (to == NULL)) return leave(CU_ERR_INVALID_VALUE);
  for (size_t i = 0; i < g->count; i++) {
    for (size_t j = 0; j < g->nodes[i]->num_deps; j++, count++) {
      if (from == NULL || count >= *n) continue;
      from[count] = g->nodes[i]->deps[j];
      to[count] = g->nodes[i];
    }
  }
  if (from == NULL || count < *n) *n = count;
  if (from != NULL && data != NULL) memset(data, 0, *n * sizeof *data);
  return leave(0);
}

cu_result cpu_cuGraphNodeGetType (cu_graph_node node, int *type) {
  cu_result r = enter(CPU_NODE, node);
  if (r != 0) return r;
  if (type == NULL) return leave(CU_ERR_INVALID_VALUE);
  *type = (int)node->type;
  return leave(0);
}
