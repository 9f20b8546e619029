/* lcu_device.h: a device with its primary context. Made on demand, one per driver and ordinal. */
#ifndef LCU_DEVICE_H
#define LCU_DEVICE_H

#include <pthread.h>

#include "lcu_object.h"
#include "lcu_pending.h"
#include "lcu_process.h"

typedef struct lcu_stream lcu_stream;
typedef struct lcu_pool lcu_pool;

#define LCU_RECENT 16

/* The latest launch of a kernel; of one kernel in a row the last. */
typedef struct lcu_recent {
  lcu_stream *stream;   /* borrowed; NULL: it has ended, the work perhaps not */
  uint64_t seq, kernel; /* kernel: its id */
  char name[64];
} lcu_recent;

struct lcu_device {
  lcu_object base;
  /* what every launch looks at lies together */
  const lcu_driver *drv;
  cu_context context; /* NULL until lcu_device_open */
  lcu_stream *null_stream;
  lcu_pool *pool;
  size_t index; /* position in lcu_process_device */
  atomic_bool opened, dead, has_pending;
  bool is_cpu; /* for names and defaults only, never for behaviour */
  /* its memory is ordinary host memory: readable in place after a wait */
  bool host_memory;
  /* times to go before the driver is asked again which context is current */
  atomic_uint unasked;
  pthread_mutex_t lock; /* guards ordering state of the device's streams and blocks */
  /* all live blocks of the device (lcu_block_find); guarded by `lock` */
  struct lcu_block *blocks;
  /* host blocks without owner that running work still uses; changed under `lock` */
  _Atomic(struct lcu_block *) limbo;
  unsigned recent_next; /* of `recent` */
  int ordinal;          /* of its driver; the CPU device has 0 */
  cu_device handle;
  char label[16]; /* "gpu0", "cpu" */
  char name[128];
  int cc; /* 90 */
  /* limits read once, for launch checks */
  int max_threads, max_block[3], max_grid[3], shared_default, shared_optin, warp, sm_count;
  bool cooperative, cluster;
  /* failures that no call has raised yet; guarded by `lock` */
  lcu_pending *pending, *pending_spare;
  /* after a fatal fault: the message every later call repeats */
  char dead_message[LCU_MESSAGE_SIZE];
  lcu_status dead_code;
  lcu_recent recent[LCU_RECENT]; /* a ring; guarded by `lock` */
  /* the implementation's own */
  pthread_mutex_t open_lock;
  _Atomic(struct lcu_stage *) stage; /* pinned staging memory (lcu_copy.c) */
  _Atomic(struct lcu_blas *) blas;   /* cuBLAS's handle (lcu_blas.c) */
  atomic_uint early_copies;          /* small copies made before there was any */
  atomic_uint_fast64_t peers;        /* bit per device index: that device may use our memory */
  /* the same: that was tried, or the program has said what it wants */
  atomic_uint_fast64_t peers_set;
  atomic_long boxes; /* references held by Lua handles of the device itself */
  /* attributes: unified addressing and the like */
  int unified, managed_concurrent, host_pointers;
};

/* Only lcu_process makes and closes devices. close drops what the device holds of itself; the last
 * reference ends it. */
lcu_status lcu_device_create (const lcu_driver *drv, int ordinal, lcu_device **out);
void lcu_device_close (lcu_device *d);

/* Notes a launch for messages about failures that come later. id: of the kernel. The device's lock
 * is held. */
lcu_recent *lcu_device_note_kernel (lcu_device *d, const char *kernel, uint64_t id, lcu_stream *s);
static inline void lcu_device_note_launch (lcu_device *d, const char *kernel, uint64_t id,
                                           lcu_stream *s, uint64_t seq) {
  lcu_recent *r = &d->recent[(d->recent_next - 1) % LCU_RECENT];
  if (lcu_unlikely(r->stream != s || r->kernel != id)) r = lcu_device_note_kernel(d, kernel, id, s);
  r->seq = seq;
}

/* Retains the primary context, makes pool and null stream. Cheap when done. */
lcu_status lcu_device_open (lcu_device *d);

/* Makes the device's context current on this thread, and puts back what was there. Every driver
 * call that needs a context stands between the two. enter also does the fork and dead-device checks
 * and reports what waits to be raised. */
typedef struct lcu_scope {
  lcu_device *device;
  bool pushed;
} lcu_scope;
static inline lcu_status lcu_device_enter (lcu_device *d, lcu_scope *scope);
static inline void lcu_device_leave (lcu_scope *scope);
/* The same for questions, which leave what waits to be raised to the calls that work or wait. */
lcu_status lcu_device_enter_probe (lcu_device *d, lcu_scope *scope);
/* The same for finalisers: nothing is reported; false when the device is dead, forked or closed
 * (then no driver call may be made). */
bool lcu_device_enter_quiet (lcu_device *d, lcu_scope *scope);

/* To be called with the status of every driver call made for the device: adds the device's name,
 * turns a fatal one into the dead state (naming the latest kernels not known complete), fetches the
 * CPU device's fault details (lcu_device_last_fault) and keeps the fault until it is raised
 * (lcu_pending.h). Returns the status. */
lcu_status lcu_device_status (lcu_device *d, lcu_status s);
/* This thread's latest failure, of which lcu_failure.pending was `key`, has been raised: nothing
 * waits for it any more. */
void lcu_device_raised (lcu_status s, uint64_t key);
/* A failure that this thread's owner was never told, made the thread's latest one; waits for
 * nothing. LCU_OK: none. */
lcu_status lcu_device_unheard (lcu_device *d);
/* Did a fatal fault end CUDA without any call raising it? Its words; once. */
bool lcu_device_lost_unheard (char *out, size_t size);

/* Gives everything the driver holds for the device back; the next use starts afresh. LCU_E_STATE
 * while objects of the device live. */
lcu_status lcu_device_reset (lcu_device *d);
/* Lets `d` use the memory of `peer` (or no longer), as the program wants it. */
lcu_status lcu_device_enable_peer (lcu_device *d, lcu_device *peer, bool enable);
/* May `d` use the memory of `peer`? Asked for the first time it is enabled where it can be, unless
 * the program said no. */
bool lcu_device_reaches (lcu_device *d, lcu_device *peer);
lcu_status lcu_device_can_access (lcu_device *d, lcu_device *peer, bool *can);
lcu_status lcu_device_limit (lcu_device *d, int limit, size_t *value, bool set);

lcu_status lcu_device_attribute (lcu_device *d, int attr, int *value);
lcu_status lcu_device_synchronize (lcu_device *d);
/* The same on behalf of nobody: what it finds waits to be raised. */
void lcu_device_settle (lcu_device *d);
lcu_status lcu_device_memory (lcu_device *d, size_t *free_bytes, size_t *total);


/* ---- the way in and out, which every operation takes ---- */

/* Opened, alive, and with nothing to report. */
static inline bool lcu_device_is_ready (const lcu_device *d) {
  return atomic_load_explicit(&d->opened, memory_order_acquire) &&
         !atomic_load_explicit(&d->dead, memory_order_acquire) &&
         !atomic_load_explicit(&d->has_pending, memory_order_acquire) && !lcu_process_forked();
}

/* Opens, reports, asks which context is current; then as below. */
lcu_status lcu_device_enter_asking (lcu_device *d, lcu_scope *scope);
lcu_status lcu_device_enter_failed (lcu_device *d, cu_result r);
void lcu_device_leave_failed (lcu_device *d, cu_result r); /* told by the next checked call */

static inline lcu_status lcu_device_enter (lcu_device *d, lcu_scope *scope) {
  unsigned unasked = atomic_load_explicit(&d->unasked, memory_order_relaxed);
  scope->device = d;
  scope->pushed = false;
  if (lcu_unlikely(unasked == 0 || !lcu_device_is_ready(d)))
    return lcu_device_enter_asking(d, scope);
  atomic_store_explicit(&d->unasked, unasked - 1, memory_order_relaxed);
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
