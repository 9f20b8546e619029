/* lcu_scope.c: the current context of a thread. */
#include "lcu_scope.h"

#include "lcu_device_failure.h"

/* Threads rarely change their current context. Where it is not the device's, the context is pushed
 * without asking for a number of times. An unnecessary push only costs a call. */
static bool is_current (lcu_device *d) {
  enum { ASK_AGAIN = 64 };
  cu_context current = NULL;
  unsigned pushes_left = atomic_load_explicit(&d->pushes_left, memory_order_relaxed);
  if (pushes_left == 0 && d->drv->cuCtxGetCurrent(&current) == 0 && current == d->context)
    return true;
  atomic_store_explicit(&d->pushes_left, pushes_left > 0 ? pushes_left - 1 : ASK_AGAIN,
                        memory_order_relaxed);
  return false;
}

lcu_status lcu_scope_push (lcu_device *d, lcu_scope *scope) {
  if (is_current(d)) return LCU_OK;
  LCU_TRY(lcu_device_status(d, LCU_CALL(d->drv, cuCtxPushCurrent, (d->context))));
  scope->pushed = true;
  return LCU_OK;
}

LCU_COLD lcu_status lcu_device_enter_failed (lcu_device *d, cu_result r) {
  return lcu_device_status(d, lcu_driver_status(d->drv, "cuCtxPushCurrent", r));
}

LCU_COLD void lcu_device_leave_failed (lcu_device *d, cu_result r) {
  lcu_device_defer(d, lcu_device_status(d, lcu_driver_status(d->drv, "cuCtxPopCurrent", r)));
}

bool lcu_device_enter_quiet (lcu_device *d, lcu_scope *scope) {
  scope->device = d;
  scope->pushed = false;
  if (lcu_process_forked() || atomic_load(&d->dead) || !atomic_load(&d->opened)) return false;
  if (is_current(d)) return true;
  cu_result r = d->drv->cuCtxPushCurrent(d->context);
  if (r != 0) lcu_device_defer(d, lcu_device_enter_failed(d, r));
  scope->pushed = r == 0;
  return r == 0;
}

bool lcu_device_enter_release (lcu_device *d, lcu_scope *scope) {
  return lcu_device_enter_quiet(d, scope) || lcu_device_enter_quiet(d, scope);
}
