/* ptx_launch_check.c: whether a kernel can be launched like this. */
#include <string.h>

#include "ptx_grid.h"
#include "ptx_module.h"

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
