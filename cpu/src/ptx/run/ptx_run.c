/* ptx_run.c: runs a grid and all that it launches, one grid after the other. */
#include <stdio.h>
#include <string.h>

#include "ptx_children.h"
#include "ptx_count.h"
#include "ptx_cta_run.h"
#include "ptx_module.h"
#include "ptx_tier.h"
#include "ptx_window.h"
#include "ptx_workers.h"

/* What one grid has launched. The first `started` of them are complete, or the last of these is
 * waiting for what it launched itself: that is the next generation. */
typedef struct generation {
  ptx_children children;
  const ptx_kernel *parent;
  size_t started;
} generation;

/* The generations are on the heap, because it is the kernels that decide how many there are. */
typedef struct family {
  const ptx_launch *first;
  lcu_buf generations; /* generation */
  uint32_t pending;    /* launches that are not complete */
  double deadline;     /* if the first launch has a timeout */
  ptx_fault *fault;
  ptx_counters *counters; /* may be NULL */
} family;

/* ---- one grid */

/* Memory through which a cooperative grid synchronizes; other grids read 0 and trap. */
static lcu_status make_workspace (ptx_grid *g) {
  enum { BYTES = 64 };
  if (!g->launch->cooperative) return LCU_OK;
  void *p = g->host->heap_alloc(g->host->ud, BYTES);
  if (p == NULL) return lcu_no_memory("the workspace of a cooperative launch");
  memset(p, 0, BYTES);
  g->workspace = (uint64_t)(uintptr_t)p;
  return LCU_OK;
}

/* Takes over what the grid has launched. */
static lcu_status add_generation (family *f, const ptx_children *c, const ptx_kernel *parent) {
  generation *g = lcu_buf_space(&f->generations, sizeof *g);
  if (g == NULL) return lcu_no_memory("what a kernel launched");
  *g = (generation){ .children = *c, .parent = parent };
  ptx_children_sort(&g->children);
  f->pending += (uint32_t)ptx_children_count(c);
  return LCU_OK;
}

static lcu_status run_grid (family *f, const ptx_launch *launch) {
  ptx_counters counted = { 0 };
  LCU_TRY(ptx_kernel_prepare(launch->kernel));
  LCU_TRY(ptx_launch_check(launch));
  if (launch->profile != NULL) LCU_TRY(ptx_profile_begin(launch->profile, launch));
  ptx_grid *g = ptx_grid_new(launch, f->fault, f->counters != NULL);
  if (g == NULL) return lcu_no_memory("a launch of kernel `%s`", launch->kernel->info.name);
  g->status = make_workspace(g);
  if (g->status == LCU_OK) {
    ptx_tier_start(g);
    ptx_cta_pool_take(g);
    ptx_grid_run(g);
  } else {
    snprintf(g->message, sizeof g->message, "%s", lcu_failure_get()->message);
  }
  ptx_children children = g->children;
  const ptx_host *host = g->host;
  lcu_status status = ptx_grid_end(g, f->counters != NULL ? &counted : NULL);
  if (f->counters != NULL) ptx_counters_add(f->counters, &counted);
  if (status == LCU_OK && launch->profile != NULL)
    status = ptx_profile_end(launch->profile, launch);
  if (status == LCU_OK && ptx_children_count(&children) > 0) {
    status = add_generation(f, &children, launch->kernel);
    if (status == LCU_OK) return status;
  }
  ptx_children_free(&children, host);
  return status;
}

/* ---- what it launched */

static generation *newest (const family *f) {
  return (generation *)(void *)(f->generations.data + f->generations.len) - 1;
}

static const ptx_host *host_of (const family *f) { return f->first->kernel->module->host; }

static void end_newest (family *f) {
  ptx_children_free(&newest(f)->children, host_of(f));
  f->generations.len -= sizeof(generation);
}

/* There may be grids without end, and each too short to look itself. */
static lcu_status may_go_on (const family *f, const ptx_kernel *with) {
  const ptx_launch *l = f->first;
  bool late = l->timeout_ms > 0 && lcu_now_ms() > f->deadline;
  char detail[96] = "the program was interrupted";
  if (!late && (l->stop == NULL || !l->stop(l->stop_ud))) return LCU_OK;
  *f->fault = (ptx_fault){ .kind = late ? PTX_FAULT_TIMEOUT : PTX_FAULT_INTERRUPTED };
  snprintf(f->fault->kernel, sizeof f->fault->kernel, "%s", with->info.name);
  if (late)
    snprintf(detail, sizeof detail, "launches by kernels were not done after %.0f ms",
             l->timeout_ms);
  ptx_fault_describe(f->fault, detail);
  return lcu_fail(LCU_E_FAULT, "%s", f->fault->message);
}

static lcu_status run_child_grid (family *f, const ptx_child *c) {
  ptx_launch l = *f->first;
  LCU_TRY(may_go_on(f, c->kernel));
  l.kernel = c->kernel;
  l.dynamic_shared = c->shared;
  l.params = (const void *)(uintptr_t)c->params;
  l.cooperative = false;
  l.prior = NULL;
  l.trace = NULL;
  l.pending = f->pending;
  memcpy(l.grid, c->grid, sizeof l.grid);
  memcpy(l.block, c->block, sizeof l.block);
  memset(l.cluster, 0, sizeof l.cluster);
  return run_grid(f, &l);
}

/* Runs the last child of the newest generation, a grid that follows all others of it. Nothing of
 * that generation waits for it, so a chain of such grids may have any length. */
static lcu_status run_follower (family *f) {
  ptx_child c = ptx_children_take_last(&newest(f)->children);
  end_newest(f);
  lcu_status status = run_child_grid(f, &c);
  host_of(f)->heap_free(host_of(f)->ud, c.params);
  f->pending--;
  return status;
}

/* The next step: a child of the newest generation, or the end of that. */
static lcu_status step_family (family *f) {
  generation *g = newest(f);
  size_t n = ptx_children_count(&g->children);
  if (g->started > 0) f->pending--;
  if (g->started == n) {
    end_newest(f);
    return LCU_OK;
  }
  ptx_child c = ptx_children_at(&g->children, g->started++);
  if (!c.launched) return LCU_OK;
  if (c.kernel == NULL) return ptx_transfer_run(&c.transfer, g->parent, f->fault);
  return c.tail && g->started == n ? run_follower(f) : run_child_grid(f, &c);
}

lcu_status ptx_run (const ptx_launch *launch, ptx_fault *fault, ptx_counters *counters) {
  ptx_fault unused;
  family f = { .first = launch, .fault = fault != NULL ? fault : &unused, .counters = counters };
  if (launch->timeout_ms > 0) f.deadline = lcu_now_ms() + launch->timeout_ms;
  if (counters != NULL) memset(counters, 0, sizeof *counters);
  LCU_TRY(ptx_window_reserve());
  lcu_status status = run_grid(&f, launch);
  while (status == LCU_OK && f.generations.len > 0) status = step_family(&f);
  while (f.generations.len > 0) end_newest(&f);
  lcu_buf_free(&f.generations);
  return status;
}
