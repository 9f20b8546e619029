/* cpu_cluster.c: clusters of launches, what functions say about theirs, and their occupancy. */

#include <inttypes.h>
#include <string.h>

#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_grid.h"
#include "cpu_launch.h"
#include "cpu_module.h"
#include "cpu_words.h"

enum { PORTABLE = 8, POLICIES = 3 };

/* ---- launches ---- */

static const ptx_kernel_info *info_of (const cpu_function *f) {
  return ptx_kernel_get_info(f->kernel);
}

/* What the function was compiled for, or was given as an attribute; zeros: nothing. */
static void required (const cpu_function *f, uint32_t out[3]) {
  const uint32_t *compiled = info_of(f)->req_cluster;
  for (int k = 0; k < 3; k++)
    out[k] = compiled[0] != 0 ? compiled[k] : (uint32_t)f->set->cluster[k];
}

static uint64_t largest (const cpu_function *f) {
  return f->set->non_portable ? PTX_MAX_CLUSTER : PORTABLE;
}

static cu_result check_size (const char *call, const cpu_grid *g) {
  const uint32_t *c = g->cluster;
  const char *name = info_of(g->function)->name;
  uint64_t n = cpu_grid_volume(c), most = largest(g->function);
  if (n == 0 || n > most)
    return cpu_fail(call, CU_ERR_INVALID_CLUSTER_SIZE,
                    "a cluster of %u x %u x %u blocks; kernel `%.200s` may have 1 to %d", c[0],
                    c[1], c[2], name, (int)most);
  for (int i = 0; i < 3; i++)
    if (g->grid[i] % c[i] != 0)
      return cpu_fail(call, CU_ERR_INVALID_CLUSTER_SIZE,
                      "grid %c is %u; it must be a multiple of the cluster's %u", "xyz"[i],
                      g -> grid[i], c[i]);
  return 0;
}

static cu_result check_required (const char *call, const cpu_grid *g, const uint32_t need[3]) {
  const uint32_t *c = g->cluster;
  if (need[0] == 0 || memcmp(need, c, sizeof g->cluster) == 0) return 0;
  return cpu_fail(call, CU_ERR_INVALID_CLUSTER_SIZE,
                  "a cluster of %u x %u x %u blocks; kernel `%.200s` was compiled for %u x %u x %u",
                  c[0], c[1], c[2], info_of(g->function)->name, need[0], need[1], need[2]);
}

cu_result cpu_cluster_check (const char *call, cpu_grid *g) {
  const ptx_kernel_info *info = info_of(g->function);
  uint32_t need[3];
  required(g->function, need);
  bool given = g->cluster[0] != 0;
  if (!given) memcpy(g->cluster, need, sizeof need);
  if (!given && need[0] == 0) {
    if (!info->explicit_cluster) return 0;
    return cpu_fail(call, CU_ERR_INVALID_CLUSTER_SIZE,
                    "kernel `%.200s` must be launched with a cluster", info->name);
  }
  if (cpu_configuration.cc < 90) return cpu_grid_volume(g->cluster) == 1 ? 0 : CU_ERR_NOT_SUPPORTED;
  cu_result r = check_size(call, g);
  return r != 0 || !given ? r : check_required(call, g, need);
}

/* ---- attributes ---- */

bool cpu_cluster_is_attribute (int attr) {
  return attr >= CU_FUNC_CLUSTER_SIZE_MUST_BE_SET &&
         attr <= CU_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
}

int cpu_cluster_attribute (const cpu_function *f, int attr) {
  uint32_t need[3];
  required(f, need);
  switch (attr) {
    case CU_FUNC_CLUSTER_SIZE_MUST_BE_SET: return info_of(f)->explicit_cluster;
    case CU_FUNC_REQUIRED_CLUSTER_WIDTH: return (int)need[0];
    case CU_FUNC_REQUIRED_CLUSTER_HEIGHT: return (int)need[1];
    case CU_FUNC_REQUIRED_CLUSTER_DEPTH: return (int)need[2];
    case CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: return f->set->non_portable;
    default: return f->set->policy;
  }
}

static cu_result set_flag (atomic_int *field, int value, int count) {
  if (value < 0 || value >= count) return CU_ERR_INVALID_VALUE;
  *field = value;
  return 0;
}

cu_result cpu_cluster_set_attribute (cpu_function *f, int attr, int value) {
  if (cpu_configuration.cc < 90) return CU_ERR_NOT_SUPPORTED;
  switch (attr) {
    case CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return set_flag(&f->set->non_portable, value, 2);
    case CU_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return set_flag(&f->set->policy, value, POLICIES);
    case CU_FUNC_CLUSTER_SIZE_MUST_BE_SET: return CU_ERR_INVALID_VALUE;
    default: break;
  }
  if (info_of(f)->req_cluster[0] != 0) return CU_ERR_NOT_PERMITTED;
  return set_flag(&f->set->cluster[attr - CU_FUNC_REQUIRED_CLUSTER_WIDTH], value,
                  PTX_MAX_CLUSTER + 1);
}

/* ---- occupancy ---- */

static cu_result read (cu_function f, const cu_launch_config *c, const int *out, cpu_grid *g) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  f = cpu_function_of(f);
  if (f == NULL) return CU_ERR_INVALID_HANDLE;
  if (cpu_configuration.cc < 90) return CU_ERR_NOT_SUPPORTED;
  return out == NULL ? CU_ERR_INVALID_VALUE : cpu_launch_read(c, f, g);
}

static uint64_t blocks_per_sm (const cpu_grid *g) {
  return (uint64_t)cpu_function_blocks(g->function, cpu_grid_volume(g->block), g->shared);
}

/* A worker takes a whole cluster, also one with more blocks than would fit on a multiprocessor. */
cu_result cpu_cuOccupancyMaxActiveClusters (int *clusters, cu_function f,
                                            const cu_launch_config *c) {
  static const char call[] = "cuOccupancyMaxActiveClusters";
  cpu_grid g;
  cu_result r = read(f, c, clusters, &g);
  if (r == 0) r = cpu_cluster_check(call, &g);
  if (r != 0) return r;
  uint64_t size = cpu_grid_volume(g.cluster), blocks = blocks_per_sm(&g);
  if (size == 0) return cpu_fail(call, CU_ERR_INVALID_CLUSTER_SIZE, "no size of clusters is given");
  uint64_t each = blocks == 0 ? 0 : blocks < size ? 1 : blocks / size;
  *clusters = (int)each * cpu_configuration.threads;
  return 0;
}

cu_result cpu_cuOccupancyMaxPotentialClusterSize (int *blocks, cu_function f,
                                                  const cu_launch_config *c) {
  cpu_grid g;
  uint32_t need[3];
  cu_result r = read(f, c, blocks, &g);
  if (r != 0) return r;
  if (blocks_per_sm(&g) == 0) return CU_ERR_INVALID_VALUE;
  required(g.function, need);
  *blocks = (int)(need[0] != 0 ? cpu_grid_volume(need) : largest(g.function));
  return 0;
}
