/* lcu_scope.h: the way in and out of a device, which every operation takes: its context is made
 * current on this thread, and what was there is put back. Every driver call that needs a context
 * stands between the two. */
#ifndef LCU_SCOPE_H
#define LCU_SCOPE_H

#include "lcu_device.h"

typedef struct lcu_scope {
  lcu_device *device;
  bool pushed;
} lcu_scope;
/* Opens the device, checks for fork() and death, and reports what waits to be raised. */
static inline lcu_status lcu_device_enter (lcu_device *d, lcu_scope *scope);
static inline void lcu_device_leave (lcu_scope *scope);
/* The same for questions, which leave what waits to be raised to the calls that work or wait. */
lcu_status lcu_device_enter_probe (lcu_device *d, lcu_scope *scope);
/* The same for finalisers: nothing is reported; false when the device is dead, forked or closed
 * (then no driver call may be made). */
bool lcu_device_enter_quiet (lcu_device *d, lcu_scope *scope);


/* ---- the parts ---- */

/* Opened, alive, and with nothing to report. */
static inline bool lcu_device_is_ready (const lcu_device *d) {
  return atomic_load_explicit(&d->opened, memory_order_acquire) &&
         !atomic_load_explicit(&d->dead, memory_order_acquire) &&
         !atomic_load_explicit(&d->has_pending, memory_order_acquire) && !lcu_process_forked();
}

/* Opens, reports, asks which context is current; then as below. */
lcu_status lcu_device_enter_slow (lcu_device *d, lcu_scope *scope);
lcu_status lcu_device_enter_failed (lcu_device *d, cu_result r);
void lcu_device_leave_failed (lcu_device *d, cu_result r); /* told by the next checked call */
/* The device is open and alive. */
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
