/* lcu_graph_change.c: other work or other arguments for a graph, and copies of it. */
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
  lcu_unref(g->x->recorded);
  g->x->recorded = lcu_ref(holder);
  lcu_status st = lcu_graph_list_uses(g);
  lcu_unref(before);
  return st;
}

/* Launches of the old executable that still run keep it. */
static lcu_status replace_executable (lcu_graph *g, lcu_recording *r, lcu_block *holder) {
  lcu_graph before = *g;
  g->recording = r;
  g->recorded = holder;
  g->uses = NULL;
  lcu_status st = lcu_graph_instantiate(g);
  if (st == LCU_OK) st = lcu_graph_list_uses(g);
  if (st != LCU_OK) {
    if (g->executable != before.executable) lcu_unref(g->executable);
    lcu_unref(holder);
    *g = before;
    return st;
  }
  lcu_unref(before.executable);
  lcu_unref(before.recorded);
  lcu_free(before.uses);
  return LCU_OK;
}

lcu_status lcu_graph_update (lcu_graph *g, lcu_capture *c) {
  lcu_recording *r;
  lcu_block *holder = NULL;
  lcu_scope scope;
  LCU_TRY(lcu_graph_record(g->device, c, &r, &holder));
  if (r->kept.num_conditions > 0 || g->recording->kept.num_conditions > 0)
    return replace_executable(g, r, holder);
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
  for (size_t i = 0; i < k->num_comms; i++) LCU_TRY(lcu_kept_comm(&to->kept, k->comms[i]));
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
  if (g->recording->kept.num_conditions > 0)
    return lcu_fail(LCU_E_STATE, "a graph with work under a condition cannot be cloned; record it "
                                 "again with cuda.graph");
  lcu_graph *c = lcu_graph_new(g->device);
  if (c == NULL) return LCU_E_NOMEM;
  lcu_status st = clone_recording(g, c);
  if (st == LCU_OK) st = lcu_graph_instantiate(c);
  if (st == LCU_OK) st = lcu_graph_list_uses(c);
  if (st == LCU_OK) *out = c;
  else lcu_unref(c);
  return st;
}
