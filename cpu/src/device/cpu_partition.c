/* cpu_partition.c: green contexts. A partition counts its multiprocessors, which are worker threads
 * here, but does not confine work to them. */
#include <pthread.h>

#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_enter.h"

enum { GREEN_MAGIC = 0x4752454e };

struct cu_green_ctx_ {
  uint32_t magic;
  unsigned sm_count;
};

static bool is_green (cu_green_ctx ctx) { return ctx != NULL && ctx->magic == GREEN_MAGIC; }

static bool is_sms (const cu_dev_resource *r) {
  return r != NULL && r->type == CU_DEV_RESOURCE_SM_ && r->sm_count > 0;
}

static cu_dev_resource sms (unsigned count) {
  return (cu_dev_resource){ .type = count > 0 ? CU_DEV_RESOURCE_SM_ : 0, .sm_count = count };
}

cu_result cpu_cuDeviceGetDevResource (cu_device dev, cu_dev_resource *resource, int type) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (dev != 0) return CU_ERR_INVALID_DEVICE;
  if (resource == NULL || type != CU_DEV_RESOURCE_SM_) return CU_ERR_INVALID_VALUE;
  *resource = sms((unsigned)cpu_configuration.threads);
  return 0;
}

/* Without `groups`, only their number is wanted. */
cu_result cpu_cuDevSmResourceSplitByCount (cu_dev_resource *groups, unsigned *n,
                                           const cu_dev_resource *all, cu_dev_resource *rest,
                                           unsigned flags, unsigned count) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (n == NULL || !is_sms(all) || flags > 3 || count > all->sm_count) return CU_ERR_INVALID_VALUE;
  unsigned size = count > 0 ? count : 1, most = all->sm_count / size;
  if (groups == NULL || *n > most) *n = most;
  for (unsigned i = 0; groups != NULL && i < *n; i++) groups[i] = sms(size);
  if (rest != NULL) *rest = sms(all->sm_count - *n * size);
  return 0;
}

/* A descriptor is only passed on: it is the number of multiprocessors itself. */
cu_result cpu_cuDevResourceGenerateDesc (cu_dev_resource_desc *desc, cu_dev_resource *resources,
                                         unsigned n) {
  cu_result r = cpu_enter_driver();
  uintptr_t total = 0;
  if (r != 0) return r;
  if (desc == NULL || resources == NULL || n == 0) return CU_ERR_INVALID_VALUE;
  for (unsigned i = 0; i < n; i++) {
    if (!is_sms(&resources[i])) return CU_ERR_INVALID_VALUE;
    total += resources[i].sm_count;
  }
  *desc = (cu_dev_resource_desc)total;
  return 0;
}

cu_result cpu_cuGreenCtxCreate (cu_green_ctx *ctx, cu_dev_resource_desc desc, cu_device dev,
                                unsigned flags) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (dev != 0) return CU_ERR_INVALID_DEVICE;
  if (ctx == NULL || desc == NULL || flags != CU_GREEN_CTX_DEFAULT_STREAM_)
    return CU_ERR_INVALID_VALUE;
  *ctx = lcu_calloc(1, sizeof **ctx);
  if (*ctx == NULL) return CU_ERR_OUT_OF_MEMORY;
  **ctx = (struct cu_green_ctx_){ GREEN_MAGIC, (unsigned)(uintptr_t)desc };
  return 0;
}

cu_result cpu_cuGreenCtxDestroy (cu_green_ctx ctx) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (!is_green(ctx)) return CU_ERR_INVALID_CONTEXT;
  ctx->magic = 0;
  lcu_free(ctx);
  return 0;
}

cu_result cpu_cuGreenCtxStreamCreate (cu_stream *s, cu_green_ctx ctx, unsigned flags,
                                      int priority) {
  if (!is_green(ctx)) return CU_ERR_INVALID_CONTEXT;
  if (flags != CU_STREAM_NON_BLOCKING_) return CU_ERR_INVALID_VALUE;
  return cpu_cuStreamCreateWithPriority(s, flags, priority);
}
