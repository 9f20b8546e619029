/* cpu_function.c: entry points for the properties of functions: name, parameters, attributes,
 * occupancy. */
#include "cpu_launch.h"
#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_words.h"

static cu_result check_function (cu_function *f) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  *f = cpu_function_of(*f);
  return *f != NULL ? 0 : CU_ERR_INVALID_HANDLE;
}

cu_result cpu_cuFuncGetName (const char **name, cu_function f) {
  if (name == NULL || f == NULL) return CU_ERR_INVALID_VALUE;
  cu_result r = check_function(&f);
  if (r != 0) return r;
  *name = ptx_kernel_get_info(f->kernel)->name;
  return 0;
}

cu_result cpu_cuFuncGetParamInfo (cu_function f, size_t index, size_t *offset, size_t *size) {
  cu_result r = check_function(&f);
  if (r != 0) return r;
  const ptx_kernel_info *info = ptx_kernel_get_info(f->kernel);
  if (offset == NULL || index >= info->num_params) return CU_ERR_INVALID_VALUE;
  *offset = info->params[index].offset;
  if (size != NULL) *size = info->params[index].size;
  return 0;
}


/* ---- attributes ---- */

static int attribute (const cpu_function *f, int attr) {
  const ptx_kernel_info *info = ptx_kernel_get_info(f->kernel);
  switch (attr) {
    case CU_FUNC_MAX_THREADS_PER_BLOCK: return (int)info->max_threads;
    case CU_FUNC_SHARED_SIZE_BYTES: return (int)info->shared_bytes;
    case CU_FUNC_CONST_SIZE_BYTES: return (int)info->const_bytes;
    case CU_FUNC_LOCAL_SIZE_BYTES: return (int)info->local_bytes;
    case CU_FUNC_NUM_REGS: return (int)info->registers;
    case CU_FUNC_PTX_VERSION: return cpu_module_target(f->module);
    case CU_FUNC_BINARY_VERSION: return cpu_configuration.cc;
    case CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES: return f->set->max_dynamic;
    case CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT: return f->set->carveout;
    default:
      /* the device has no caching hints */
      return cpu_cluster_is_attribute(attr) ? cpu_cluster_attribute(f, attr) : 0;
  }
}

cu_result cpu_cuFuncGetAttribute (int *value, int attr, cu_function f) {
  cu_result r = check_function(&f);
  if (r != 0) return r;
  if (value == NULL || attr < 0 || attr >= CU_FUNC_COUNT) return CU_ERR_INVALID_VALUE;
  if (attr == CU_FUNC_NUM_REGS) r = cpu_function_prepare("cuFuncGetAttribute", f);
  if (r == 0) *value = attribute(f, attr);
  return r;
}

static cu_result set_max_dynamic (cpu_function *f, int value) {
  int most =
    cpu_configuration.arch->shared_optin - (int)ptx_kernel_get_info(f->kernel)->shared_bytes;
  if (value < 0 || value > most)
    return cpu_fail("cuFuncSetAttribute", CU_ERR_INVALID_VALUE,
                    "%d bytes of dynamic shared memory; this kernel may use up to %d", value,
                    most > 0 ? most : 0);
  f->set->max_dynamic = value;
  return 0;
}

cu_result cpu_cuFuncSetAttribute (cu_function f, int attr, int value) {
  cu_result r = check_function(&f);
  if (r != 0) return r;
  switch (attr) {
    case CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES: return set_max_dynamic(f, value);
    case CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT:
      if (value < -1 || value > 100) return CU_ERR_INVALID_VALUE;
      f->set->carveout = value;
      return 0;
    default: break;
  }
  return cpu_cluster_is_attribute(attr) ? cpu_cluster_set_attribute(f, attr, value)
                                        : CU_ERR_INVALID_VALUE;
}

/* The device has no caches of its own to divide. */
cu_result cpu_cuFuncSetCacheConfig (cu_function f, int config) {
  cu_result r = check_function(&f);
  if (r == 0 && (config < CU_CACHE_NONE || config > CU_CACHE_EQUAL)) r = CU_ERR_INVALID_VALUE;
  return r;
}


/* ---- occupancy ---- */

cu_result cpu_cuOccupancyMaxActiveBlocksPerMultiprocessor (int *blocks, cu_function f, int threads,
                                                           size_t shared) {
  cu_result r = check_function(&f);
  if (r != 0) return r;
  if (blocks == NULL || threads <= 0) return CU_ERR_INVALID_VALUE;
  *blocks = cpu_function_blocks(f, (uint64_t)threads, shared);
  return 0;
}

/* The largest block size with which most threads fit on an SM. */
cu_result cpu_cuOccupancyMaxPotentialBlockSize (int *grid, int *block, cu_function f,
                                                cu_block_to_shared fn, size_t shared, int limit) {
  cu_result r = check_function(&f);
  if (r != 0) return r;
  if (grid == NULL || block == NULL || limit < 0) return CU_ERR_INVALID_VALUE;
  int most = (int)ptx_kernel_get_info(f->kernel)->max_threads, best = 0, best_blocks = 0;
  if (limit > 0 && limit < most) most = limit;
  for (int n = most; n > 0; n = (n - 1) / CPU_WARP * CPU_WARP) {
    int blocks = cpu_function_blocks(f, (uint64_t)n, fn != NULL ? fn(n) : shared);
    if (blocks * n <= best_blocks * best) continue;
    best = n;
    best_blocks = blocks;
  }
  if (best == 0) return CU_ERR_INVALID_VALUE;
  *block = best;
  *grid = best_blocks * cpu_configuration.threads;
  return 0;
}

/* The most with which so many blocks still fit. */
cu_result cpu_cuOccupancyAvailableDynamicSMemPerBlock (size_t *bytes, cu_function f, int blocks,
                                                       int threads) {
  cu_result r = check_function(&f);
  if (r != 0) return r;
  if (bytes == NULL || blocks <= 0 || threads <= 0) return CU_ERR_INVALID_VALUE;
  size_t low = 0, high = (size_t)f->set->max_dynamic;
  while (low < high) {
    size_t middle = low + (high - low + 1) / 2;
    if (cpu_function_blocks(f, (uint64_t)threads, middle) >= blocks) low = middle;
    else high = middle - 1;
  }
  if (cpu_function_blocks(f, (uint64_t)threads, low) < blocks) return CU_ERR_INVALID_VALUE;
  *bytes = low;
  return 0;
}
