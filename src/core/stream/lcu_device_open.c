/* lcu_device_open.c: opening a device at its first use: context, pool, null stream; and entering a
 * device that may have to be opened first. */
#include "lcu_device_failure.h"
#include "lcu_pool.h"
#include "lcu_scope.h"
#include "lcu_stream.h"


/* ---- opening ---- */

/* Also after a failed open. */
void lcu_device_release_context (lcu_device *d) {
  if (d->context == NULL) return;
  d->context = NULL;
  lcu_device_defer(d, LCU_CALL(d->drv, cuDevicePrimaryCtxRelease, (d->handle)));
}

static lcu_status open_inside (lcu_device *d) {
  LCU_TRY(LCU_CALL(d->drv, cuCtxPushCurrent, (d->context)));
  cu_context popped;
  lcu_status st = lcu_pool_create(d, &d->pool);
  if (st == LCU_OK) st = lcu_stream_create_null(d, &d->null_stream);
  if (st != LCU_OK && d->pool != NULL) {
    lcu_pool_destroy(d, d->pool);
    d->pool = NULL;
  }
  cu_result r = d->drv->cuCtxPopCurrent(&popped);
  if (r != 0) lcu_device_leave_failed(d, r);
  return st;
}

static lcu_status open_locked (lcu_device *d) {
  if (atomic_load(&d->opened)) return LCU_OK;
  LCU_TRY(LCU_CALL(d->drv, cuDevicePrimaryCtxRetain, (&d->context, d->handle)));
  lcu_process_forbid_fork(true);
  lcu_status st = open_inside(d);
  if (st != LCU_OK) lcu_device_release_context(d);
  else atomic_store(&d->opened, true);
  return st;
}

lcu_status lcu_device_open (lcu_device *d) {
  if (lcu_likely(atomic_load_explicit(&d->opened, memory_order_acquire))) return LCU_OK;
  LCU_TRY(lcu_process_check());
  if (atomic_load(&d->dead)) return lcu_device_fail_dead(d);
  pthread_mutex_lock(&d->open_lock);
  lcu_status st = open_locked(d);
  pthread_mutex_unlock(&d->open_lock);
  return lcu_device_status(d, st);
}


/* ---- entering ---- */

static inline bool is_set (const atomic_bool *flag) {
  return atomic_load_explicit(flag, memory_order_acquire);
}

static LCU_COLD lcu_status make_usable (lcu_device *d) {
  LCU_TRY(lcu_process_check());
  LCU_TRY(lcu_device_open(d));
  return is_set(&d->dead) ? lcu_device_fail_dead(d) : LCU_OK;
}

lcu_status lcu_device_enter_slow (lcu_device *d, lcu_scope *scope) {
  if (lcu_unlikely(!lcu_device_is_ready(d))) LCU_TRY(make_usable(d));
  if (lcu_unlikely(is_set(&d->has_pending))) LCU_TRY(lcu_pending_report(d));
  return lcu_scope_push(d, scope);
}

lcu_status lcu_device_enter_probe (lcu_device *d, lcu_scope *scope) {
  scope->device = d;
  scope->pushed = false;
  if (lcu_unlikely(!lcu_device_is_ready(d))) LCU_TRY(make_usable(d));
  return lcu_scope_push(d, scope);
}
