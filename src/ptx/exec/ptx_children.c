/* ptx_children.c: what a kernel launches. */
#include "ptx_children.h"

#include <stdlib.h>
#include <string.h>

#include "ptx_grid.h"
#include "ptx_module.h"
#include "ptx_refs.h"

enum {
  MAX_DEPTH = 24, /* of grids that launch grids */
  MAX_SHARED = 48 * 1024,
  MAX_GRID_X = 0x7fffffff,
  MAX_GRID_YZ = 65535,
  MAX_BLOCK_Z = 64,
  TAIL_LAUNCH = 3 /* cudaStreamTailLaunch */
};

ptx_kernel *ptx_child_kernel (const ptx_xwarp *x, uint64_t function) {
  const ptx_module *m = x->cta->grid->function->module;
  const ptx_function *f = ptx_refs_function_at(m, function);
  for (uint32_t k = 0; f != NULL && k < m->num_kernels; k++)
    if (m->kernels[k].function == f) return &m->kernels[k];
  return NULL;
}

/* Limits of devices that ptx_launch_check does not know. */
static bool is_too_large (const ptx_child *c) {
  return c->grid[0] > MAX_GRID_X || c->grid[1] > MAX_GRID_YZ || c->grid[2] > MAX_GRID_YZ ||
         c->block[2] > MAX_BLOCK_Z;
}

/* Why the child cannot be launched, or 0. */
static ptx_device_error problem (const ptx_launch *parent, const ptx_child *c) {
  ptx_launch l = *parent;
  if (c->kernel == NULL) return PTX_DEVICE_INVALID_FUNCTION;
  l.kernel = c->kernel;
  l.params = l.kernel;
  l.cooperative = false;
  memset(l.cluster, 0, sizeof l.cluster);
  memcpy(l.grid, c->grid, sizeof l.grid);
  memcpy(l.block, c->block, sizeof l.block);
  if (is_too_large(c) || ptx_launch_check(&l) != LCU_OK) return PTX_DEVICE_INVALID_CONFIGURATION;
  return c->shared > MAX_SHARED - c->kernel->info.shared_bytes ? PTX_DEVICE_INVALID_VALUE
                                                               : PTX_DEVICE_SUCCESS;
}

ptx_device_error ptx_device_error_set (ptx_xwarp *x, uint32_t lane, ptx_device_error error) {
  if (error == PTX_DEVICE_SUCCESS) return error;
  x->failed |= 1u << lane;
  x->errors[lane] = (uint16_t)error;
  return error;
}

/* ---- the list. Under the grid's lock. */

static ptx_child *child_at (const ptx_children *c, size_t i) {
  return (ptx_child *)(void *)c->list.data + i;
}

/* The newest one first: it is nearly always the one. */
static ptx_child *find (const ptx_children *c, uint64_t params) {
  for (size_t i = c->list.len / sizeof(ptx_child); params != 0 && i > 0; i--)
    if (child_at(c, i - 1)->params == params) return child_at(c, i - 1);
  return NULL;
}

/* Adds the child; NULL where there are as many as may be, or no memory. */
static ptx_child *add (ptx_grid *g, const ptx_child *child) {
  ptx_children *c = &g->children;
  size_t n = c->list.len / sizeof *child;
  if (n >= g->launch->max_children) return NULL;
  lcu_buf_add(&c->list, child, sizeof *child);
  if (c->list.failed) return NULL;
  child_at(c, n)->order = (uint32_t)n;
  return child_at(c, n);
}

static ptx_device_error launch (const ptx_grid *g, uint64_t params, const ptx_child *as,
                                uint64_t stream) {
  ptx_child *child = find(&g->children, params);
  if (child == NULL || child->launched) return PTX_DEVICE_INVALID_VALUE;
  if (as != NULL) {
    child->kernel = as->kernel;
    child->shared = as->shared;
    memcpy(child->grid, as->grid, sizeof child->grid);
    memcpy(child->block, as->block, sizeof child->block);
  }
  if (child->kernel == NULL) return PTX_DEVICE_INVALID_VALUE;
  child->tail = stream == TAIL_LAUNCH;
  if (!child->tail && g->launch->depth >= MAX_DEPTH) return PTX_DEVICE_MAX_DEPTH;
  child->launched = true;
  return PTX_DEVICE_SUCCESS;
}

/* ---- calls of a thread */

static ptx_device_error reserve (ptx_xwarp *x, ptx_child *child, uint64_t bytes) {
  ptx_grid *g = x->cta->grid;
  child->cta = x->cta->linear;
  child->params = (uint64_t)(uintptr_t)g->host->heap_alloc(g->host->ud, bytes != 0 ? bytes : 1);
  if (child->params == 0) return PTX_DEVICE_PENDING;
  pthread_mutex_lock(&g->lock);
  bool added = add(g, child) != NULL;
  pthread_mutex_unlock(&g->lock);
  if (added) return PTX_DEVICE_SUCCESS;
  g->host->heap_free(g->host->ud, child->params);
  child->params = 0;
  return PTX_DEVICE_PENDING;
}

ptx_device_error ptx_child_reserve (ptx_xwarp *x, uint32_t lane, ptx_child *child) {
  ptx_device_error e = problem(x->cta->grid->launch, child);
  if (e == PTX_DEVICE_SUCCESS) e = reserve(x, child, child->kernel->info.param_bytes);
  return ptx_device_error_set(x, lane, e);
}

ptx_device_error ptx_child_reserve_bytes (ptx_xwarp *x, uint32_t lane, uint64_t bytes,
                                          uint64_t *out) {
  ptx_child child = { 0 };
  ptx_device_error e = reserve(x, &child, bytes);
  *out = child.params;
  return ptx_device_error_set(x, lane, e);
}

ptx_device_error ptx_child_launch (ptx_xwarp *x, uint32_t lane, uint64_t params,
                                   const ptx_child *as, uint64_t stream) {
  ptx_grid *g = x->cta->grid;
  ptx_device_error e = as != NULL ? problem(g->launch, as) : PTX_DEVICE_SUCCESS;
  pthread_mutex_lock(&g->lock);
  if (e == PTX_DEVICE_SUCCESS) e = launch(g, params, as, stream);
  pthread_mutex_unlock(&g->lock);
  return ptx_device_error_set(x, lane, e);
}

ptx_device_error ptx_child_transfer (ptx_xwarp *x, uint32_t lane, const ptx_transfer *t,
                                     uint64_t stream) {
  ptx_grid *g = x->cta->grid;
  ptx_child child = {
    .transfer = *t, .cta = x->cta->linear, .launched = true, .tail = stream == TAIL_LAUNCH
  };
  pthread_mutex_lock(&g->lock);
  bool added = add(g, &child) != NULL;
  pthread_mutex_unlock(&g->lock);
  return ptx_device_error_set(x, lane, added ? PTX_DEVICE_SUCCESS : PTX_DEVICE_PENDING);
}

/* ---- running them */

static int compare (const void *a, const void *b) {
  const ptx_child *x = a, *y = b;
  if (x->tail != y->tail) return x->tail ? 1 : -1;
  if (x->cta != y->cta) return x->cta < y->cta ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

void ptx_child_describe (const ptx_child *c, const ptx_launch *parent, ptx_launch *out) {
  *out = *parent;
  out->kernel = c->kernel;
  out->dynamic_shared = c->shared;
  out->params = (const void *)(uintptr_t)c->params;
  out->cooperative = false;
  out->depth = parent->depth + (c->tail ? 0 : 1);
  memcpy(out->grid, c->grid, sizeof out->grid);
  memcpy(out->block, c->block, sizeof out->block);
  memset(out->cluster, 0, sizeof out->cluster);
}

static lcu_status run_grid (const ptx_child *c, const ptx_launch *parent, ptx_fault *fault,
                            ptx_counters *counters) {
  ptx_counters own = { 0 };
  ptx_launch l;
  ptx_child_describe(c, parent, &l);
  lcu_status status = ptx_run(&l, fault, counters != NULL ? &own : NULL);
  if (counters != NULL) ptx_counters_add(counters, &own);
  return status;
}

static lcu_status run_child (const ptx_child *c, const ptx_launch *parent, ptx_fault *fault,
                             ptx_counters *counters) {
  if (!c->launched) return LCU_OK;
  return c->kernel != NULL ? run_grid(c, parent, fault, counters)
                           : ptx_transfer_run(&c->transfer, parent, fault);
}

/* Takes the last one from the list if it is a grid that was launched to follow. */
static bool take_last (ptx_children *c, ptx_child *last) {
  size_t n = c->list.len / sizeof(ptx_child);
  const ptx_child *at = n > 0 ? child_at(c, n - 1) : NULL;
  if (at == NULL || !at->launched || !at->tail || at->kernel == NULL) return false;
  *last = *at;
  c->list.len -= sizeof(ptx_child);
  return true;
}

lcu_status ptx_children_run (ptx_children *c, const ptx_launch *parent, ptx_child *last,
                             ptx_fault *fault, ptx_counters *counters) {
  size_t n = c->list.len / sizeof(ptx_child);
  if (n > 1) qsort(c->list.data, n, sizeof(ptx_child), compare);
  if (take_last(c, last)) n--;
  for (size_t i = 0; i < n; i++) LCU_TRY(run_child(child_at(c, i), parent, fault, counters));
  return LCU_OK;
}

void ptx_children_free (ptx_children *c, const ptx_host *host) {
  for (size_t i = 0; i < c->list.len / sizeof(ptx_child); i++)
    if (child_at(c, i)->params != 0) host->heap_free(host->ud, child_at(c, i)->params);
  lcu_buf_free(&c->list);
}
