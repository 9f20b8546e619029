/* lcu_device_failure.c: the handling of failed driver calls. */
#include "lcu_device_failure.h"

#include "lcu_recent.h"
#include "lcu_scope.h"

/* ---- faults of kernels ---- */

/* Finds the array that a fault is about: that of the allocation that the device found, or the one
 * that contains the address. */
static void find_array (lcu_device *d, lcu_failure *f) {
  const lcu_fault *fault = &f->fault;
  cu_deviceptr base;
  size_t size;
  if (fault->address == 0) return;
  bool missed = fault->range_size != 0 && fault->address - fault->range_base >= fault->range_size;
  cu_deviceptr at = missed ? fault->range_base : fault->address;
  if (!d->heap.find(d, at, f->array, sizeof f->array, &base, &size)) return;
  f->array_base = base;
  f->array_size = size;
}

/* Fetches the details that the CPU device reports. Returns the status that fits them. */
static lcu_status take_fault (lcu_device *d, lcu_status s) {
  lcu_failure *f = lcu_failure_get();
  f->has_fault = d->drv->cuxTakeFault(&f->fault) == 0;
  if (f->has_fault) {
    if (f->fault.interrupted) s = f->code = LCU_E_INTERRUPTED;
    if (f->fault.communication) s = f->code = LCU_E_COMM;
    find_array(d, f);
  }
  lcu_fail_device(s, d->label);
  if (f->has_fault || lcu_status_is_fatal(s)) lcu_pending_fault(d, s);
  return s;
}


/* ---- the death of a device ---- */

/* The failure that ended CUDA for this process, and whether a call still has to raise it. */
static struct {
  pthread_mutex_t lock;
  bool unraised;
  lcu_failure failure;
} lost = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void note_lost (const lcu_failure *f) {
  pthread_mutex_lock(&lost.lock);
  lost.unraised = true;
  lost.failure = *f;
  pthread_mutex_unlock(&lost.lock);
}

bool lcu_device_take_lost (lcu_failure *out) {
  pthread_mutex_lock(&lost.lock);
  bool unraised = lost.unraised;
  lost.unraised = false;
  if (unraised && out != NULL) *out = lost.failure;
  pthread_mutex_unlock(&lost.lock);
  return unraised;
}

lcu_status lcu_device_fail_dead (const lcu_device *d) {
  if (atomic_load(&d->closed)) {
    lcu_fail(LCU_E_STATE, "%s is closed: its arrays, streams, events and modules ended with it",
             d->label);
    return lcu_fail_device(LCU_E_STATE, d->label);
  }
  lcu_fail_code(LCU_E_DEAD, NULL);
  lcu_failure_get()->cause = &d->faults.death;
  return lcu_fail_device(LCU_E_DEAD, d->label);
}

static void mark_dead (lcu_device *d, const lcu_failure *f) {
  pthread_mutex_lock(&d->lock);
  if (!atomic_load(&d->dead)) {
    d->faults.death = *f;
    atomic_store(&d->dead, true);
  }
  pthread_mutex_unlock(&d->lock);
}

static bool follow_dead (lcu_device *d, void *ud) {
  const lcu_device *first = ud;
  if (d->drv == first->drv) mark_dead(d, &first->faults.death);
  return true;
}

/* A fatal fault on one GPU ends CUDA for the whole process, in all contexts. */
static void all_dead (lcu_device *d, lcu_status s) {
  lcu_failure *f = lcu_failure_get();
  lcu_fail_device(s, d->label);
  lcu_recent_list(d, f->running, sizeof f->running);
  if (!atomic_load(&d->dead)) note_lost(f);
  mark_dead(d, f);
  lcu_process_each(follow_dead, d);
}


/* ---- the status of a call ---- */

static LCU_COLD lcu_status failed (lcu_device *d, lcu_status s) {
  lcu_failure *f = lcu_failure_get();
  if (f->code == s && f->pending != 0) return s; /* handled already */
  if (f->code != s) lcu_fail_code(s, NULL);
  if (d->drv->cuxTakeFault != NULL) return take_fault(d, s);
  if (lcu_status_is_fatal(s)) all_dead(d, s);
  return lcu_fail_device(s, d->label);
}

lcu_status lcu_device_status (lcu_device *d, lcu_status s) {
  return lcu_likely(s == LCU_OK) ? LCU_OK : failed(d, s);
}

void lcu_device_raised (lcu_status s, uint64_t key) {
  if (key != 0) lcu_pending_raised(key);
  else if (s == LCU_E_DEAD || lcu_status_is_fatal(s)) (void)lcu_device_take_lost(NULL);
}

/* Fetches the faults that the driver still keeps, and then reports the first pending failure. */
lcu_status lcu_device_next_unraised (lcu_device *d) {
  cu_result r;
  lcu_scope scope;
  if (!lcu_device_enter_quiet(d, &scope)) return LCU_OK;
  while (d->drv->cuxNextFault != NULL && (r = d->drv->cuxNextFault()) != 0)
    (void)lcu_device_status(d, lcu_driver_status(d->drv, "cuxNextFault", r));
  lcu_device_leave(&scope);
  return lcu_pending_report(d);
}

lcu_status lcu_device_query_status (lcu_device *d, const char *call, cu_result r, bool *done) {
  *done = r == 0;
  if (r == 0 || r == CU_ERR_NOT_READY) return LCU_OK;
  lcu_status st = lcu_device_status(d, lcu_driver_status(d->drv, call, r));
  *done = lcu_status_is_fatal(st);
  return *done ? LCU_OK : st;
}
