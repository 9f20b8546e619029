/* lcu_function_attribute.c: attributes and settings of a kernel, and the blocks that suit it. */
#include <string.h>

#include "lcu_device_failure.h"
#include "lcu_function.h"
#include "lcu_scope.h"

static const char *const attr_names[CU_FUNC_COUNT] = {
  [CU_FUNC_MAX_THREADS_PER_BLOCK] = "max_threads_per_block",
  [CU_FUNC_SHARED_SIZE_BYTES] = "shared_size_bytes",
  [CU_FUNC_CONST_SIZE_BYTES] = "const_size_bytes",
  [CU_FUNC_LOCAL_SIZE_BYTES] = "local_size_bytes",
  [CU_FUNC_NUM_REGS] = "num_regs",
  [CU_FUNC_PTX_VERSION] = "ptx_version",
  [CU_FUNC_BINARY_VERSION] = "binary_version",
  [CU_FUNC_CACHE_MODE_CA] = "cache_mode_ca",
  [CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES] = "max_dynamic_shared_size_bytes",
  [CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT] = "preferred_shared_memory_carveout",
  [CU_FUNC_CLUSTER_SIZE_MUST_BE_SET] = "cluster_size_must_be_set",
  [CU_FUNC_REQUIRED_CLUSTER_WIDTH] = "required_cluster_width",
  [CU_FUNC_REQUIRED_CLUSTER_HEIGHT] = "required_cluster_height",
  [CU_FUNC_REQUIRED_CLUSTER_DEPTH] = "required_cluster_depth",
  [CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] = "non_portable_cluster_size_allowed",
  [CU_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE] = "cluster_scheduling_policy_preference",
};

const char *lcu_func_attr_name (int attr) {
  return attr >= 0 && attr < CU_FUNC_COUNT ? attr_names[attr] : NULL;
}

int lcu_func_attr_find (const char *name, size_t len) {
  for (int i = 0; i < CU_FUNC_COUNT; i++)
    if (strlen(attr_names[i]) == len && memcmp(attr_names[i], name, len) == 0) return i;
  return -1;
}

lcu_status lcu_function_attribute (lcu_function *f, int attr, int *value) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter_probe(f->device, &scope));
  lcu_status s = LCU_CALL(f->device->drv, cuFuncGetAttribute, (value, attr, f->handle));
  if (s != LCU_OK) s = lcu_device_status(f->device, s);
  lcu_device_leave(&scope);
  return s;
}

/* Drivers report only INVALID_VALUE. */
static lcu_status check_range (const lcu_function *f, int attr, int value, int low, int high) {
  if (value >= low && value <= high) return LCU_OK;
  return lcu_fail(LCU_E_ARGUMENT, "%s: %s: %d is outside the range %d to %d of this kernel on %s",
                  f->name, attr_names[attr], value, low, high, f->device->label);
}

static lcu_status check_value (const lcu_function *f, int attr, int value) {
  const lcu_device *d = f->device;
  int most = (d->limits.shared_optin > d->limits.shared_default ? d->limits.shared_optin
                                                                : d->limits.shared_default) -
             f->static_shared;
  switch (attr) {
    case CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return check_range(f, attr, value, 0, most > 0 ? most : 0);
    case CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT: return check_range(f, attr, value, -1, 100);
    default: return LCU_OK;
  }
}

lcu_status lcu_function_set_attribute (lcu_function *f, int attr, int value) {
  lcu_scope scope;
  LCU_TRY(check_value(f, attr, value));
  LCU_TRY(lcu_device_enter(f->device, &scope));
  lcu_status s = LCU_CALL(f->device->drv, cuFuncSetAttribute, (f->handle, attr, value));
  if (s != LCU_OK) s = lcu_device_status(f->device, s);
  else if (attr == CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES) f->dynamic_limit = value;
  else if (attr >= CU_FUNC_REQUIRED_CLUSTER_WIDTH && attr <= CU_FUNC_REQUIRED_CLUSTER_DEPTH)
    f->cluster[attr - CU_FUNC_REQUIRED_CLUSTER_WIDTH] = (uint32_t)value;
  lcu_device_leave(&scope);
  return s;
}

lcu_status lcu_function_set_cache (lcu_function *f, int config) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(f->device, &scope));
  lcu_status s = LCU_CALL(f->device->drv, cuFuncSetCacheConfig, (f->handle, config));
  if (s != LCU_OK) s = lcu_device_status(f->device, s);
  lcu_device_leave(&scope);
  return s;
}

lcu_status lcu_function_allow_shared (lcu_function *f, uint32_t shared) {
  const lcu_device *d = f->device;
  int64_t most =
    (int64_t)(d->limits.shared_optin > d->limits.shared_default ? d->limits.shared_optin
                                                                : d->limits.shared_default);
  if ((int64_t)shared <= f->dynamic_limit) return LCU_OK;
  if ((int64_t)shared + f->static_shared > most)
    return lcu_fail(LCU_E_ARGUMENT,
                    "%s: %u bytes of dynamic and %d of static shared memory exceed the %lld that a "
                    "block can have on %s",
                    f->name, shared, f->static_shared, (long long)most, d->label);
  return lcu_function_set_attribute(f, CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared);
}


/* ---- blocks ---- */

lcu_status lcu_function_occupancy (lcu_function *f, int threads, size_t shared, int *blocks) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter_probe(f->device, &scope));
  lcu_status s = LCU_CALL(f->device->drv, cuOccupancyMaxActiveBlocksPerMultiprocessor,
                          (blocks, f->handle, threads, shared));
  if (s != LCU_OK) s = lcu_device_status(f->device, s);
  lcu_device_leave(&scope);
  return s;
}

/* The driver suggests the largest block with which most threads are resident. Where USUAL keeps as
 * many resident, it is better: small blocks leave less idle at the end of a grid, and spread small
 * grids over more multiprocessors. */
static lcu_status ask_driver (lcu_function *f, uint32_t shared, int *threads, int *blocks) {
  enum { USUAL = 256 };
  const lcu_driver *drv = f->device->drv;
  int per_sm = 0;
  LCU_TRY(
    LCU_CALL(drv, cuOccupancyMaxPotentialBlockSize, (blocks, threads, f->handle, NULL, shared, 0)));
  if (*threads <= USUAL) return LCU_OK;
  LCU_TRY(LCU_CALL(drv, cuOccupancyMaxActiveBlocksPerMultiprocessor,
                   (&per_sm, f->handle, USUAL, shared)));
  int64_t usual = (int64_t)per_sm * f->device->limits.sm_count;
  if (usual * USUAL < (int64_t)*blocks * *threads) return LCU_OK;
  *threads = USUAL;
  *blocks = (int)usual;
  return LCU_OK;
}

static lcu_status ask (lcu_function *f, uint32_t shared) {
  lcu_scope scope;
  int blocks = 0, threads = 0;
  LCU_TRY(lcu_device_enter_probe(f->device, &scope));
  lcu_status s = ask_driver(f, shared, &threads, &blocks);
  if (s != LCU_OK) s = lcu_device_status(f->device, s);
  lcu_device_leave(&scope);
  if (s != LCU_OK) return s;
  f->suggested_threads = threads > 0 && threads <= f->max_threads ? threads : f->max_threads;
  f->suggested_blocks = blocks;
  f->suggested_shared = shared;
  return LCU_OK;
}

lcu_status lcu_function_suggest (lcu_function *f, uint32_t shared, int *threads, int *blocks) {
  LCU_TRY(lcu_function_allow_shared(f, shared));
  if (lcu_unlikely(f->suggested_threads == 0 || f->suggested_shared != shared))
    LCU_TRY(ask(f, shared));
  *threads = f->suggested_threads;
  *blocks = f->suggested_blocks;
  return LCU_OK;
}
