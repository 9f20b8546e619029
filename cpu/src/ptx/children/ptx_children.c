/* ptx_children.c: what a kernel launches. */
#include "ptx_children.h"

#include <stdlib.h>
#include <string.h>

#include "ptx_grid.h"
#include "ptx_module.h"
#include "ptx_refs.h"

enum {
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
  for (size_t i = ptx_children_count(c); params != 0 && i > 0; i--)
    if (child_at(c, i - 1)->params == params) return child_at(c, i - 1);
  return NULL;
}

/* Adds the child; NULL where as many as may be are not complete, or no memory. */
static ptx_child *add (ptx_grid *g, const ptx_child *child) {
  ptx_children *c = &g->children;
  size_t n = ptx_children_count(c);
  if (n + g->launch->pending >= g->launch->max_children) return NULL;
  lcu_buf_add(&c->list, child, sizeof *child);
  if (c->list.failed) return NULL;
  child_at(c, n)->order = (uint32_t)n;
  return child_at(c, n);
}

static ptx_device_error launch_child (const ptx_grid *g, uint64_t params, const ptx_child *as,
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
  if (e == PTX_DEVICE_SUCCESS) e = launch_child(g, params, as, stream);
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

/* ---- after the grid */

static int compare (const void *a, const void *b) {
  const ptx_child *x = a, *y = b;
  if (x->tail != y->tail) return x->tail ? 1 : -1;
  if (x->cta != y->cta) return x->cta < y->cta ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

void ptx_children_sort (ptx_children *c) {
  size_t n = ptx_children_count(c);
  if (n > 1) qsort(c->list.data, n, sizeof(ptx_child), compare);
}

size_t ptx_children_count (const ptx_children *c) { return c->list.len / sizeof(ptx_child); }

ptx_child ptx_children_at (const ptx_children *c, size_t i) { return *child_at(c, i); }

ptx_child ptx_children_take_last (ptx_children *c) {
  c->list.len -= sizeof(ptx_child);
  return *child_at(c, ptx_children_count(c));
}

void ptx_children_free (ptx_children *c, const ptx_host *host) {
  for (size_t i = 0; i < ptx_children_count(c); i++)
    if (child_at(c, i)->params != 0) host->heap_free(host->ud, child_at(c, i)->params);
  lcu_buf_free(&c->list);
}
