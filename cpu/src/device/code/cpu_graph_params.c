/* cpu_graph_params.c: entry points for what a node does, in graphs and in executable graphs. */
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_graph_exec.h"
#include "cpu_graph_node.h"
#include "cpu_module.h"

/* cpu_enter, then the lock, which is held afterwards if the result is 0. */
static cu_result enter_node (cu_graph_node node, cu_node_type type, const void *params) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  bool ok = cpu_object_is(CPU_NODE, node) && node->type == type && params != NULL;
  return ok ? 0 : cpu_graph_leave(CU_ERR_INVALID_VALUE);
}

/* The same, and the step of the node. */
static cu_result enter_step (cu_graph_exec e, cu_graph_node node, cu_node_type type,
                             const void *params, cu_context ctx, cpu_step **step) {
  cu_result r = enter_node(node, type, params);
  if (r != 0) return r;
  if (ctx != NULL && !cpu_context_is(ctx)) return cpu_graph_leave(CU_ERR_INVALID_CONTEXT);
  if (!cpu_object_is(CPU_EXEC, e) || cpu_exec_step(e, node) == NULL)
    return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  if (!cpu_exec_own(e)) return cpu_graph_leave(CU_ERR_OUT_OF_MEMORY);
  *step = cpu_exec_step(e, node);
  return 0;
}

/* Puts `op` in the place of `*old`. */
static void replace (cpu_op **old, cpu_op *op) {
  if (*old != NULL) cpu_op_discard(*old);
  *old = op;
}

cu_result cpu_node_set (const char *call, cu_graph_node node, int type, const void *p) {
  cpu_op *op;
  cu_result r = enter_node(node, (cu_node_type)type, p);
  if (r != 0) return r;
  r = cpu_node_describe(call, type, p, node->op, &op);
  if (r != 0) return cpu_graph_leave(r);
  replace(&node->op, op);
  if (type == CU_NODE_MEMCPY) node->copy = *(const cu_copy3d *)p;
  lcu_free(node->params);
  node->params = NULL;
  return cpu_graph_leave(0);
}

cu_result cpu_step_set (const char *call, cu_graph_exec e, cu_graph_node node, int type,
                        const void *p, cu_context ctx) {
  cpu_op *op;
  cpu_step *step;
  cu_result r = enter_step(e, node, (cu_node_type)type, p, ctx, &step);
  if (r != 0) return r;
  r = cpu_node_describe(call, type, p, step->op, &op);
  if (r == 0) replace(&step->op, op);
  return cpu_graph_leave(r);
}

cu_result cpu_cuGraphNodeSetParams (cu_graph_node node, cu_node_params *p) {
  if (p == NULL) return CU_ERR_INVALID_VALUE;
  return cpu_node_set("cuGraphNodeSetParams", node, p->type, cpu_node_place(p));
}

cu_result cpu_cuGraphExecNodeSetParams (cu_graph_exec e, cu_graph_node node, cu_node_params *p) {
  if (p == NULL) return CU_ERR_INVALID_VALUE;
  return cpu_step_set("cuGraphExecNodeSetParams", e, node, p->type, cpu_node_place(p), NULL);
}


/* ---- kernels ---- */

/* The addresses of the parameters, which are valid as long as the node does not change. */
static cu_result list_params (cpu_node *n) {
  const ptx_kernel_info *info = ptx_kernel_get_info(n->op->grid.function->kernel);
  if (n->params != NULL || info->num_params == 0) return 0;
  n->params = lcu_calloc(info->num_params, sizeof *n->params);
  if (n->params == NULL) return CU_ERR_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < info->num_params; i++)
    n->params[i] = (uint8_t *)n->op->grid.params + info->params[i].offset;
  return 0;
}

cu_result cpu_cuGraphKernelNodeGetParams (cu_graph_node node, cu_kernel_node *p) {
  cu_result r = enter_node(node, CU_NODE_KERNEL, p);
  if (r != 0) return r;
  const cpu_grid *g = &node->op->grid;
  /* its module was unloaded, or it is a product */
  if (g->function == NULL) return cpu_graph_leave(CU_ERR_INVALID_HANDLE);
  r = list_params(node);
  *p =
    (cu_kernel_node){ .function = g->function,
                      .grid_x = g->grid[0],
                      .grid_y = g->grid[1],
                      .grid_z = g->grid[2],
                      .block_x = g->block[0],
                      .block_y = g->block[1],
                      .block_z = g->block[2],
                      .shared_bytes = g->shared,
                      .params = node->params,
                      .ctx = g->function != NULL ? cpu_module_context(g->function->module) : NULL };
  return cpu_graph_leave(r);
}

cu_result cpu_cuGraphKernelNodeSetParams (cu_graph_node node, const cu_kernel_node *p) {
  return cpu_node_set("cuGraphKernelNodeSetParams", node, CU_NODE_KERNEL, p);
}

cu_result cpu_cuGraphExecKernelNodeSetParams (cu_graph_exec e, cu_graph_node node,
                                              const cu_kernel_node *p) {
  return cpu_step_set("cuGraphExecKernelNodeSetParams", e, node, CU_NODE_KERNEL, p, NULL);
}


/* ---- the others ---- */

cu_result cpu_cuGraphMemcpyNodeGetParams (cu_graph_node node, cu_copy3d *p) {
  cu_result r = enter_node(node, CU_NODE_MEMCPY, p);
  if (r != 0) return r;
  *p = node->copy;
  return cpu_graph_leave(0);
}

cu_result cpu_cuGraphExecMemcpyNodeSetParams (cu_graph_exec e, cu_graph_node node,
                                              const cu_copy3d *p, cu_context ctx) {
  return cpu_step_set("cuGraphExecMemcpyNodeSetParams", e, node, CU_NODE_MEMCPY, p, ctx);
}

cu_result cpu_cuGraphMemsetNodeGetParams (cu_graph_node node, cu_memset_node *p) {
  cu_result r = enter_node(node, CU_NODE_MEMSET, p);
  if (r != 0) return r;
  const cpu_fill *f = &node->op->fill;
  *p = (cu_memset_node){ (uintptr_t)f->dst, f->pitch, f->value, f->bytes, f->count, f->height };
  return cpu_graph_leave(0);
}

cu_result cpu_cuGraphExecMemsetNodeSetParams (cu_graph_exec e, cu_graph_node node,
                                              const cu_memset_node *p, cu_context ctx) {
  return cpu_step_set("cuGraphExecMemsetNodeSetParams", e, node, CU_NODE_MEMSET, p, ctx);
}

cu_result cpu_cuGraphHostNodeGetParams (cu_graph_node node, cu_host_node *p) {
  cu_result r = enter_node(node, CU_NODE_HOST, p);
  if (r != 0) return r;
  *p = (cu_host_node){ node->op->host.fn, node->op->host.ud };
  return cpu_graph_leave(0);
}

static cu_result get_event (cu_graph_node node, cu_node_type type, cu_event *e) {
  cu_result r = enter_node(node, type, e);
  if (r != 0) return r;
  *e = node->op->event;
  return cpu_graph_leave(0);
}

cu_result cpu_cuGraphEventRecordNodeGetEvent (cu_graph_node node, cu_event *e) {
  return get_event(node, CU_NODE_EVENT_RECORD, e);
}

cu_result cpu_cuGraphEventWaitNodeGetEvent (cu_graph_node node, cu_event *e) {
  return get_event(node, CU_NODE_WAIT_EVENT, e);
}

cu_result cpu_cuGraphChildGraphNodeGetGraph (cu_graph_node node, cu_graph *g) {
  cu_result r = enter_node(node, CU_NODE_GRAPH, g);
  if (r != 0) return r;
  *g = node->bodies[0];
  return cpu_graph_leave(0);
}


/* ---- enabling ---- */

static bool can_be_disabled (cu_graph_node node) {
  return cpu_object_is(CPU_NODE, node) &&
         (node->type == CU_NODE_KERNEL || node->type == CU_NODE_MEMCPY ||
          node->type == CU_NODE_MEMSET);
}

/* A disabled node does nothing. */
cu_result cpu_cuGraphNodeSetEnabled (cu_graph_exec e, cu_graph_node node, unsigned on) {
  cpu_step *step;
  if (!can_be_disabled(node)) return CU_ERR_INVALID_VALUE;
  cu_result r = enter_step(e, node, node->type, node, NULL, &step);
  if (r != 0) return r;
  step->enabled = on != 0;
  return cpu_graph_leave(0);
}

cu_result cpu_cuGraphNodeGetEnabled (cu_graph_exec e, cu_graph_node node, unsigned *on) {
  cpu_step *step;
  if (!can_be_disabled(node)) return CU_ERR_INVALID_VALUE;
  cu_result r = enter_step(e, node, node->type, on, NULL, &step);
  if (r != 0) return r;
  *on = step->enabled;
  return cpu_graph_leave(0);
}
