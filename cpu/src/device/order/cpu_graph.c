/* cpu_graph.c: graphs and their nodes. */
#include "cpu_graph.h"

#include <string.h>

#include "cpu_condition.h"
#include "cpu_plan.h"

static uint64_t last_id;


cpu_graph *cpu_graph_new (void) { return cpu_object_new(CPU_GRAPH); }

static void node_free (cpu_node *n) {
  if (n->condition != NULL) n->condition->used = false;
  for (unsigned i = 0; i < n->num_bodies; i++) cpu_graph_free(n->bodies[i]);
  lcu_free(n->bodies);
  if (n->op != NULL) cpu_op_discard(n->op);
  if (n->memory != NULL) cpu_plan_drop(n->memory);
  lcu_free(n->params);
  lcu_free(n->deps);
  cpu_object_retire(CPU_NODE, n);
}

void cpu_graph_free (cpu_graph *g) {
  for (size_t i = 0; i < g->count; i++) node_free(g->nodes[i]);
  lcu_free(g->nodes);
  cpu_conditions_free(g);
  cpu_holdings_drop(&g->holdings);
  if (g->instance != NULL) g->instance->source = NULL;
  cpu_object_retire(CPU_GRAPH, g);
}

void cpu_node_unlink (cpu_node *n, const cpu_node *dep) {
  size_t kept = 0;
  for (size_t i = 0; i < n->num_deps; i++)
    if (n->deps[i] != dep) n->deps[kept++] = n->deps[i];
  n->num_deps = kept;
}

void cpu_node_drop (cpu_node *n) {
  cpu_graph *g = n->graph;
  g->count--;
  for (size_t i = n->index; i < g->count; i++) {
    g->nodes[i] = g->nodes[i + 1];
    g->nodes[i]->index = i;
    cpu_node_unlink(g->nodes[i], n);
  }
  node_free(n);
}

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

bool cpu_graph_allocates (const cpu_graph *g) {
  bool found = false;
  for (size_t i = 0; !found && i < g->count; i++) {
    const cpu_node *n = g->nodes[i];
    found = n->memory != NULL;
    for (unsigned k = 0; !found && k < n->num_bodies; k++)
      found = cpu_graph_allocates(n->bodies[k]);
  }
  return found;
}

const cpu_graph *cpu_graph_root (const cpu_graph *g) {
  while (g->parent != NULL) g = g->parent->graph;
  return g;
}

static bool make_room_for_node (cpu_graph *g) {
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
  if (n == NULL || !make_room_for_node(g)) return refuse_node(n, op);
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
  to->copy_of = from->copy_of;
  if (from->copy_of != NULL) return from->copy_of(to, from);
  memcpy(to->used, from->used, sizeof to->used);
  memcpy(&to->box, &from->box, sizeof *to - offsetof(cpu_op, box));
  return to;
}
