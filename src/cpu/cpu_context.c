/* cpu_context.c: the primary context, what is current on each thread, and limits. */
#include "cpu_device.h"

#include <pthread.h>

/* There is one device, so there is one context; explicit ones are not offered (no row creates
 * them). */
struct cu_context_ {
  int retained;
  unsigned flags;
};

enum { STACK_SIZE = 64, LIMITS = CU_LIMIT_PERSISTING_L2_CACHE_SIZE_ + 1 };

static const size_t default_limits[LIMITS] = {
  /* for calls; a kernel's own frame comes on top */
  [CU_LIMIT_STACK_SIZE_] = 8 * 1024,
  [CU_LIMIT_PRINTF_FIFO_SIZE_] = 1024 * 1024,
  [CU_LIMIT_MALLOC_HEAP_SIZE_] = 8 * 1024 * 1024,
  [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH_] = 2,
  [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT_] = 2048,
  [CU_LIMIT_MAX_L2_FETCH_GRANULARITY_] = 64,
};

static struct cu_context_ primary;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for `primary` */
static atomic_bool active;                               /* primary.retained > 0 */
static atomic_size_t limits[LIMITS];
/* Counts shutdowns: what a thread had made current before one is current no more. */
static atomic_uint generation;

static _Thread_local struct {
  unsigned generation;
  int depth;
  cu_context stack[STACK_SIZE];
} current;

static void refresh (void) {
  unsigned now = atomic_load_explicit(&generation, memory_order_acquire);
  if (current.generation == now) return;
  current.generation = now;
  current.depth = 0;
}

static cu_context top (void) {
  refresh();
  return current.depth > 0 ? current.stack[current.depth - 1] : NULL;
}

static cu_result check_up (void) {
  if (cpu_device_state() != CPU_UP) return CU_ERR_NOT_INITIALIZED;
  return cpu_in_host_function() ? CU_ERR_NOT_PERMITTED : 0;
}

static cu_result check_device (cu_device dev) {
  cu_result r = check_up();
  if (r == 0 && dev != 0) r = CU_ERR_INVALID_DEVICE;
  return r;
}

cu_result cpu_enter (void) {
  cu_result r = check_up();
  if (r != 0) return r;
  if (top() == NULL) return CU_ERR_INVALID_CONTEXT;
  return atomic_load_explicit(&active, memory_order_acquire) ? 0 : CU_ERR_CONTEXT_IS_DESTROYED;
}

cu_context cpu_primary (void) { return &primary; }

size_t cpu_limit (int limit) { return atomic_load_explicit(&limits[limit], memory_order_relaxed); }


/* ---- the primary context ---- */

static void reset_limits (void) {
  for (int i = 0; i < LIMITS; i++) atomic_store(&limits[i], default_limits[i]);
}

/* Everything that was made in the context goes; work that is queued is completed first. */
static void clear_context (void) {
  cpu_wait_all();
  cpu_print_flush();
  cpu_modules_free();
  cpu_memory_free_all();
  cpu_queue_reset();
  cpu_events_free();
  cpu_faults_free();
  reset_limits();
}

cu_result cpu_cuDevicePrimaryCtxRetain (cu_context *ctx, cu_device dev) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  if (ctx == NULL) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&lock);
  if (primary.retained++ == 0) {
    reset_limits();
    atomic_store_explicit(&active, true, memory_order_release);
  }
  pthread_mutex_unlock(&lock);
  *ctx = &primary;
  return 0;
}

cu_result cpu_cuDevicePrimaryCtxRelease (cu_device dev) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  pthread_mutex_lock(&lock);
  if (primary.retained == 0) r = CU_ERR_INVALID_CONTEXT;
  else if (--primary.retained == 0) {
    atomic_store_explicit(&active, false, memory_order_release);
    clear_context();
  }
  pthread_mutex_unlock(&lock);
  return r;
}

cu_result cpu_cuDevicePrimaryCtxReset (cu_device dev) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  pthread_mutex_lock(&lock);
  clear_context();
  pthread_mutex_unlock(&lock);
  return 0;
}

cu_result cpu_cuDevicePrimaryCtxGetState (cu_device dev, unsigned *flags, int *is_active) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  if (flags == NULL || is_active == NULL) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&lock);
  *flags = primary.flags;
  *is_active = primary.retained > 0;
  pthread_mutex_unlock(&lock);
  return 0;
}

/* Flags say how a thread waits and the like: nothing here depends on them, but they read back. */
cu_result cpu_cuDevicePrimaryCtxSetFlags (cu_device dev, unsigned flags) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  if (flags > 0xff) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&lock);
  primary.flags = flags;
  pthread_mutex_unlock(&lock);
  return 0;
}

void cpu_context_forget (void) {
  pthread_mutex_lock(&lock);
  primary = (struct cu_context_){ 0 };
  atomic_store_explicit(&active, false, memory_order_release);
  atomic_fetch_add_explicit(&generation, 1, memory_order_acq_rel);
  pthread_mutex_unlock(&lock);
}


/* ---- what is current ---- */

static cu_result push (cu_context ctx) {
  refresh();
  if (current.depth == STACK_SIZE) return CU_ERR_OUT_OF_MEMORY;
  current.stack[current.depth++] = ctx;
  return 0;
}

cu_result cpu_cuCtxGetCurrent (cu_context *ctx) {
  cu_result r = check_up();
  if (r != 0) return r;
  if (ctx == NULL) return CU_ERR_INVALID_VALUE;
  *ctx = top();
  return 0;
}

/* NULL takes the top off; another context replaces it. */
cu_result cpu_cuCtxSetCurrent (cu_context ctx) {
  cu_result r = check_up();
  if (r != 0) return r;
  if (ctx != NULL && ctx != &primary) return CU_ERR_INVALID_CONTEXT;
  refresh();
  if (current.depth > 0) current.depth--;
  return ctx != NULL ? push(ctx) : 0;
}

cu_result cpu_cuCtxPushCurrent (cu_context ctx) {
  cu_result r = check_up();
  if (r != 0) return r;
  return ctx == &primary ? push(ctx) : CU_ERR_INVALID_CONTEXT;
}

cu_result cpu_cuCtxPopCurrent (cu_context *ctx) {
  cu_result r = check_up();
  if (r != 0) return r;
  cu_context was = top();
  if (current.depth == 0) return CU_ERR_INVALID_CONTEXT;
  current.depth--;
  if (ctx != NULL) *ctx = was;
  return 0;
}

cu_result cpu_cuCtxSynchronize (void) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  cpu_wait_all();
  cpu_print_flush();
  return cpu_fault_take(NULL, UINT64_MAX);
}

cu_result cpu_cuCtxGetStreamPriorityRange (int *least, int *greatest) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (least != NULL) *least = 0;
  if (greatest != NULL) *greatest = -5;
  return 0;
}

/* There is no second device to reach. */
cu_result cpu_cuCtxEnablePeerAccess (cu_context peer, unsigned flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (flags != 0) return CU_ERR_INVALID_VALUE;
  return peer == &primary ? CU_ERR_INVALID_CONTEXT : CU_ERR_PEER_ACCESS_UNSUPPORTED;
}

cu_result cpu_cuCtxDisablePeerAccess (cu_context peer) {
  cu_result r = cpu_enter();
  (void)peer;
  return r != 0 ? r : CU_ERR_PEER_ACCESS_NOT_ENABLED;
}


/* ---- limits ---- */

cu_result cpu_cuCtxGetLimit (size_t *value, int limit) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (value == NULL || limit < 0 || limit >= LIMITS) return CU_ERR_INVALID_VALUE;
  *value = cpu_limit(limit);
  return 0;
}

cu_result cpu_cuCtxSetLimit (int limit, size_t value) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (limit < 0 || limit >= LIMITS) return CU_ERR_INVALID_VALUE;
  if (limit == CU_LIMIT_STACK_SIZE_ && value > (size_t)1 << 20)
    return lcu_driver_detail("cuCtxSetLimit", CU_ERR_INVALID_VALUE,
                             "the stack of a thread has at most 1 MiB");
  atomic_store_explicit(&limits[limit], value, memory_order_relaxed);
  return 0;
}
