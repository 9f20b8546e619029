/* cpu_occupancy.c: how many blocks fit on a multiprocessor. */
#include "cpu_launch.h"

#include "cpu_config.h"

static uint64_t smaller (uint64_t a, uint64_t b) { return a < b ? a : b; }

int cpu_kernel_blocks (const ptx_kernel *k, int max_dynamic, uint64_t threads,
                       uint64_t dynamic_shared) {
  const ptx_kernel_info *info = ptx_kernel_get_info(k);
  uint64_t rounded = (threads + CPU_WARP - 1) / CPU_WARP * CPU_WARP,
           shared = info->shared_bytes + dynamic_shared;
  uint64_t most = info->shared_bytes + (uint64_t)max_dynamic;
  if (threads == 0 || threads > info->max_threads) return 0;
  if (shared > (most > CPU_SHARED_DEFAULT ? most : CPU_SHARED_DEFAULT)) return 0;
  const cpu_arch *arch = cpu_configuration.arch;
  uint64_t n = smaller((uint64_t)arch->sm_blocks, (uint64_t)arch->sm_threads / rounded);
  shared = (shared + (uint64_t)arch->shared_reserved + PTX_SHARED_UNIT - 1) / PTX_SHARED_UNIT *
           PTX_SHARED_UNIT;
  return shared == 0 ? (int)n : (int)smaller(n, (uint64_t)arch->shared_sm / shared);
}

int cpu_function_blocks (const cpu_function *f, uint64_t threads, uint64_t dynamic_shared) {
  return cpu_kernel_blocks(f->kernel, f->set->max_dynamic, threads, dynamic_shared);
}
