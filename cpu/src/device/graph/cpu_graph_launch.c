/* cpu_graph_launch.c: launching executable graphs, and running them. */
#include <stdio.h>

#include "cpu_capture.h"
#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_event.h"
#include "cpu_fault.h"
#include "cpu_condition.h"
#include "cpu_graph_exec.h"
#include "cpu_interrupt.h"
#include "cpu_plan.h"
#include "cpu_worker.h"
#include "cpu_words.h"


/* ---- running, by a worker or a thread that waits, without the lock ---- */

/* Each returns false if a kernel ended with a fault. The rest of the work still runs, but a loop
 * ends: the kernel might have been the one that changes its condition. */
static bool run_body (cpu_stream *s, cpu_op *head, cpu_body *b);

static uint32_t value_of (const cpu_step *step) {
  return atomic_load_explicit(&step->condition->value, memory_order_relaxed);
}

/* The body to run: for IF the second, if there is one, is what runs otherwise. */
static uint32_t choose_body (const cpu_step *step) {
  uint32_t v = value_of(step);
  return step->condition_type == CU_COND_IF ? v == 0 : v;
}

static bool is_stopped (cpu_op *head) {
  if (!atomic_load(&head->stop) && cpu_wait_stops()) atomic_store(&head->stop, true);
  return atomic_load(&head->stop);
}

/* The last kernel in the body, whose caller a report names; else the launch. */
static const cpu_op *last_kernel (const cpu_body *b, const cpu_op *head) {
  size_t i = b->count;
  while (i > 0 && (b->steps[i - 1].op == NULL || b->steps[i - 1].op->kind != CPU_OP_KERNEL)) i--;
  return i > 0 ? b->steps[i - 1].op : head;
}

static void report_timeout (cpu_stream *s, const cpu_op *op) {
  ptx_fault f = { .kind = PTX_FAULT_TIMEOUT, .kernel = "loop" };
  snprintf(f.message, sizeof f.message, "a loop of a graph was not done after %.0f ms",
           cpu_configuration.timeout_ms);
  cpu_fault_add(s, op, LCU_E_FAULT, f.kernel, &f);
}

static bool run_loop (cpu_stream *s, cpu_op *head, cpu_step *step) {
  double limit = cpu_configuration.timeout_ms, began = limit > 0 ? lcu_now_ms() : 0;
  while (value_of(step) != 0 && !is_stopped(head)) {
    if (!run_body(s, head, step->bodies[0])) return false;
    if (limit <= 0 || lcu_now_ms() - began <= limit) continue;
    report_timeout(s, last_kernel(step->bodies[0], head));
    return false;
  }
  return true;
}

static bool run_conditional (cpu_stream *s, cpu_op *head, cpu_step *step) {
  if (step->condition_type == CU_COND_WHILE) return run_loop(s, head, step);
  uint32_t i = choose_body(step);
  return i >= step->num_bodies || run_body(s, head, step->bodies[i]);
}

static bool computes (const cpu_op *op) {
  return op->kind == CPU_OP_KERNEL || op->kind == CPU_OP_ROUTINE;
}

static bool run_step (cpu_stream *s, cpu_op *head, cpu_step *step) {
  cpu_op *op = step->op;
  if (step->condition != NULL) return run_conditional(s, head, step);
  if (step->type == CU_NODE_GRAPH) return run_body(s, head, step->bodies[0]);
  if (step->memory != NULL) cpu_plan_set_alive(step->memory, step->type == CU_NODE_MEM_ALLOC);
  if (op == NULL || !step->enabled || op->kind == CPU_OP_WAIT) return true;
  op->seq = head->seq;
  op->owner = head->owner;
  if (computes(op)) op->grid.stop = &head->stop;
  op->run(s, op);
  return !computes(op) || !op->grid.failed;
}

static bool run_body (cpu_stream *s, cpu_op *head, cpu_body *b) {
  bool ok = true;
  for (size_t i = 0; i < b->count; i++) ok = run_step(s, head, &b->steps[i]) && ok;
  return ok;
}

static void assign_conditions (cpu_body *b) {
  for (size_t i = 0; i < b->count; i++) {
    cpu_step *step = &b->steps[i];
    if (step->condition != NULL && step->condition->assign)
      atomic_store_explicit(&step->condition->value, step->condition->initial,
                            memory_order_relaxed);
    for (unsigned k = 0; k < step->num_bodies; k++) assign_conditions(step->bodies[k]);
  }
}

/* What an earlier launch left may still be there (CU_INSTANTIATE_AUTO_FREE). */
static void end_allocations (cpu_body *b) {
  for (size_t i = 0; i < b->count; i++) {
    cpu_step *step = &b->steps[i];
    if (step->type == CU_NODE_MEM_ALLOC) cpu_plan_set_alive(step->memory, false);
    if (step->type == CU_NODE_GRAPH) end_allocations(step->bodies[0]);
  }
}

static void run_graph (cpu_stream *s, cpu_op *head) {
  cpu_body *b = head->body;
  assign_conditions(b);
  end_allocations(b);
  (void)run_body(s, head, b);
  pthread_mutex_lock(&cpu_graph_lock);
  cpu_body_free(b);
  pthread_mutex_unlock(&cpu_graph_lock);
  cpu_user_objects_end();
}


/* ---- checking a launch. The steps take and give back their memory, in the order of calls ---- */

static cu_result check_body (const cpu_body *b);

static cu_result check_memory (const cpu_step *step) {
  bool alloc = step->type == CU_NODE_MEM_ALLOC;
  if (cpu_plan_set_live(step->memory, alloc)) return 0;
  return cpu_fail("cuGraphLaunch", CU_ERR_INVALID_VALUE,
                  alloc ? "memory that the graph allocates has not been freed since its last launch"
                        : "the graph frees memory that is not allocated");
}

/* Takes back what the first `count` steps did. */
static void undo_body (const cpu_body *b, size_t count) {
  while (count-- > 0) {
    const cpu_step *step = &b->steps[count];
    if (step->memory != NULL) cpu_plan_set_live(step->memory, step->type == CU_NODE_MEM_FREE);
    if (step->type == CU_NODE_GRAPH) undo_body(step->bodies[0], step->bodies[0]->count);
  }
}

/* Is what the step uses still there? */
static cu_result check_step (const cpu_step *step) {
  const cpu_op *op = step->op;
  cu_result r = 0;
  for (unsigned i = 0; r == 0 && i < step->num_bodies; i++) r = check_body(step->bodies[i]);
  if (r != 0) return r;
  if (step->memory != NULL) return check_memory(step);
  if (op == NULL || !step->enabled) return 0;
  if (op->kind == CPU_OP_KERNEL && op->grid.function == NULL)
    return cpu_fail("cuGraphLaunch", CU_ERR_INVALID_HANDLE,
                    "the graph launches a kernel of a module that was unloaded");
  if (step->type != CU_NODE_MEMCPY && step->type != CU_NODE_MEMSET) return 0;
  for (int i = 0; r == 0 && i < 2; i++)
    if (op->used[i].bytes != 0)
      r = cpu_check_range("cuGraphLaunch", op->used[i].address, op->used[i].bytes);
  return r;
}

static cu_result check_body (const cpu_body *b) {
  for (size_t i = 0; i < b->count; i++) {
    cu_result r = check_step(&b->steps[i]);
    if (r == 0) continue;
    undo_body(b, i);
    return r;
  }
  return 0;
}

/* CU_INSTANTIATE_AUTO_FREE. */
static void free_allocations (const cpu_body *b) {
  for (size_t i = 0; i < b->count; i++) {
    const cpu_step *step = &b->steps[i];
    if (step->type == CU_NODE_MEM_ALLOC) cpu_plan_set_live(step->memory, false);
    if (step->type == CU_NODE_GRAPH) free_allocations(step->bodies[0]);
  }
}


/* ---- launching ---- */

static cu_result wait_for_events (const cpu_body *b, cpu_stream *s) {
  cu_result r = 0;
  for (size_t i = 0; r == 0 && i < b->count; i++) {
    const cpu_step *step = &b->steps[i];
    if (step->type == CU_NODE_WAIT_EVENT && step->enabled) r = cpu_event_wait(s, step->op->event);
    if (step->type == CU_NODE_GRAPH) r = wait_for_events(step->bodies[0], s);
  }
  return r;
}

/* What the launch waits for: the latest launch, since one executable graph runs once at a time, and
 * events from outside. */
static cu_result queue_waits (cpu_exec *e, cpu_stream *s) {
  cu_result r = cpu_queue_wait(s, e->stream, e->seq);
  return r == 0 ? wait_for_events(e->body, s) : r;
}

/* A record in the graph counts as reached when the launch is complete. */
static void place_events (const cpu_body *b, cpu_stream *s, uint64_t seq) {
  for (size_t i = 0; i < b->count; i++) {
    const cpu_step *step = &b->steps[i];
    if (step->type == CU_NODE_EVENT_RECORD && step->enabled)
      cpu_event_set_place(step->op->event, s, seq);
    if (step->type == CU_NODE_GRAPH) place_events(step->bodies[0], s, seq);
  }
}

/* Host functions are called by workers (cpu_worker.c). */
static cu_result launch (cpu_exec *e, cpu_stream *s) {
  if ((e->flags & CU_INSTANTIATE_AUTO_FREE) != 0) free_allocations(e->body);
  cu_result r = check_body(e->body);
  if (r != 0) return r;
  r = queue_waits(e, s);
  cpu_op *op = r == 0 ? cpu_op_new(e->body->host ? CPU_OP_HOST : CPU_OP_PLAIN, run_graph) : NULL;
  if (op == NULL) {
    undo_body(e->body, e->body->count);
    return r != 0 ? r : CU_ERR_OUT_OF_MEMORY;
  }
  op->body = e->body;
  e->body->refs++;
  e->stream = s;
  e->seq = cpu_submit(s, op, CPU_ASYNC);
  place_events(e->body, e->stream, e->seq);
  return 0;
}

cu_result cpu_cuGraphLaunch (cu_graph_exec e, cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r == 0) r = cpu_capture_forbid(s);
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(cpu_object_is(CPU_EXEC, e) ? launch(e, s) : CU_ERR_INVALID_VALUE);
}
