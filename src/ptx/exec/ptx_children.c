/* ptx_children.c: grids that a kernel launches. */
#include "ptx_children.h"

#include <stdlib.h>
#include <string.h>

#include "ptx_grid.h"
#include "ptx_module.h"
#include "ptx_refs.h"

enum {
  MAX_DEPTH = 24, /* of grids that launch grids */
  MAX_SHARED = 48 * 1024,
  MAX_GRID_YZ = 65535,
  TAIL_LAUNCH = 3 /* cudaStreamTailLaunch */
};
enum { /* cudaError_t */
       INVALID_VALUE = 1,
       INVALID_CONFIGURATION = 9,
       MAX_DEPTH_EXCEEDED = 65,
       PENDING_EXCEEDED = 69,
       INVALID_FUNCTION = 98
};

static ptx_kernel *kernel_at (const ptx_module *m, uint64_t address) {
  const ptx_function *f = ptx_refs_function_at(m, address);
  for (uint32_t k = 0; f != NULL && k < m->num_kernels; k++)
    if (m->kernels[k].function == f) return &m->kernels[k];
  return NULL;
}

/* 0, or why the child cannot be launched. */
static int problem (const ptx_launch *parent, const ptx_child *c) {
  ptx_launch l = *parent;
  l.kernel = c->kernel;
  l.params = l.kernel;
  l.cooperative = false;
  memcpy(l.grid, c->grid, sizeof l.grid);
  memcpy(l.block, c->block, sizeof l.block);
  if (parent->depth >= MAX_DEPTH) return MAX_DEPTH_EXCEEDED;
  if (c->grid[1] > MAX_GRID_YZ || c->grid[2] > MAX_GRID_YZ || ptx_launch_check(&l) != LCU_OK)
    return INVALID_CONFIGURATION;
  return c->shared > MAX_SHARED - c->kernel->info.shared_bytes ? INVALID_VALUE : 0;
}

static int reserve (ptx_grid *g, ptx_child *c) {
  uint32_t bytes = c->kernel->info.param_bytes;
  int error = problem(g->launch, c);
  if (error != 0) return error;
  c->params = (uint64_t)(uintptr_t)g->host->heap_alloc(g->host->ud, bytes != 0 ? bytes : 1);
  return c->params == 0 ? PENDING_EXCEEDED : 0;
}

static void note_error (ptx_grid *g, int error) {
  pthread_mutex_lock(&g->lock);
  g->children.error = error;
  pthread_mutex_unlock(&g->lock);
}

uint64_t ptx_child_reserve (ptx_xwarp *x, uint64_t function, const uint32_t grid[3],
                            const uint32_t block[3], uint32_t shared) {
  ptx_grid *g = x->cta->grid;
  ptx_child c = { .kernel = kernel_at(g->function->module, function),
                  .shared = shared,
                  .cta = x->cta->linear };
  memcpy(c.grid, grid, sizeof c.grid);
  memcpy(c.block, block, sizeof c.block);
  int error = c.kernel == NULL ? INVALID_FUNCTION : reserve(g, &c);
  if (error != 0) {
    note_error(g, error);
    return 0;
  }
  pthread_mutex_lock(&g->lock);
  c.order = (uint32_t)(g->children.list.len / sizeof c);
  lcu_buf_add(&g->children.list, &c, sizeof c);
  bool kept = !g->children.list.failed;
  pthread_mutex_unlock(&g->lock);
  if (kept) return c.params;
  g->host->heap_free(g->host->ud, c.params);
  return 0;
}

static ptx_child *child_at (const ptx_children *c, size_t i) {
  return (ptx_child *)(void *)c->list.data + i;
}

/* The newest one first: it is nearly always the one. */
static ptx_child *find (const ptx_children *c, uint64_t params) {
  for (size_t i = c->list.len / sizeof(ptx_child); i > 0; i--)
    if (child_at(c, i - 1)->params == params) return child_at(c, i - 1);
  return NULL;
}

static int launch (ptx_children *c, uint32_t most, uint64_t params, uint64_t stream) {
  ptx_child *child = params != 0 ? find(c, params) : NULL;
  if (child == NULL || child->launched) return INVALID_VALUE;
  if (c->num_launched >= most) return PENDING_EXCEEDED;
  child->launched = true;
  child->tail = stream == TAIL_LAUNCH;
  c->num_launched++;
  return 0;
}

int ptx_child_launch (ptx_xwarp *x, uint64_t params, uint64_t stream) {
  ptx_grid *g = x->cta->grid;
  pthread_mutex_lock(&g->lock);
  int error = launch(&g->children, g->launch->max_children, params, stream);
  if (error != 0) g->children.error = error;
  pthread_mutex_unlock(&g->lock);
  return error;
}

int ptx_child_error (ptx_xwarp *x, bool clear) {
  ptx_grid *g = x->cta->grid;
  pthread_mutex_lock(&g->lock);
  int error = g->children.error;
  if (clear) g->children.error = 0;
  pthread_mutex_unlock(&g->lock);
  return error;
}

/* ---- running them */

static int compare (const void *a, const void *b) {
  const ptx_child *x = a, *y = b;
  if (x->tail != y->tail) return x->tail ? 1 : -1;
  if (x->cta != y->cta) return x->cta < y->cta ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static lcu_status run_child (const ptx_child *c, const ptx_launch *parent, ptx_fault *fault,
                             ptx_counters *counters) {
  ptx_counters own = { 0 };
  ptx_launch l = *parent;
  l.kernel = c->kernel;
  l.dynamic_shared = c->shared;
  l.params = (const void *)(uintptr_t)c->params;
  l.cooperative = false;
  l.depth = parent->depth + 1;
  memcpy(l.grid, c->grid, sizeof l.grid);
  memcpy(l.block, c->block, sizeof l.block);
  memset(l.cluster, 0, sizeof l.cluster);
  lcu_status status = ptx_run(&l, fault, counters != NULL ? &own : NULL);
  if (counters != NULL) {
    counters->warp_instructions += own.warp_instructions;
    counters->thread_instructions += own.thread_instructions;
  }
  return status;
}

lcu_status ptx_children_run (ptx_children *c, const ptx_launch *parent, ptx_fault *fault,
                             ptx_counters *counters) {
  size_t n = c->list.len / sizeof(ptx_child);
  if (n > 1) qsort(c->list.data, n, sizeof(ptx_child), compare);
  for (size_t i = 0; i < n; i++)
    if (child_at(c, i)->launched) LCU_TRY(run_child(child_at(c, i), parent, fault, counters));
  return LCU_OK;
}

void ptx_children_free (ptx_children *c, const ptx_host *host) {
  for (size_t i = 0; i < c->list.len / sizeof(ptx_child); i++)
    host->heap_free(host->ud, child_at(c, i)->params);
  lcu_buf_free(&c->list);
}
