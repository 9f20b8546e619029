/* ptx_run.c: the launch of a kernel, from its checks to its end. */
#include <stdio.h>
#include <string.h>

#include "ptx_count.h"
#include "ptx_grid.h"
#include "ptx_module.h"
#include "ptx_tier.h"
#include "ptx_window.h"

/* ---- checks */

static lcu_status bad_block (const char *name, const uint32_t *b, const char *why,
                             const uint32_t *need) {
  return lcu_fail(LCU_E_ARGUMENT,
                  "kernel `%s` cannot run with blocks of (%u,%u,%u) threads: %s (%u,%u,%u)", name,
                  b[0], b[1], b[2], why, need[0], need[1], need[2]);
}

static lcu_status check_block (const ptx_kernel_info *info, const uint32_t *b) {
  uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
  uint32_t limit = info->max_threads < PTX_MAX_THREADS ? info->max_threads : PTX_MAX_THREADS;
  if (b[0] == 0 || b[1] == 0 || b[2] == 0)
    return lcu_fail(LCU_E_ARGUMENT, "block (%u,%u,%u) of kernel `%s` has no threads", b[0], b[1],
                    b[2], info->name);
  if (info->req_block[0] != 0 && memcmp(info->req_block, b, sizeof info->req_block) != 0)
    return bad_block(info->name, b, "it was compiled for", info->req_block);
  if (threads > limit)
    return lcu_fail(LCU_E_ARGUMENT,
                    "block (%u,%u,%u) of kernel `%s` has %llu threads, more than %u", b[0], b[1],
                    b[2], info->name, (unsigned long long)threads, limit);
  return LCU_OK;
}

static lcu_status check_grid (const ptx_launch *launch, const char *name) {
  const uint32_t *n = launch->grid;
  uint64_t total = (uint64_t)n[0] * n[1];
  if (total == 0 || n[2] == 0)
    return lcu_fail(LCU_E_ARGUMENT, "grid (%u,%u,%u) of kernel `%s` has no blocks", n[0], n[1],
                    n[2], name);
  if (total > UINT64_MAX / 2 / n[2])
    return lcu_fail(LCU_E_ARGUMENT, "grid (%u,%u,%u) of kernel `%s` is too large", n[0], n[1], n[2],
                    name);
  if (launch->cooperative && total * n[2] > launch->max_resident_blocks)
    return lcu_fail(
      LCU_E_ARGUMENT,
      "cooperative kernel `%s` needs all of its %llu blocks in flight; at most %u fit", name,
      (unsigned long long)(total * n[2]), launch->max_resident_blocks);
  return LCU_OK;
}

void ptx_cluster_of (const ptx_launch *launch, uint32_t out[3]) {
  const uint32_t *asked = launch->cluster, *needed = launch->kernel->info.req_cluster;
  for (int k = 0; k < 3; k++) out[k] = asked[0] != 0 ? asked[k] : needed[0] != 0 ? needed[k] : 1;
}

static lcu_status check_cluster (const ptx_launch *launch, const ptx_kernel_info *info) {
  uint32_t c[3];
  const uint32_t *n = launch->grid, *need = info->req_cluster;
  ptx_cluster_of(launch, c);
  uint64_t size = (uint64_t)c[0] * c[1] * c[2];
  if (size == 0 || size > PTX_MAX_CLUSTER)
    return lcu_fail(LCU_E_ARGUMENT,
                    "cluster (%u,%u,%u) of kernel `%s`: 1 to %u blocks are possible", c[0], c[1],
                    c[2], info->name, PTX_MAX_CLUSTER);
  if (need[0] != 0 && memcmp(need, c, sizeof c) != 0)
    return lcu_fail(LCU_E_ARGUMENT,
                    "kernel `%s` cannot run with clusters of (%u,%u,%u) blocks: it was compiled "
                    "for (%u,%u,%u)",
                    info->name, c[0], c[1], c[2], need[0], need[1], need[2]);
  if (n[0] % c[0] != 0 || n[1] % c[1] != 0 || n[2] % c[2] != 0)
    return lcu_fail(LCU_E_ARGUMENT,
                    "grid (%u,%u,%u) of kernel `%s` is not a multiple of its clusters of "
                    "(%u,%u,%u) blocks",
                    n[0], n[1], n[2], info->name, c[0], c[1], c[2]);
  return LCU_OK;
}

lcu_status ptx_launch_check (const ptx_launch *launch) {
  const ptx_kernel_info *info = &launch->kernel->info;
  LCU_TRY(check_block(info, launch->block));
  LCU_TRY(check_grid(launch, info->name));
  LCU_TRY(check_cluster(launch, info));
  if (info->param_bytes != 0 && launch->params == NULL)
    return lcu_fail(LCU_E_ARGUMENT, "kernel `%s` needs %u bytes of parameters", info->name,
                    info->param_bytes);
  return LCU_OK;
}

/* ---- the run */

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

/* Runs a grid and what it launches, except for *last (ptx_children.h). */
static lcu_status run_family (const ptx_launch *launch, ptx_child *last, ptx_fault *fault,
                              ptx_counters *counters) {
  LCU_TRY(ptx_kernel_prepare(launch->kernel));
  LCU_TRY(ptx_launch_check(launch));
  if (launch->profile != NULL) LCU_TRY(ptx_profile_begin(launch->profile, launch));
  ptx_grid *g = ptx_grid_new(launch, fault, counters != NULL);
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
  lcu_status status = ptx_grid_end(g, counters);
  if (status == LCU_OK && launch->profile != NULL)
    status = ptx_profile_end(launch->profile, launch);
  if (status == LCU_OK) status = ptx_children_run(&children, launch, last, fault, counters);
  ptx_children_free(&children, host);
  return status;
}

/* Grids that follow each other may never end, and be too short to look themselves. */
static lcu_status may_follow (const ptx_launch *l, double deadline, ptx_fault *fault) {
  bool late = l->timeout_ms > 0 && lcu_now_ms() > deadline;
  char detail[96] = "the program was interrupted";
  if (!late && (l->stop == NULL || !l->stop(l->stop_ud))) return LCU_OK;
  *fault = (ptx_fault){ .kind = late ? PTX_FAULT_TIMEOUT : PTX_FAULT_INTERRUPTED };
  snprintf(fault->kernel, sizeof fault->kernel, "%s", l->kernel->info.name);
  if (late)
    snprintf(detail, sizeof detail, "tail launches were not done after %.0f ms", l->timeout_ms);
  ptx_fault_describe(fault, detail);
  return lcu_fail(LCU_E_FAULT, "%s", fault->message);
}

/* Runs `next`, if it is one, and what follows it. A loop, because there is no limit to them. */
static lcu_status follow (const ptx_launch *first, lcu_status status, ptx_child *next,
                          ptx_fault *fault, ptx_counters *counters) {
  const ptx_host *host = first->kernel->module->host;
  double deadline = lcu_now_ms() + first->timeout_ms;
  while (next->kernel != NULL) {
    ptx_child now = *next;
    ptx_counters own = { 0 };
    ptx_launch l;
    next->kernel = NULL;
    ptx_child_describe(&now, first, &l);
    if (status == LCU_OK) status = may_follow(&l, deadline, fault);
    if (status == LCU_OK) status = run_family(&l, next, fault, counters != NULL ? &own : NULL);
    if (counters != NULL) ptx_counters_add(counters, &own);
    host->heap_free(host->ud, now.params);
  }
  return status;
}

lcu_status ptx_run (const ptx_launch *launch, ptx_fault *fault, ptx_counters *counters) {
  ptx_fault unused;
  ptx_child next = { .kernel = NULL };
  if (fault == NULL) fault = &unused;
  if (counters != NULL) memset(counters, 0, sizeof *counters);
  LCU_TRY(ptx_window_reserve());
  lcu_status status = run_family(launch, &next, fault, counters);
  return next.kernel != NULL ? follow(launch, status, &next, fault, counters) : status;
}
