/* lcu_device.c: devices: their creation, end and reset. */
#include "lcu_device.h"

#include <stdio.h>
#include <string.h>

#include "lcu_block.h"
#include "lcu_context.h"
#include "lcu_device_failure.h"
#include "lcu_peers.h"
#include "lcu_pool.h"
#include "lcu_recent.h"
#include "lcu_scope.h"
#include "lcu_state_hooks.h"
#include "lcu_stream.h"
#include "lcu_wait.h"


/* ---- creation ---- */

static int attribute_or (const lcu_driver *drv, cu_device handle, int attr, int otherwise) {
  int v = otherwise;
  return drv->cuDeviceGetAttribute(&v, attr, handle) == 0 ? v : otherwise;
}

static void read_limits (lcu_device *d) {
  static const int block[3] = { CU_ATTR_max_block_dim_x, CU_ATTR_max_block_dim_y,
                                CU_ATTR_max_block_dim_z };
  static const int grid[3] = { CU_ATTR_max_grid_dim_x, CU_ATTR_max_grid_dim_y,
                               CU_ATTR_max_grid_dim_z };
  for (int i = 0; i < 3; i++) {
    d->limits.max_block[i] = attribute_or(d->drv, d->handle, block[i], i < 2 ? 1024 : 64);
    d->limits.max_grid[i] = attribute_or(d->drv, d->handle, grid[i], i == 0 ? INT32_MAX : 65535);
  }
  d->limits.max_threads = attribute_or(d->drv, d->handle, CU_ATTR_max_threads_per_block, 1024);
  d->limits.shared_default =
    attribute_or(d->drv, d->handle, CU_ATTR_max_shared_memory_per_block, 49152);
  d->limits.shared_optin = attribute_or(
    d->drv, d->handle, CU_ATTR_max_shared_memory_per_block_optin, d->limits.shared_default);
  d->limits.warp = attribute_or(d->drv, d->handle, CU_ATTR_warp_size, 32);
  d->limits.sm_count = attribute_or(d->drv, d->handle, CU_ATTR_multiprocessor_count, 1);
}

static void read_abilities (lcu_device *d) {
  d->limits.cc = 10 * attribute_or(d->drv, d->handle, CU_ATTR_compute_capability_major, 0) +
                 attribute_or(d->drv, d->handle, CU_ATTR_compute_capability_minor, 0);
  d->limits.cooperative = attribute_or(d->drv, d->handle, CU_ATTR_cooperative_launch, 0) != 0;
  d->limits.cluster = attribute_or(d->drv, d->handle, CU_ATTR_cluster_launch, 0) != 0 &&
                      d->drv->cuLaunchKernelEx != NULL;
  d->limits.unified = attribute_or(d->drv, d->handle, CU_ATTR_unified_addressing, 0);
  d->limits.managed_concurrent =
    attribute_or(d->drv, d->handle, CU_ATTR_concurrent_managed_access, 0);
  d->limits.host_pointers = attribute_or(d->drv, d->handle, CU_ATTR_pageable_memory_access, 0);
}

static lcu_status describe (lcu_device *d) {
  LCU_TRY(LCU_CALL(d->drv, cuDeviceGet, (&d->handle, d->ordinal)));
  LCU_TRY(LCU_CALL(d->drv, cuDeviceGetName, (d->name, (int)sizeof d->name, d->handle)));
  read_limits(d);
  read_abilities(d);
  return LCU_OK;
}

/* What `describe` finds, and the names. */
static void describe_like (lcu_device *d, const lcu_device *from) {
  d->handle = from->handle;
  memcpy(d->name, from->name, sizeof d->name);
  memcpy(d->limits.max_block, from->limits.max_block, sizeof d->limits.max_block);
  memcpy(d->limits.max_grid, from->limits.max_grid, sizeof d->limits.max_grid);
  d->limits.max_threads = from->limits.max_threads;
  d->limits.shared_default = from->limits.shared_default;
  d->limits.shared_optin = from->limits.shared_optin;
  d->limits.warp = from->limits.warp;
  d->limits.sm_count = from->limits.sm_count;
  d->limits.cc = from->limits.cc;
  d->limits.cooperative = from->limits.cooperative;
  d->limits.cluster = from->limits.cluster;
  d->limits.unified = from->limits.unified;
  d->limits.managed_concurrent = from->limits.managed_concurrent;
  d->limits.host_pointers = from->limits.host_pointers;
}

static atomic_long cpu_devices; /* live device objects of the CPU driver */

static void count_driver (const lcu_driver *drv) {
  if (drv->cuxSetStop != NULL) drv->cuxSetStop(lcu_state_hooks_stop);
  if (drv->cuxShutdown != NULL) atomic_fetch_add(&cpu_devices, 1);
}

/* The CPU device's threads end with the last object that could give them work. */
static void uncount_driver (const lcu_driver *drv) {
  if (drv->cuxShutdown == NULL) return;
  if (atomic_fetch_sub(&cpu_devices, 1) == 1 && !lcu_process_forked()) drv->cuxShutdown();
}

static void device_destroy (lcu_object *o);

static lcu_status create (const lcu_driver *drv, int ordinal, const lcu_device *like,
                          lcu_device **out) {
  lcu_device *d = lcu_calloc(1, sizeof *d);
  *out = NULL;
  if (d == NULL) return lcu_no_memory("a device");
  d->drv = drv;
  d->ordinal = ordinal;
  d->heap.find = lcu_block_find;
  d->is_cpu = d->host_memory = drv->cuxShutdown != NULL;
  if (d->is_cpu) snprintf(d->label, sizeof d->label, "cpu");
  else snprintf(d->label, sizeof d->label, "gpu%d", ordinal);
  lcu_status st = LCU_OK;
  if (like == NULL) st = describe(d);
  else describe_like(d, like);
  if (st == LCU_OK) st = lcu_pending_open(d);
  if (st != LCU_OK) {
    lcu_free(d);
    return st;
  }
  pthread_mutex_init(&d->lock, NULL);
  pthread_mutex_init(&d->open_lock, NULL);
  pthread_cond_init(&d->recordings.may_begin, NULL);
  lcu_object_init(&d->base, LCU_OBJ_DEVICE, device_destroy);
  count_driver(drv);
  *out = d;
  return LCU_OK;
}

lcu_status lcu_device_create (const lcu_driver *drv, int ordinal, lcu_device **out) {
  return create(drv, ordinal, NULL, out);
}

lcu_status lcu_device_create_like (const lcu_device *d, lcu_device **out) {
  return create(d->drv, d->ordinal, d, out);
}


/* ---- end ---- */

void lcu_device_end_parts (lcu_device *d) {
  for (int i = 0; i < LCU_PARTS; i++) {
    lcu_part *part = atomic_exchange(&d->parts[i], NULL);
    if (part != NULL) part->destroy(d, part);
  }
}

/* Breaks the cycle of references between the device and its null stream. Blocks in the limbo end
 * first. */
void lcu_device_close (lcu_device *d) {
  lcu_stream *null_stream = d->null_stream;
  if (atomic_load(&d->opened) && !lcu_process_forked()) {
    lcu_device_synchronize_quiet(d);
    lcu_limbo_drain(d);
    lcu_device_end_parts(d);
  }
  d->null_stream = NULL;
  lcu_unref(null_stream);
  lcu_unref(d);
}

static void device_destroy (lcu_object *o) {
  lcu_device *d = (lcu_device *)(void *)o;
  const lcu_driver *drv = d->drv;
  bool forked = lcu_process_forked();
  if (d->parent != NULL) lcu_context_leave(d);
  if (!forked && atomic_load(&d->opened)) {
    lcu_scope scope;
    if (lcu_device_enter_quiet(d, &scope)) {
      lcu_pool_destroy(d, d->pool);
      lcu_device_leave(&scope);
    } else lcu_pool_forget(d->pool);
    lcu_device_release_context(d);
  } else lcu_pool_forget(d->pool);
  if (!forked) {
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->open_lock);
    pthread_cond_destroy(&d->recordings.may_begin);
  }
  lcu_pending_free(d);
  lcu_free(d);
  if (!forked) uncount_driver(drv);
}


/* ---- reset ---- */

long lcu_device_outside_references (lcu_device *d) {
  return (long)atomic_load(&d->base.refs) - 1 - (d->null_stream != NULL) - atomic_load(&d->boxes);
}

/* Locks, because other states may be querying the pool. */
static lcu_pool *take_pool (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  lcu_pool *p = d->pool;
  d->pool = NULL;
  pthread_mutex_unlock(&d->lock);
  return p;
}

/* Lua handles and marks of other devices' blocks may still refer to the stream, so it is marked
 * `gone` (see lcul_stream_check). */
static void retire_null (lcu_device *d) {
  lcu_stream *s = d->null_stream;
  lcu_recent_clear(d);
  d->null_stream = NULL;
  lcu_stream_leave_device(s);
  lcu_unref(s);
}

static lcu_status reset_locked (lcu_device *d) {
  lcu_scope scope;
  lcu_pool *pool = take_pool(d);
  if (lcu_device_enter_quiet(d, &scope)) {
    lcu_pool_destroy(d, pool);
    lcu_device_leave(&scope);
  } else lcu_pool_forget(pool);
  retire_null(d);
  atomic_store(&d->opened, false);
  lcu_peers_forget(d);
  lcu_device_release_context(d);
  return LCU_CALL(d->drv, cuDevicePrimaryCtxReset, (d->handle));
}

/* Handles into the context would become invalid, so a reset fails while any exists. */
lcu_status lcu_device_reset (lcu_device *d) {
  lcu_status st = lcu_device_synchronize(d);
  if (st != LCU_OK || !atomic_load(&d->opened)) return st;
  lcu_limbo_drain(d);
  lcu_device_end_parts(d);
  long n = lcu_device_outside_references(d);
  if (n > 0) {
    lcu_fail(LCU_E_STATE,
             "%s cannot be reset: %ld of its objects (arrays, streams, events, modules) are in use",
             d->label, n);
    return lcu_fail_device(LCU_E_STATE, d->label);
  }
  pthread_mutex_lock(&d->open_lock);
  st = reset_locked(d);
  pthread_mutex_unlock(&d->open_lock);
  LCU_TRY(lcu_device_status(d, st));
  /* failures of what has just ended; the device may not be entered any more here */
  return lcu_pending_report(d);
}
