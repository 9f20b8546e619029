/* lcu_pool_settings.c: statistics and settings of a device's pool. */
#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_pool.h"
#include "lcu_pool_record.h"
#include "lcu_scope.h"

static lcu_status pool_attribute (lcu_device *d, int attr, size_t otherwise, size_t *out) {
  uint64_t v = 0;
  cu_mempool handle = d->pool->handle;
  *out = otherwise;
  if (handle == NULL || d->drv->cuMemPoolGetAttribute == NULL) return LCU_OK;
  LCU_TRY(lcu_device_status(d, LCU_CALL(d->drv, cuMemPoolGetAttribute, (handle, attr, &v))));
  *out = (size_t)v;
  return LCU_OK;
}

lcu_status lcu_pool_stat (lcu_device *d, lcu_pool_stats *out) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter_probe(d, &scope));
  lcu_pool *p = d->pool;
  *out = (lcu_pool_stats){ .used = atomic_load(&p->used),
                           .used_high = atomic_load(&p->used_high),
                           .limit = atomic_load(&p->limit) };
  pthread_mutex_lock(&d->lock);
  out->allocations = p->allocations;
  out->frees = p->frees;
  pthread_mutex_unlock(&d->lock);
  size_t early = atomic_load(&p->early_used);
  lcu_status st = pool_attribute(d, CU_POOL_RESERVED_CURRENT, out->used - early, &out->reserved);
  if (st == LCU_OK)
    st = pool_attribute(d, CU_POOL_RESERVED_HIGH, out->used_high - early, &out->reserved_high);
  out->reserved += early;
  out->reserved_high += early;
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_pool_trim (lcu_device *d, size_t keep) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = lcu_device_status(d, lcu_pool_drop_spares(d));
  if (st == LCU_OK) st = lcu_device_status(d, lcu_comm_guard_device(d));
  if (st == LCU_OK && d->pool->handle != NULL && d->drv->cuMemPoolTrimTo != NULL)
    st = lcu_device_status(d, LCU_CALL(d->drv, cuMemPoolTrimTo, (d->pool->handle, keep)));
  lcu_device_leave(&scope);
  return st;
}

void lcu_pool_limit (lcu_device *d, size_t bytes) {
  if (d->pool != NULL) atomic_store(&d->pool->limit, bytes);
}

lcu_status lcu_pool_share (lcu_device *d, lcu_device *peer, bool on) {
  cu_pool_access access = { .location = { .type = 1, .id = peer->handle }, .flags = on ? 3 : 0 };
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = LCU_OK;
  if (d->pool->handle != NULL)
    st = lcu_device_status(d, LCU_CALL(d->drv, cuMemPoolSetAccess, (d->pool->handle, &access, 1)));
  lcu_device_leave(&scope);
  return st;
}
