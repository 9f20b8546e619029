/* cpu_graph_exec.c: executable graphs: making and launching them. */
#include "cpu_graph_exec.h"

#include <string.h>

#include "cpu_capture.h"
#include "cpu_condition.h"
#include "cpu_plan.h"
#include "cpu_words.h"


/* ---- bodies ---- */

static cpu_body *body_alloc (size_t count) {
  cpu_body *b = lcu_calloc(1, sizeof *b + count * sizeof b->steps[0]);
  if (b != NULL) b->refs = 1;
  return b;
}

static void step_clear (cpu_step *s) {
  if (s->op != NULL) cpu_op_discard(s->op);
  lcu_free(s->deps);
  for (unsigned i = 0; i < s->num_bodies; i++) cpu_body_free(s->bodies[i]);
  lcu_free(s->bodies);
  if (s->condition != NULL) cpu_condition_drop(s->condition);
  if (s->memory != NULL) cpu_plan_drop(s->memory);
}

void cpu_body_free (cpu_body *b) {
  if (b == NULL || --b->refs > 0) return;
  for (size_t i = 0; i < b->count; i++) step_clear(&b->steps[i]);
  cpu_holdings_drop(&b->holdings);
  lcu_free(b);
}

/* The next step of the body, with a copy of the operation, which may be NULL; NULL: out of
 * memory. */
static cpu_step *add_step (cpu_body *b, cu_node_type type, const cpu_op *op, size_t num_deps,
                           unsigned num_bodies) {
  cpu_step *s = &b->steps[b->count++];
  *s = (cpu_step){ .type = type, .enabled = true };
  s->op = op != NULL ? cpu_op_copy(op) : NULL;
  s->deps = lcu_alloc((num_deps + 1) * sizeof *s->deps);
  s->bodies = num_bodies > 0 ? lcu_calloc(num_bodies, sizeof *s->bodies) : NULL;
  if (s->deps == NULL || (op != NULL && s->op == NULL) || (num_bodies > 0 && s->bodies == NULL))
    return NULL;
  s->num_deps = num_deps;
  s->num_bodies = num_bodies;
  b->host = b->host || type == CU_NODE_HOST;
  return s;
}

static void set_condition (cpu_step *s, cpu_condition *c, int type) {
  s->condition = c;
  s->condition_type = type;
  if (c != NULL) c->refs++;
}

static void set_memory (cpu_step *s, cpu_block *memory) {
  s->memory = memory;
  if (memory != NULL) cpu_plan_keep(memory);
}

static bool add_node (cpu_body *b, const cpu_node *n) {
  cpu_step *s = add_step(b, n->type, n->op, n->num_deps, n->num_bodies);
  if (s == NULL) return false;
  s->node = n->id;
  set_condition(s, n->condition, n->condition_type);
  set_memory(s, n->memory);
  for (size_t i = 0; i < n->num_deps; i++) s->deps[i] = n->deps[i]->index;
  for (unsigned i = 0; i < n->num_bodies; i++) {
    if ((s->bodies[i] = cpu_body_new(n->bodies[i])) == NULL) return false;
    b->host = b->host || s->bodies[i]->host;
  }
  return true;
}

cpu_body *cpu_body_new (const cpu_graph *g) {
  cpu_body *b = body_alloc(g->count);
  bool ok = b != NULL && cpu_holdings_copy(g->holdings, &b->holdings);
  for (size_t i = 0; ok && i < g->count; i++) ok = add_node(b, g->nodes[i]);
  if (ok) return b;
  cpu_body_free(b);
  return NULL;
}

static cpu_body *body_copy (const cpu_body *from);

static bool copy_step (cpu_body *b, const cpu_step *from) {
  cpu_step *s = add_step(b, from->type, from->op, from->num_deps, from->num_bodies);
  if (s == NULL) return false;
  s->node = from->node;
  s->enabled = from->enabled;
  set_condition(s, from->condition, from->condition_type);
  set_memory(s, from->memory);
  memcpy(s->deps, from->deps, from->num_deps * sizeof *s->deps);
  for (unsigned i = 0; i < from->num_bodies; i++)
    if ((s->bodies[i] = body_copy(from->bodies[i])) == NULL) return false;
  b->host = b->host || (s->num_bodies > 0 && s->bodies[0]->host);
  return true;
}

static cpu_body *body_copy (const cpu_body *from) {
  cpu_body *b = body_alloc(from->count);
  bool ok = b != NULL && cpu_holdings_copy(from->holdings, &b->holdings);
  for (size_t i = 0; ok && i < from->count; i++) ok = copy_step(b, &from->steps[i]);
  if (ok) return b;
  cpu_body_free(b);
  return NULL;
}

/* A queued launch keeps the steps as they were. */
bool cpu_exec_own (cpu_exec *e) {
  if (e->body->refs == 1) return true;
  cpu_body *b = body_copy(e->body);
  if (b == NULL) return false;
  cpu_body_free(e->body);
  e->body = b;
  return true;
}

/* The steps of the graph that the node is in, or NULL. */
static cpu_body *body_with (cpu_exec *e, const cpu_node *n) {
  const cpu_node *parent = n->graph->parent;
  if (parent == NULL) return e->body;
  const cpu_step *s = cpu_exec_step(e, parent);
  for (unsigned i = 0; s != NULL && i < s->num_bodies; i++)
    if (parent->bodies[i] == n->graph) return s->bodies[i];
  return NULL;
}

/* The node may have moved since the step was made. */
cpu_step *cpu_exec_step (cpu_exec *e, const cpu_node *n) {
  cpu_body *b = body_with(e, n);
  if (b == NULL) return NULL;
  if (n->index < b->count && b->steps[n->index].node == n->id) return &b->steps[n->index];
  for (size_t i = 0; i < b->count; i++)
    if (b->steps[i].node == n->id) return &b->steps[i];
  return NULL;
}

void cpu_exec_make_single (cpu_exec *e, cpu_graph *g) {
  if (e->source != NULL) e->source->instance = NULL;
  e->source = g;
  g->instance = e;
}

void cpu_exec_free (cpu_exec *e) {
  cpu_body_free(e->body);
  if (e->source != NULL) e->source->instance = NULL;
  cpu_object_retire(CPU_EXEC, e);
}


/* ---- entry points ---- */

/* Has each condition of the graph its node? */
static cu_result check_conditions (const cpu_graph *g) {
  for (const cpu_condition *c = g->conditions; c != NULL; c = c->next_of_graph)
    if (!c->used)
      return cpu_fail("cuGraphInstantiateWithFlags", CU_ERR_INVALID_VALUE,
                      "a condition of the graph has no conditional node");
  return 0;
}

/* What a body of a conditional node may contain. */
static bool fits_body (const cpu_node *n) {
  return n->type == CU_NODE_KERNEL || n->type == CU_NODE_MEMCPY || n->type == CU_NODE_MEMSET ||
         n->type == CU_NODE_EMPTY || n->type == CU_NODE_CONDITIONAL || n->type == CU_NODE_GRAPH;
}

static bool is_conditional (const cpu_graph *g) {
  while (g->parent != NULL && g->parent->type != CU_NODE_CONDITIONAL) g = g->parent->graph;
  return g->parent != NULL;
}

static cu_result check_graph (const cpu_graph *g, bool *conditional) {
  cu_result r = check_conditions(g);
  for (size_t i = 0; r == 0 && i < g->count; i++) {
    const cpu_node *n = g->nodes[i];
    if (is_conditional(g) && !fits_body(n))
      return cpu_fail("cuGraphInstantiateWithFlags", CU_ERR_INVALID_VALUE,
                      "the body of a conditional node has a node that is not a kernel, a "
                      "copy, a fill or a conditional node");
    *conditional = *conditional || n->type == CU_NODE_CONDITIONAL;
    for (unsigned k = 0; r == 0 && k < n->num_bodies; k++)
      r = check_graph(n->bodies[k], conditional);
  }
  return r;
}

/* Conditions and memory belong to one executable graph (`single`). */
static cu_result check_instantiate (cu_graph g, bool *single) {
  bool conditional = false;
  if (!cpu_object_is(CPU_GRAPH, g) || g->parent != NULL || cpu_graph_busy(g))
    return CU_ERR_INVALID_VALUE;
  cu_result r = check_graph(g, &conditional);
  if (r != 0) return r;
  *single = conditional || cpu_graph_allocates(g);
  if (!*single || g->instance == NULL) return 0;
  return cpu_fail("cuGraphInstantiateWithFlags",
                  conditional ? CU_ERR_INVALID_VALUE : CU_ERR_NOT_SUPPORTED,
                  "a graph with nodes that are conditional, allocate or free has one executable "
                  "graph at a time");
}

static cu_result instantiate (cu_graph_exec *e, cu_graph g) {
  bool single = false;
  cu_result r = check_instantiate(g, &single);
  if (r != 0) return r;
  *e = cpu_object_new(CPU_EXEC);
  if (*e == NULL) return CU_ERR_OUT_OF_MEMORY;
  if (((*e)->body = cpu_body_new(g)) == NULL) {
    cpu_exec_free(*e);
    *e = NULL;
    return CU_ERR_OUT_OF_MEMORY;
  }
  if (single) cpu_exec_make_single(*e, g);
  return 0;
}

/* Other flags than CU_INSTANTIATE_AUTO_FREE have no effect. */
cu_result cpu_cuGraphInstantiateWithFlags (cu_graph_exec *e, cu_graph g, unsigned long long flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (e == NULL || flags > CU_INSTANTIATE_FLAGS) return CU_ERR_INVALID_VALUE;
  if ((flags & CU_INSTANTIATE_AUTO_FREE) != 0 && (flags & CU_INSTANTIATE_DEVICE_LAUNCH) != 0)
    return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_graph_lock);
  r = instantiate(e, g);
  if (r == 0) (*e)->flags = flags;
  return cpu_graph_leave(r);
}

cu_result cpu_cuGraphInstantiateWithParams (cu_graph_exec *e, cu_graph g,
                                            cu_instantiate_params *p) {
  if (p == NULL) return CU_ERR_INVALID_VALUE;
  cu_result r = cpu_cuGraphInstantiateWithFlags(e, g, p->flags);
  p->error_node = NULL;
  p->result = r != 0;
  return r;
}

cu_result cpu_cuGraphExecGetFlags (cu_graph_exec e, uint64_t *flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  if (!cpu_object_is(CPU_EXEC, e) || flags == NULL) return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  *flags = e->flags;
  return cpu_graph_leave(0);
}

/* Launches in progress are not disturbed. */
cu_result cpu_cuGraphExecDestroy (cu_graph_exec e) {
  cu_result r = cpu_enter_device();
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  if (!cpu_object_is(CPU_EXEC, e)) return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  cpu_exec_free(e);
  r = cpu_graph_leave(0);
  cpu_user_objects_end();
  return r;
}

/* Nothing has to be moved to the device. */
cu_result cpu_cuGraphUpload (cu_graph_exec e, cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r == 0) r = cpu_capture_forbid(s);
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(cpu_object_is(CPU_EXEC, e) ? 0 : CU_ERR_INVALID_VALUE);
}
