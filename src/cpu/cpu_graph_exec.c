/* cpu_graph_exec.c: executable graphs: making and launching them. */
#include "cpu_capture.h"
#include "cpu_event.h"
#include "cpu_graph.h"

#include <string.h>

#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_map.h"
#include "cpu_worker.h"


/* ---- bodies ---- */

static cpu_body *body_alloc (size_t count) {
  cpu_body *b = lcu_calloc(1, sizeof *b + count * sizeof b->steps[0]);
  if (b != NULL) b->refs = 1;
  return b;
}

void cpu_body_free (cpu_body *b) {
  if (b == NULL || --b->refs > 0) return;
  for (size_t i = 0; i < b->count; i++) {
    if (b->steps[i].op != NULL) cpu_op_discard(b->steps[i].op);
    lcu_free(b->steps[i].deps);
  }
  lcu_free(b);
}

/* Appends a step with copies of the operation and of the dependencies. */
static bool add_step (cpu_body *b, cpu_step from) {
  cpu_step *to = &b->steps[b->count++];
  *to = from;
  to->op = from.op != NULL ? cpu_op_copy(from.op) : NULL;
  to->deps = lcu_alloc((from.num_deps + 1) * sizeof *to->deps);
  if (to->deps == NULL || (from.op != NULL && to->op == NULL)) return false;
  if (from.num_deps > 0) memcpy(to->deps, from.deps, from.num_deps * sizeof *to->deps);
  b->host = b->host || from.type == CU_NODE_HOST;
  return true;
}

static bool add_node (cpu_body *b, const cpu_node *n) {
  size_t *deps = lcu_alloc((n->num_deps + 1) * sizeof *deps);
  if (deps == NULL) return false;
  for (size_t i = 0; i < n->num_deps; i++) deps[i] = n->deps[i]->index;
  bool ok = add_step(b, (cpu_step){ .type = n->type,
                                    .enabled = true,
                                    .node = n->id,
                                    .op = n->op,
                                    .deps = deps,
                                    .num_deps = n->num_deps });
  lcu_free(deps);
  return ok;
}

cpu_body *cpu_body_new (const cpu_graph *g) {
  cpu_body *b = body_alloc(g->count);
  bool ok = b != NULL;
  for (size_t i = 0; ok && i < g->count; i++) ok = add_node(b, g->nodes[i]);
  if (ok) return b;
  cpu_body_free(b);
  return NULL;
}

static cpu_body *body_copy (const cpu_body *from) {
  cpu_body *b = body_alloc(from->count);
  bool ok = b != NULL;
  for (size_t i = 0; ok && i < from->count; i++) ok = add_step(b, from->steps[i]);
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

cpu_step *cpu_exec_step (cpu_exec *e, const cpu_node *n) {
  cpu_body *b = e->body;
  return n->index < b->count && b->steps[n->index].node == n->id ? &b->steps[n->index] : NULL;
}

void cpu_exec_free (cpu_exec *e) {
  cpu_body_free(e->body);
  cpu_object_retire(CPU_EXEC, e);
}


/* ---- entry points ---- */

static cu_result leave (cu_result r) {
  pthread_mutex_unlock(&cpu_graph_lock);
  return r;
}

static cu_result instantiate (cu_graph_exec *e, cu_graph g) {
  if (!cpu_object_is(CPU_GRAPH, g) || g->captures > 0) return CU_ERR_INVALID_VALUE;
  *e = cpu_object_new(CPU_EXEC);
  if (*e == NULL) return CU_ERR_OUT_OF_MEMORY;
  (*e)->body = cpu_body_new(g);
  if ((*e)->body != NULL) return 0;
  cpu_exec_free(*e);
  *e = NULL;
  return CU_ERR_OUT_OF_MEMORY;
}

/* The flags concern memory nodes, launches by kernels and priorities, which are not there. */
cu_result cpu_cuGraphInstantiateWithFlags (cu_graph_exec *e, cu_graph g, unsigned long long flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (e == NULL || flags > 15) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_graph_lock);
  return leave(instantiate(e, g));
}

/* Launches in progress are not disturbed. */
cu_result cpu_cuGraphExecDestroy (cu_graph_exec e) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  if (!cpu_object_is(CPU_EXEC, e)) return leave(CU_ERR_INVALID_VALUE);
  cpu_exec_free(e);
  return leave(0);
}

/* Nothing has to be moved to the device. */
cu_result cpu_cuGraphUpload (cu_graph_exec e, cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r == 0) r = cpu_capture_forbid(s);
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return leave(cpu_object_is(CPU_EXEC, e) ? 0 : CU_ERR_INVALID_VALUE);
}


/* ---- launching ---- */

static void run_step (cpu_stream *s, cpu_op *head, cpu_step *step) {
  cpu_op *op = step->op;
  if (op == NULL || !step->enabled || op->kind == CPU_OP_WAIT) return;
  op->seq = head->seq;
  op->owner = head->owner;
  if (op->kind == CPU_OP_KERNEL) op->grid.stop = &head->stop;
  op->run(s, op);
}

static void run_graph (cpu_stream *s, cpu_op *head) {
  cpu_body *b = head->body;
  for (size_t i = 0; i < b->count; i++) run_step(s, head, &b->steps[i]);
  pthread_mutex_lock(&cpu_graph_lock);
  cpu_body_free(b);
  pthread_mutex_unlock(&cpu_graph_lock);
}

/* Is what the step uses still there? */
static cu_result check_step (const cpu_step *step) {
  const cpu_op *op = step->op;
  if (op == NULL || !step->enabled) return 0;
  if (step->type == CU_NODE_KERNEL && op->grid.function == NULL)
    return lcu_driver_detail("cuGraphLaunch", CU_ERR_INVALID_HANDLE,
                             "the graph launches a kernel of a module that was unloaded");
  if (step->type != CU_NODE_MEMCPY && step->type != CU_NODE_MEMSET) return 0;
  cu_result r = 0;
  for (int i = 0; r == 0 && i < 2; i++)
    if (op->used[i].bytes != 0)
      r = cpu_check_range("cuGraphLaunch", op->used[i].address, op->used[i].bytes);
  return r;
}

static cu_result check_body (const cpu_body *b) {
  cu_result r = 0;
  for (size_t i = 0; r == 0 && i < b->count; i++) r = check_step(&b->steps[i]);
  return r;
}

/* What the launch waits for: the latest launch, since one executable graph runs once at a time, and
 * events from outside. */
static cu_result queue_waits (cpu_exec *e, cpu_stream *s) {
  cu_result r = cpu_queue_wait(s, e->stream, e->seq);
  for (size_t i = 0; r == 0 && i < e->body->count; i++) {
    const cpu_step *step = &e->body->steps[i];
    if (step->type == CU_NODE_WAIT_EVENT && step->enabled) r = cpu_event_wait(s, step->op->event);
  }
  return r;
}

/* A record in the graph counts as reached when the launch is complete. */
static void place_events (const cpu_exec *e) {
  for (size_t i = 0; i < e->body->count; i++) {
    const cpu_step *step = &e->body->steps[i];
    if (step->type == CU_NODE_EVENT_RECORD && step->enabled)
      cpu_event_set_place(step->op->event, e->stream, e->seq);
  }
}

/* Host functions are called by workers (cpu_worker.c). */
static cu_result launch (cpu_exec *e, cpu_stream *s) {
  cu_result r = check_body(e->body);
  if (r == 0) r = queue_waits(e, s);
  if (r != 0) return r;
  cpu_op *op = cpu_op_new(e->body->host ? CPU_OP_HOST : CPU_OP_PLAIN, run_graph);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->body = e->body;
  e->body->refs++;
  e->stream = s;
  e->seq = cpu_submit(s, op, CPU_ASYNC);
  place_events(e);
  return 0;
}

cu_result cpu_cuGraphLaunch (cu_graph_exec e, cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r == 0) r = cpu_capture_forbid(s);
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return leave(cpu_object_is(CPU_EXEC, e) ? launch(e, s) : CU_ERR_INVALID_VALUE);
}
