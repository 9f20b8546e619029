/* lcu_launch.c: the path to cuLaunchKernel. */
#include "lcu_launch.h"

#include <stdio.h>
#include <string.h>

#include "lcu_capture.h"
#include "lcu_device_failure.h"
#include "lcu_scope.h"
#include "lcu_timeline.h"
#include "lcu_wait.h"
#include "lcu_work.h"

enum { MOST_ATTRS = 5 };

static cu_launch_attr *add_attr (cu_launch_attr *attrs, unsigned *n, int id) {
  attrs[*n].id = id;
  return &attrs[(*n)++];
}

static unsigned list_attrs (const lcu_config *c, cu_launch_attr attrs[MOST_ATTRS]) {
  const lcu_launch_extras *e = &c->extras;
  unsigned n = 0;
  if (e->cluster[0] != 0) {
    cu_launch_attr_value *v = &add_attr(attrs, &n, CU_LAUNCH_ATTR_CLUSTER)->value;
    v->cluster.x = e->cluster[0];
    v->cluster.y = e->cluster[1];
    v->cluster.z = e->cluster[2];
  }
  if (c->cooperative) add_attr(attrs, &n, CU_LAUNCH_ATTR_COOPERATIVE)->value.cooperative = 1;
  if (e->programmatic) add_attr(attrs, &n, CU_LAUNCH_ATTR_PROGRAMMATIC)->value.programmatic = 1;
  if (e->has_priority) add_attr(attrs, &n, CU_LAUNCH_ATTR_PRIORITY)->value.priority = e->priority;
  if (e->sync_domain != CU_SYNC_DOMAIN_DEFAULT)
    add_attr(attrs, &n, CU_LAUNCH_ATTR_SYNC_DOMAIN)->value.sync_domain = e->sync_domain;
  return n;
}

static cu_launch_config config_of (const lcu_config *c, cu_launch_attr attrs[MOST_ATTRS]) {
  return (cu_launch_config){ c->grid[0],  c->grid[1],          c->grid[2], c->block[0],
                             c->block[1], c->block[2],         c->shared,  c->stream->handle,
                             attrs,       list_attrs(c, attrs) };
}

static LCU_COLD lcu_status launch_extended (lcu_function *f, const lcu_config *c, void **params) {
  cu_launch_attr attrs[MOST_ATTRS] = { { 0 } };
  cu_launch_config config = config_of(c, attrs);
  return LCU_CALL(f->device->drv, cuLaunchKernelEx, (&config, f->handle, params, NULL));
}

static LCU_COLD lcu_status launch_cooperative (lcu_function *f, const lcu_config *c,
                                               void **params) {
  const uint32_t *g = c->grid, *b = c->block;
  return LCU_CALL(
    f->device->drv, cuLaunchCooperativeKernel,
    (f->handle, g[0], g[1], g[2], b[0], b[1], b[2], c->shared, c->stream->handle, params));
}

static inline lcu_status call_driver (lcu_function *f, const lcu_config *c, void **params) {
  const uint32_t *g = c->grid, *b = c->block;
  if (lcu_unlikely(c->extras.any)) return launch_extended(f, c, params);
  if (lcu_unlikely(c->cooperative)) return launch_cooperative(f, c, params);
  return LCU_CALL(
    f->device->drv, cuLaunchKernel,
    (f->handle, g[0], g[1], g[2], b[0], b[1], b[2], c->shared, c->stream->handle, params, NULL));
}

enum { WATCHES = LCU_WATCH_LAUNCH | LCU_WATCH_TIMES };
static _Atomic(lcu_launch_hook) launch_hook;

void lcu_launch_watch (lcu_launch_hook hook) { atomic_store(&launch_hook, hook); }

static LCU_COLD lcu_status launch_watched (lcu_function *f, const lcu_config *c, void **params) {
  lcu_launch_hook hook = atomic_load(&launch_hook);
  lcu_timeline_open(c->stream, LCU_SPAN_KERNEL);
  lcu_timeline_kernel(f->name, c->grid, c->block);
  lcu_status s = call_driver(f, c, params);
  lcu_timeline_close(c->stream, s);
  if (hook != NULL && lcu_process_watched(LCU_WATCH_LAUNCH)) hook(f, c, params, s);
  return s;
}

/* Adds the launch to the record of a failure. A fault has the kernel it happened in, which may be
 * an earlier one. */
static LCU_COLD lcu_status explain (lcu_function *f, const lcu_config *c, lcu_status s) {
  lcu_failure *r = lcu_failure_get();
  bool fatal = lcu_status_is_fatal(s);
  s = lcu_device_status(f->device, s);
  if (fatal || r->has_fault || s != r->code) return s;
  lcu_launch_shape *l = &r->launch;
  r->has_launch = true;
  snprintf(l->kernel, sizeof l->kernel, "%s", f->name);
  memcpy(l->grid, c->grid, sizeof l->grid);
  memcpy(l->block, c->block, sizeof l->block);
  l->shared = c->shared;
  l->static_shared = f->static_shared;
  l->registers = 0;
  (void)f->device->drv->cuFuncGetAttribute(&l->registers, CU_FUNC_NUM_REGS, f->handle);
  return s;
}

static LCU_COLD lcu_status note_recorded (lcu_function *f, const lcu_config *c, const lcu_use *uses,
                                          size_t n) {
  lcu_kept_kernel k = { .function = f, .shared = c->shared, .settable = c->settable };
  memcpy(k.grid, c->grid, sizeof k.grid);
  memcpy(k.block, c->block, sizeof k.block);
  return lcu_device_status(f->device, lcu_capture_kernel(c->stream, &k, uses, n));
}

static inline lcu_status launch_entered (lcu_function *f, const lcu_config *c, void **params,
                                         const lcu_use *uses, size_t n) {
  if (lcu_unlikely(!lcu_work_is_sole(c->stream, uses, n)))
    LCU_TRY(lcu_work_order(c->stream, uses, n, c->ordered));
  lcu_status s =
    lcu_process_watched(WATCHES) ? launch_watched(f, c, params) : call_driver(f, c, params);
  if (lcu_unlikely(s != LCU_OK)) return explain(f, c, s);
  if (lcu_unlikely(c->stream->capture != NULL)) LCU_TRY(note_recorded(f, c, uses, n));
  /* unordered work keeps its memory alive as well */
  lcu_work_end_kernel(c->stream, uses, n, c->ordered, f->name, f->id);
  return LCU_OK;
}

lcu_status lcu_launch (lcu_function *f, const lcu_config *c, void **params, const lcu_use *uses,
                       size_t num_uses) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(f->device, &scope));
  lcu_status s = launch_entered(f, c, params, uses, num_uses);
  lcu_device_leave(&scope);
  if (lcu_unlikely(lcu_process_launches_wait()) && s == LCU_OK && c->stream->capture == NULL)
    return lcu_stream_synchronize(c->stream);
  return s;
}

/* ---- clusters ---- */

lcu_status lcu_launch_active_clusters (lcu_function *f, const lcu_config *c, int *clusters) {
  cu_launch_attr attrs[MOST_ATTRS] = { { 0 } };
  cu_launch_config config = config_of(c, attrs);
  lcu_scope scope;
  LCU_TRY(lcu_device_enter_probe(f->device, &scope));
  lcu_status s =
    LCU_CALL(f->device->drv, cuOccupancyMaxActiveClusters, (clusters, f->handle, &config));
  if (s != LCU_OK) s = lcu_device_status(f->device, s);
  lcu_device_leave(&scope);
  return s;
}

lcu_status lcu_launch_cluster_size (lcu_function *f, const lcu_config *c, int *blocks) {
  cu_launch_attr attrs[MOST_ATTRS] = { { 0 } };
  cu_launch_config config = config_of(c, attrs);
  lcu_scope scope;
  *blocks = 0;
  if (!f->device->limits.cluster) return LCU_OK;
  LCU_TRY(lcu_device_enter_probe(f->device, &scope));
  lcu_status s =
    LCU_CALL(f->device->drv, cuOccupancyMaxPotentialClusterSize, (blocks, f->handle, &config));
  if (s != LCU_OK) s = lcu_device_status(f->device, s);
  lcu_device_leave(&scope);
  return s;
}
