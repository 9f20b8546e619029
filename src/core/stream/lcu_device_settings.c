/* lcu_device_settings.c: properties of a device, and settings of its context: limits, flags, the
 * split between cache and shared memory. */
#include "lcu_device_failure.h"
#include "lcu_scope.h"

lcu_status lcu_device_limit (lcu_device *d, int limit, size_t *value, bool set) {
  lcu_scope scope;
  LCU_TRY(set ? lcu_device_enter(d, &scope) : lcu_device_enter_probe(d, &scope));
  lcu_status st = set ? LCU_CALL(d->drv, cuCtxSetLimit, (limit, *value)) : LCU_OK;
  /* the driver rounds */
  if (st == LCU_OK) st = LCU_CALL(d->drv, cuCtxGetLimit, (value, limit));
  lcu_device_leave(&scope);
  return lcu_device_status(d, st);
}

static lcu_status context_flags (lcu_device *c, unsigned *flags, bool set) {
  lcu_scope scope;
  LCU_TRY(set ? lcu_device_enter(c, &scope) : lcu_device_enter_probe(c, &scope));
  lcu_status st =
    set ? LCU_CALL(c->drv, cuCtxSetFlags, (*flags)) : LCU_CALL(c->drv, cuCtxGetFlags, (flags));
  lcu_device_leave(&scope);
  return lcu_device_status(c, st);
}

/* The primary context of a device that is not in use has flags as well. */
lcu_status lcu_device_flags (lcu_device *d, unsigned *flags) {
  int active;
  if (d->parent != NULL) return context_flags(d, flags, false);
  LCU_TRY(lcu_process_check());
  return lcu_device_status(
    d, LCU_CALL(d->drv, cuDevicePrimaryCtxGetState, (d->handle, flags, &active)));
}

lcu_status lcu_device_set_flags (lcu_device *d, unsigned flags) {
  if (d->parent != NULL) return context_flags(d, &flags, true);
  LCU_TRY(lcu_process_check());
  return lcu_device_status(d, LCU_CALL(d->drv, cuDevicePrimaryCtxSetFlags, (d->handle, flags)));
}

lcu_status lcu_device_cache_config (lcu_device *d, int *config, bool set) {
  lcu_scope scope;
  LCU_TRY(set ? lcu_device_enter(d, &scope) : lcu_device_enter_probe(d, &scope));
  lcu_status st = set ? LCU_CALL(d->drv, cuCtxSetCacheConfig, (*config)) : LCU_OK;
  if (st == LCU_OK) st = LCU_CALL(d->drv, cuCtxGetCacheConfig, (config));
  lcu_device_leave(&scope);
  return lcu_device_status(d, st);
}

lcu_status lcu_device_api_version (lcu_device *d, unsigned *version) {
  LCU_TRY(lcu_device_open(d));
  return lcu_device_status(d, LCU_CALL(d->drv, cuCtxGetApiVersion, (d->context, version)));
}


/* ---- properties ---- */

lcu_status lcu_device_attribute (lcu_device *d, int attr, int *value) {
  LCU_TRY(lcu_process_check());
  return lcu_device_status(d, LCU_CALL(d->drv, cuDeviceGetAttribute, (value, attr, d->handle)));
}

lcu_status lcu_device_memory (lcu_device *d, size_t *free_bytes, size_t *total) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter_probe(d, &scope));
  lcu_status st = lcu_device_status(d, LCU_CALL(d->drv, cuMemGetInfo, (free_bytes, total)));
  lcu_device_leave(&scope);
  return st;
}
