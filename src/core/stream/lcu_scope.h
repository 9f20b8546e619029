/* lcu_scope.h: entering and leaving a device: enter makes its context current on this thread, leave
 * restores the previous one. Every driver call that needs a context is between the two. */
#ifndef LCU_SCOPE_H
#define LCU_SCOPE_H

#include "lcu_device.h"

typedef struct lcu_scope {
  lcu_device *device;
  bool pushed;
} lcu_scope;
/* Opens the device if necessary. Fails in a forked child, on a dead device, and with the first
 * pending failure of this thread's owner. */
static inline lcu_status lcu_device_enter (lcu_device *d, lcu_scope *scope);
static inline void lcu_device_leave (lcu_scope *scope);
/* The same for queries, which leave pending failures to calls that work or wait. */
lcu_status lcu_device_enter_probe (lcu_device *d, lcu_scope *scope);
/* The same for finalizers, which report nothing. False where no driver call may be made: in a
 * forked child, and on a dead or closed device. */
bool lcu_device_enter_quiet (lcu_device *d, lcu_scope *scope);
/* The same for what would stay behind in the driver otherwise: tries twice. */
bool lcu_device_enter_release (lcu_device *d, lcu_scope *scope);


/* ---- implementation ---- */

/* Open, alive, and without pending failures. */
static inline bool lcu_device_is_ready (const lcu_device *d) {
  return atomic_load_explicit(&d->opened, memory_order_acquire) &&
         !atomic_load_explicit(&d->dead, memory_order_acquire) &&
         !atomic_load_explicit(&d->has_pending, memory_order_acquire) && !lcu_process_forked();
}

/* The slow path: opens the device, reports pending failures, and checks which context is
 * current. */
lcu_status lcu_device_enter_slow (lcu_device *d, lcu_scope *scope);
lcu_status lcu_device_enter_failed (lcu_device *d, cu_result r);
void lcu_device_leave_failed (lcu_device *d, cu_result r); /* keeps the failure for a later call */
/* Makes the context current. The device is open and alive. */
lcu_status lcu_scope_push (lcu_device *d, lcu_scope *scope);

static inline lcu_status lcu_device_enter (lcu_device *d, lcu_scope *scope) {
  unsigned pushes_left = atomic_load_explicit(&d->pushes_left, memory_order_relaxed);
  scope->device = d;
  scope->pushed = false;
  if (lcu_unlikely(pushes_left == 0 || !lcu_device_is_ready(d)))
    return lcu_device_enter_slow(d, scope);
  atomic_store_explicit(&d->pushes_left, pushes_left - 1, memory_order_relaxed);
  cu_result r = d->drv->cuCtxPushCurrent(d->context);
  if (lcu_unlikely(r != 0)) return lcu_device_enter_failed(d, r);
  scope->pushed = true;
  return LCU_OK;
}

static inline void lcu_device_leave (lcu_scope *scope) {
  cu_context popped;
  if (!scope->pushed) return;
  scope->pushed = false;
  cu_result r = scope->device->drv->cuCtxPopCurrent(&popped);
  if (lcu_unlikely(r != 0)) lcu_device_leave_failed(scope->device, r);
}

#endif
