/* cpu_graph_node.c: entry points that add nodes to graphs. */
#include "cpu_graph_node.h"

#include <string.h>

#include "cpu_copy.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_event.h"
#include "cpu_graph_exec.h"
#include "cpu_grid.h"
#include "cpu_launch.h"
#include "cpu_words.h"


/* ---- operations ---- */

/* The operation, unless `r` says that it could not be filled. */
static cu_result finish (cpu_op *made, cu_result r, cpu_op **op) {
  if (made == NULL) return CU_ERR_OUT_OF_MEMORY;
  if (r == 0) *op = made;
  else cpu_op_discard(made);
  return r;
}

/* The cluster of a launch that it replaces, and whether that is cooperative, stay. */
static cu_result make_kernel (const char *call, const cu_kernel_node *p, const cpu_op *old,
                              cpu_op **op) {
  cpu_grid g = { .function = p->function != NULL ? p->function : p->kernel,
                 .grid = { p->grid_x, p->grid_y, p->grid_z },
                 .block = { p->block_x, p->block_y, p->block_z },
                 .shared = p->shared_bytes };
  if (old != NULL) {
    g.cooperative = old->grid.cooperative;
    memcpy(g.cluster, old->grid.cluster, sizeof g.cluster);
  }
  cpu_op *made = cpu_op_new(CPU_OP_KERNEL, cpu_grid_run);
  return finish(made, made == NULL ? 0 : cpu_launch_describe(call, &g, p->params, p->extra, made),
                op);
}

static cu_result make_copy (const char *call, const cu_copy3d *c, cpu_op **op) {
  if (c->width == 0 || c->height == 0 || c->depth == 0) return CU_ERR_INVALID_VALUE;
  cpu_op *made = cpu_op_new(CPU_OP_PLAIN, NULL);
  return finish(made, made == NULL ? 0 : cpu_copy_describe(call, c, true, made), op);
}

static cu_result make_fill (const char *call, const cu_memset_node *m, cpu_op **op) {
  if (m->width == 0 || m->height == 0) return CU_ERR_INVALID_VALUE;
  cpu_op *made = cpu_op_new(CPU_OP_PLAIN, NULL);
  return finish(made, made == NULL ? 0 : cpu_fill_describe(call, m, true, made), op);
}

static cu_result make_host (const cu_host_node *h, cpu_op **op) {
  return h->fn == NULL ? CU_ERR_INVALID_VALUE : finish(cpu_host_op(h->fn, h->ud), 0, op);
}

cu_result cpu_node_describe (const char *call, int type, const void *p, const cpu_op *old,
                             cpu_op **op) {
  *op = NULL;
  if (type == CU_NODE_EMPTY) return 0;
  if (p == NULL) return CU_ERR_INVALID_VALUE;
  switch (type) {
    case CU_NODE_KERNEL: return make_kernel(call, p, old, op);
    case CU_NODE_MEMCPY: return make_copy(call, p, op);
    case CU_NODE_MEMSET: return make_fill(call, p, op);
    case CU_NODE_HOST: return make_host(p, op);
    case CU_NODE_WAIT_EVENT: return cpu_event_op(*(const cu_event *)p, true, op);
    case CU_NODE_EVENT_RECORD: return cpu_event_op(*(const cu_event *)p, false, op);
    case CU_NODE_MEM_ALLOC:
    case CU_NODE_MEM_FREE:
      return cpu_fail(call, CU_ERR_NOT_SUPPORTED, "nodes that allocate or free cannot be changed");
    default:
      return cpu_fail(call, CU_ERR_NOT_SUPPORTED, "nodes of type %d are not supported", type);
  }
}

const void *cpu_node_place (const cu_node_params *p) {
  const void *place = p->reserved1;
  return p->type == CU_NODE_MEMCPY ? &((const cu_memcpy_node *)place)->copy : place;
}


/* ---- adding ---- */

static cu_result add (const char *call, cu_graph_node *n, cu_graph g, const cu_graph_node *deps,
                      size_t num, int type, const void *p) {
  cpu_op *op;
  cu_result r = cpu_node_describe(call, type, p, NULL, &op);
  if (r != 0) return r;
  *n = cpu_node_new(g, (cu_node_type)type, op, deps, num);
  if (*n == NULL) return CU_ERR_OUT_OF_MEMORY;
  if (type == CU_NODE_MEMCPY) (*n)->copy = *(const cu_copy3d *)p;
  return 0;
}

/* The body of a node: the graph itself, or a copy. */
static cu_result take_child (const char *call, const cpu_graph *g, const cu_child_node *p,
                             cpu_graph **body) {
  cpu_graph *child = p->graph;
  if (!cpu_object_is(CPU_GRAPH, child) || cpu_graph_busy(child)) return CU_ERR_INVALID_VALUE;
  if (p->ownership != CU_CHILD_GRAPH_MOVE) return cpu_graph_copy(call, child, body);
  if (child->parent != NULL || cpu_graph_root(g) == child) return CU_ERR_INVALID_VALUE;
  *body = child;
  return 0;
}

static cu_result add_child (const char *call, cu_graph_node *n, cu_graph g,
                            const cu_graph_node *deps, size_t num, const cu_child_node *p) {
  cpu_graph *body;
  cu_result r = take_child(call, g, p, &body);
  if (r != 0) return r;
  cpu_node *made = cpu_node_new(g, CU_NODE_GRAPH, NULL, deps, num);
  cpu_graph **bodies = made != NULL ? lcu_calloc(1, sizeof *bodies) : NULL;
  if (bodies == NULL) {
    if (made != NULL) cpu_node_drop(made);
    if (body != p->graph) cpu_graph_free(body);
    return CU_ERR_OUT_OF_MEMORY;
  }
  body->parent = made;
  bodies[0] = body;
  made->bodies = bodies;
  made->num_bodies = 1;
  *n = made;
  return 0;
}

/* The lock is held afterwards if the result is 0. */
static cu_result enter_to_add (const cu_graph_node *n, cu_graph g, const cu_graph_node *deps,
                               size_t num) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (n == NULL) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_graph_lock);
  if (!cpu_object_is(CPU_GRAPH, g) || !cpu_graph_has(g, deps, num))
    return cpu_graph_leave(CU_ERR_INVALID_VALUE);
  return 0;
}

cu_result cpu_node_add (const char *call, cu_graph_node *n, cu_graph g, const cu_graph_node *deps,
                        size_t num, int type, const void *p) {
  cu_result r = enter_to_add(n, g, deps, num);
  if (r != 0) return r;
  if (type == CU_NODE_GRAPH) return cpu_graph_leave(add_child(call, n, g, deps, num, p));
  if (type == CU_NODE_MEM_FREE)
    return cpu_graph_leave(cpu_node_add_free(call, n, g, deps, num, *(const cu_deviceptr *)p));
  return cpu_graph_leave(add(call, n, g, deps, num, type, p));
}

static cu_result add_conditional (cu_graph_node *n, cu_graph g, const cu_graph_node *deps,
                                  size_t num, cu_conditional_node *p) {
  cu_result r = enter_to_add(n, g, deps, num);
  if (r != 0) return r;
  return cpu_graph_leave(cpu_node_add_conditional(n, g, deps, num, p));
}

static cu_result add_alloc (const char *call, cu_graph_node *n, cu_graph g,
                            const cu_graph_node *deps, size_t num, void *p) {
  cu_result r = enter_to_add(n, g, deps, num);
  if (r != 0) return r;
  return cpu_graph_leave(cpu_node_add_alloc(call, n, g, deps, num, p));
}

cu_result cpu_cuGraphAddMemAllocNode (cu_graph_node *n, cu_graph g, const cu_graph_node *deps,
                                      size_t num, cu_mem_alloc_node *p) {
  return add_alloc("cuGraphAddMemAllocNode", n, g, deps, num, p);
}

/* Edges have no data. */
cu_result cpu_cuGraphAddNode (cu_graph_node *n, cu_graph g, const cu_graph_node *deps,
                              const cu_edge_data *data, size_t num, cu_node_params *p) {
  (void)data;
  if (p == NULL) return CU_ERR_INVALID_VALUE;
  if (p->type == CU_NODE_CONDITIONAL) return add_conditional(n, g, deps, num, &p->conditional);
  if (p->type == CU_NODE_MEM_ALLOC)
    return add_alloc("cuGraphAddNode", n, g, deps, num, p->reserved1);
  return cpu_node_add("cuGraphAddNode", n, g, deps, num, p->type, cpu_node_place(p));
}
