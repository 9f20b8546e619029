/* lcu_graph_change.c: other work or other arguments for a graph, copies of it, its description. */
#include <string.h>

#include "lcu_device_failure.h"
#include "lcu_function.h"
#include "lcu_graph.h"
#include "lcu_scope.h"

/* ---- other work ---- */

static const char *why_not (int result) {
  static const char *const texts[] = {
    [CU_UPDATE_ERROR] = "the driver refuses it",
    [CU_UPDATE_TOPOLOGY_CHANGED] = "it has other nodes, or other dependencies between them",
    [CU_UPDATE_NODE_TYPE_CHANGED] = "a node is of another kind",
    [CU_UPDATE_FUNCTION_CHANGED] = "a node has another kernel",
    [CU_UPDATE_PARAMETERS_CHANGED] = "parameters of a node cannot be changed",
    [CU_UPDATE_NOT_SUPPORTED] = "a node cannot be changed",
    [CU_UPDATE_UNSUPPORTED_FUNCTION_CHANGE] = "a node has another kernel",
    [CU_UPDATE_ATTRIBUTES_CHANGED] = "attributes of a node cannot be changed",
  };
  bool known = result > 0 && (size_t)result < lcu_arraylen(texts) && texts[result] != NULL;
  return texts[known ? result : CU_UPDATE_ERROR];
}

static lcu_status update_entered (lcu_graph *g, lcu_recording *r) {
  enum { UPDATE_FAILURE = 910 };
  cu_update_info info = { .result = CU_UPDATE_ERROR };
  lcu_status st = LCU_CALL(g->device->drv, cuGraphExecUpdate, (g->x->exec, r->graph, &info));
  if (st == UPDATE_FAILURE)
    return lcu_fail(LCU_E_ARGUMENT, "the graph cannot take this work: %s; make a new graph",
                    why_not(info.result));
  return lcu_device_status(g->device, st);
}

/* Takes the new recording. The driver's graph of the first one stays with the executable. */
static lcu_status take_recording (lcu_graph *g, lcu_recording *r, lcu_block *holder) {
  lcu_block *before = g->recorded;
  if (g->x->origin == NULL) {
    g->x->origin = g->recording->graph;
    g->recording->graph = NULL;
  }
  g->recording = r;
  g->recorded = holder;
  lcu_status st = lcu_graph_list_uses(g);
  lcu_unref(before);
  return st;
}

lcu_status lcu_graph_update (lcu_graph *g, lcu_capture *c) {
  lcu_recording *r;
  lcu_block *holder = NULL;
  lcu_scope scope;
  LCU_TRY(lcu_graph_record(g->device, c, &r, &holder));
  lcu_status st = lcu_device_enter(g->device, &scope);
  if (st == LCU_OK) {
    st = update_entered(g, r);
    lcu_device_leave(&scope);
  }
  if (st == LCU_OK) return take_recording(g, r, holder);
  lcu_unref(holder);
  return st;
}


/* ---- other arguments ---- */

static lcu_status set_entered (lcu_graph *g, size_t i, void **params) {
  const lcu_driver *drv = g->device->drv;
  const lcu_kept_kernel *k = &g->recording->kept.kernels[i];
  cu_kernel_node p = { .function = k->function->handle, .shared_bytes = k->shared };
  p.grid_x = k->grid[0], p.grid_y = k->grid[1], p.grid_z = k->grid[2];
  p.block_x = k->block[0], p.block_y = k->block[1], p.block_z = k->block[2];
  p.params = params;
  LCU_TRY(LCU_CALL(drv, cuGraphExecKernelNodeSetParams, (g->x->exec, g->x->nodes[i], &p)));
  return LCU_CALL(drv, cuGraphKernelNodeSetParams, (k->node, &p));
}

static lcu_status set (lcu_graph *g, size_t i, void **params) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(g->device, &scope));
  lcu_status st = lcu_device_status(g->device, set_entered(g, i, params));
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_graph_set (lcu_graph *g, const lcu_kept_kernel *kernel, void **params,
                          const lcu_use *uses, size_t n) {
  lcu_use *own;
  lcu_kept *kept = &g->recording->kept;
  size_t i = (size_t)(kernel - kept->kernels);
  if (i >= g->x->num_nodes) return lcu_fail(LCU_E_STATE, "the graph has fewer kernels");
  LCU_TRY(lcu_kept_change(kept, uses, n, &own));
  lcu_status st = set(g, i, params);
  lcu_kept_changed(kept, i, own, n, st == LCU_OK);
  lcu_status listed = lcu_graph_list_uses(g);
  return st == LCU_OK ? listed : st;
}


/* ---- copies ---- */

static lcu_status copy_kept (lcu_graph *from, lcu_recording *to) {
  const lcu_kept *k = &from->recording->kept;
  LCU_TRY(lcu_kept_object(&to->kept, &from->recorded->base)); /* its bytes and objects */
  for (size_t i = 0; i < k->num_uses; i++) {
    LCU_TRY(lcu_kept_use(&to->kept, k->uses[i].block, k->uses[i].write));
    to->kept.counts[i] = k->counts[i];
  }
  for (size_t i = 0; i < k->num_events; i++) LCU_TRY(lcu_kept_event(&to->kept, k->events[i]));
  for (size_t i = 0; i < k->num_kernels; i++) {
    lcu_kept_kernel kernel = k->kernels[i];
    LCU_TRY(LCU_CALL(from->device->drv, cuGraphNodeFindInClone,
                     (&kernel.node, k->kernels[i].node, to->graph)));
    LCU_TRY(lcu_kept_object(&to->kept, &kernel.function->base));
    LCU_TRY(lcu_kept_add_kernel(&to->kept, &kernel, kernel.uses, kernel.num_uses));
  }
  return LCU_OK;
}

static lcu_status clone_recording (lcu_graph *from, lcu_graph *to) {
  lcu_scope scope;
  lcu_recording *r = lcu_calloc(1, sizeof *r);
  if (r == NULL) return lcu_no_memory("a graph");
  r->device = lcu_ref(from->device);
  r->kept.device = from->device;
  to->recording = r;
  LCU_TRY(lcu_graph_hold(r, &to->recorded));
  LCU_TRY(lcu_device_enter(from->device, &scope));
  lcu_status st = LCU_CALL(from->device->drv, cuGraphClone, (&r->graph, from->recording->graph));
  if (st != LCU_OK) r->graph = NULL;
  else st = copy_kept(from, r);
  lcu_device_leave(&scope);
  return lcu_device_status(from->device, st);
}

lcu_status lcu_graph_clone (lcu_graph *g, lcu_graph **out) {
  lcu_graph *c = lcu_graph_new(g->device);
  if (c == NULL) return LCU_E_NOMEM;
  lcu_status st = clone_recording(g, c);
  if (st == LCU_OK) st = lcu_graph_instantiate(c);
  if (st == LCU_OK) st = lcu_graph_list_uses(c);
  if (st == LCU_OK) *out = c;
  else lcu_unref(c);
  return st;
}


/* ---- its description ---- */

lcu_status lcu_graph_dot (lcu_graph *g, const char *path) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter_probe(g->device, &scope));
  lcu_status st = lcu_device_status(
    g->device, LCU_CALL(g->device->drv, cuGraphDebugDotPrint, (g->recording->graph, path, 0)));
  lcu_device_leave(&scope);
  return st;
}

/* Kernels were recorded in the order of the driver's list, or nearly: the search begins after the
 * last one found. */
static const lcu_kept_kernel *find_kernel (const lcu_kept *k, cu_graph_node node, size_t *from) {
  for (size_t i = 0; i < k->num_kernels; i++) {
    size_t at = (*from + i) % k->num_kernels;
    if (k->kernels[at].node != node) continue;
    *from = at + 1;
    return &k->kernels[at];
  }
  return NULL;
}

static lcu_status describe (lcu_graph *g, const cu_graph_node *nodes, lcu_graph_node *out,
                            size_t n) {
  size_t from = 0;
  for (size_t i = 0; i < n; i++) {
    LCU_TRY(LCU_CALL(g->device->drv, cuGraphNodeGetType, (nodes[i], &out[i].type)));
    out[i].kernel = find_kernel(&g->recording->kept, nodes[i], &from);
  }
  return LCU_OK;
}

static lcu_status nodes_entered (lcu_graph *g, lcu_graph_node **out, size_t *n) {
  const lcu_driver *drv = g->device->drv;
  LCU_TRY(LCU_CALL(drv, cuGraphGetNodes, (g->recording->graph, NULL, n)));
  if (*n == 0) return LCU_OK;
  cu_graph_node *nodes = lcu_calloc(*n, sizeof *nodes);
  lcu_graph_node *list = lcu_calloc(*n, sizeof *list);
  lcu_status st = nodes == NULL || list == NULL ? lcu_no_memory("the nodes of a graph") : LCU_OK;
  if (st == LCU_OK) st = LCU_CALL(drv, cuGraphGetNodes, (g->recording->graph, nodes, n));
  if (st == LCU_OK) st = describe(g, nodes, list, *n);
  lcu_free(nodes);
  if (st == LCU_OK) *out = list;
  else lcu_free(list);
  return st;
}

lcu_status lcu_graph_nodes (lcu_graph *g, lcu_graph_node **out, size_t *n) {
  lcu_scope scope;
  *out = NULL;
  *n = 0;
  LCU_TRY(lcu_device_enter_probe(g->device, &scope));
  lcu_status st = lcu_device_status(g->device, nodes_entered(g, out, n));
  lcu_device_leave(&scope);
  return st;
}
