/* cpu_limit.c: limits and preferences of contexts. All contexts share the buffer of printf and the
 * heap of kernels, so the sizes of these are limits of the primary context. */
#include "cpu_limit.h"

#include <stdatomic.h>

#include "cpu_driver.h"
#include "cpu_words.h"

static const size_t default_limits[CPU_LIMITS] = {
  /* for calls; a kernel's own frame is extra */
  [CU_LIMIT_STACK_SIZE_] = 8 * 1024,
  [CU_LIMIT_PRINTF_FIFO_SIZE_] = 1024 * 1024,
  [CU_LIMIT_MALLOC_HEAP_SIZE_] = 8 * 1024 * 1024,
  [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH_] = 2,
  [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT_] = 2048,
  [CU_LIMIT_MAX_L2_FETCH_GRANULARITY_] = 64,
};

static atomic_size_t *place_of (cu_context ctx, int limit) {
  bool shared = limit == CU_LIMIT_PRINTF_FIFO_SIZE_ || limit == CU_LIMIT_MALLOC_HEAP_SIZE_;
  return &(shared ? cpu_primary() : ctx)->limits[limit];
}

size_t cpu_limit (cu_context ctx, int limit) {
  return atomic_load_explicit(place_of(ctx, limit), memory_order_relaxed);
}

void cpu_limits_reset (cu_context ctx) {
  atomic_store(&ctx->cache_config, CU_CACHE_PREFER_NONE_);
  for (int i = 0; i < CPU_LIMITS; i++) atomic_store(&ctx->limits[i], default_limits[i]);
}

cu_result cpu_cuCtxGetLimit (size_t *value, int limit) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (value == NULL || limit < 0 || limit >= CPU_LIMITS) return CU_ERR_INVALID_VALUE;
  *value = cpu_limit(cpu_current(), limit);
  return 0;
}

cu_result cpu_cuCtxSetLimit (int limit, size_t value) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (limit < 0 || limit >= CPU_LIMITS) return CU_ERR_INVALID_VALUE;
  if (limit == CU_LIMIT_STACK_SIZE_ && value > (size_t)1 << 20)
    return cpu_fail("cuCtxSetLimit", CU_ERR_INVALID_VALUE,
                    "a stack of %zu bytes per thread; the maximum is 1 MiB", value);
  atomic_store_explicit(place_of(cpu_current(), limit), value, memory_order_relaxed);
  return 0;
}

/* Shared memory and caches are ordinary memory here: the preference can only be read back. */
cu_result cpu_cuCtxSetCacheConfig (int config) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (config < 0 || config >= CU_CACHE_CONFIGS_) return CU_ERR_INVALID_VALUE;
  atomic_store_explicit(&cpu_current()->cache_config, config, memory_order_relaxed);
  return 0;
}

cu_result cpu_cuCtxGetCacheConfig (int *config) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (config == NULL) return CU_ERR_INVALID_VALUE;
  *config = atomic_load_explicit(&cpu_current()->cache_config, memory_order_relaxed);
  return 0;
}
