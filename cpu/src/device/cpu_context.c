/* cpu_context.c: retaining, releasing and resetting the primary context; clearing any context;
 * peers. */
#include "cpu_context.h"

#include "cpu_array.h"
#include "cpu_capture.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_event.h"
#include "cpu_fault.h"
#include "cpu_graph_exec.h"
#include "cpu_limit.h"
#include "cpu_memory.h"
#include "cpu_module.h"
#include "cpu_print.h"
#include "cpu_queue.h"
#include "cpu_texture.h"
#include "cpu_worker.h"

pthread_mutex_t cpu_context_lock = PTHREAD_MUTEX_INITIALIZER;
static int retained;

static cu_result check_device (cu_device dev) {
  cu_result r = cpu_enter_driver();
  if (r == 0 && dev != 0) r = CU_ERR_INVALID_DEVICE;
  return r;
}

void cpu_context_free_objects (void) {
  cpu_print_flush();
  cpu_modules_free(NULL);
  cpu_textures_free();
  cpu_arrays_free();
  cpu_memory_free_all();
  cpu_heap_reset();
  cpu_events_free();
  cpu_faults_free(NULL);
}

/* Pools belong to the device, and graphs to nobody: they stay. */
static void end_objects (cu_context ctx) {
  cpu_print_flush();
  cpu_modules_free(ctx);
  cpu_textures_end(ctx);
  cpu_arrays_end(ctx);
  cpu_memory_end(ctx);
  cpu_events_end(ctx);
  cpu_faults_free(ctx);
}

static bool is_only (cu_context ctx) {
  for (int i = 0; i < CPU_CONTEXTS; i++)
    if (&cpu_contexts[i] != ctx && cpu_context_is(&cpu_contexts[i])) return false;
  return true;
}

/* The limits that all contexts share are kept with the primary one, which need not be in use. */
static void reset_limits (cu_context ctx) {
  if (is_only(ctx)) cpu_limits_reset(cpu_primary());
  cpu_limits_reset(ctx);
}

static void clear_only (cu_context ctx) {
  cpu_wait_all();
  cpu_graphs_free();
  cpu_user_objects_end();
  cpu_queue_reset(ctx);
  cpu_context_free_objects();
}

void cpu_context_clear (cu_context ctx) {
  cpu_captures_abandon(ctx);
  cpu_wait_context(ctx);
  cpu_queue_reset(ctx);
  end_objects(ctx);
  cpu_limits_reset(ctx);
}

void cpu_context_clear_primary (cu_context ctx, bool end) {
  bool only = is_only(ctx);
  if (end) atomic_store(&ctx->serial, 0);
  if (only) clear_only(ctx);
  else cpu_context_clear(ctx);
  reset_limits(ctx);
  /* A null stream other than that of the first context went with the other streams. */
  if (!end && ctx != cpu_primary()) (void)cpu_stream_new_null(ctx);
}

bool cpu_context_begin (cu_context ctx, uint64_t serial) {
  if (!cpu_stream_new_null(ctx)) return false;
  reset_limits(ctx);
  atomic_store(&ctx->attached, 0);
  atomic_store(&ctx->serial, serial);
  return true;
}

cu_result cpu_cuDevicePrimaryCtxRetain (cu_context *ctx, cu_device dev) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  if (ctx == NULL) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_context_lock);
  if (retained++ == 0) (void)cpu_context_begin(cpu_primary(), 1);
  pthread_mutex_unlock(&cpu_context_lock);
  *ctx = cpu_primary();
  return 0;
}

cu_result cpu_cuDevicePrimaryCtxRelease (cu_device dev) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_context_lock);
  if (retained == 0) r = CU_ERR_INVALID_CONTEXT;
  else if (--retained == 0) cpu_context_clear_primary(cpu_primary(), true);
  pthread_mutex_unlock(&cpu_context_lock);
  return r;
}

cu_result cpu_cuDevicePrimaryCtxReset (cu_device dev) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_context_lock);
  cpu_context_clear_primary(cpu_primary(), false);
  pthread_mutex_unlock(&cpu_context_lock);
  return 0;
}

cu_result cpu_cuDevicePrimaryCtxGetState (cu_device dev, unsigned *flags, int *is_active) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  if (flags == NULL || is_active == NULL) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_context_lock);
  *flags = cpu_primary()->flags;
  *is_active = retained > 0;
  pthread_mutex_unlock(&cpu_context_lock);
  return 0;
}

/* Flags, such as how a thread waits, have no effect here; they can only be read back. */
cu_result cpu_cuDevicePrimaryCtxSetFlags (cu_device dev, unsigned flags) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  if (flags > 0xff) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_context_lock);
  cpu_primary()->flags = flags;
  pthread_mutex_unlock(&cpu_context_lock);
  return 0;
}

void cpu_context_forget (void) {
  pthread_mutex_lock(&cpu_context_lock);
  retained = 0;
  cpu_primary()->flags = 0;
  cpu_current_forget();
  pthread_mutex_unlock(&cpu_context_lock);
}


/* ---- entry points that need a current context ---- */

cu_result cpu_cuCtxSynchronize (void) {
  cu_result r = cpu_enter();
  if (r == 0) r = cpu_capture_forbid_all(cpu_current());
  if (r != 0) return r;
  cpu_wait_context(cpu_current());
  cpu_print_flush();
  return cpu_fault_take_in(cpu_current());
}

/* The version of the driver API that contexts are made with: the same as libcuda's. */
cu_result cpu_cuCtxGetApiVersion (cu_context ctx, unsigned *version) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (ctx != NULL && !cpu_context_is(ctx)) return CU_ERR_INVALID_CONTEXT;
  if (version == NULL) return CU_ERR_INVALID_VALUE;
  *version = 3020;
  return 0;
}

cu_result cpu_cuCtxGetId (cu_context ctx, unsigned long long *id) {
  cu_result r = ctx != NULL ? cpu_enter_driver() : cpu_enter();
  if (r != 0) return r;
  if (ctx == NULL) ctx = cpu_current();
  if (!cpu_context_is(ctx)) return CU_ERR_INVALID_CONTEXT;
  if (id == NULL) return CU_ERR_INVALID_VALUE;
  *id = atomic_load(&ctx->serial);
  return 0;
}

cu_result cpu_cuCtxGetStreamPriorityRange (int *least, int *greatest) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (least != NULL) *least = 0;
  if (greatest != NULL) *greatest = -5;
  return 0;
}

/* A second device does not exist. */
cu_result cpu_cuCtxEnablePeerAccess (cu_context peer, unsigned flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (flags != 0) return CU_ERR_INVALID_VALUE;
  return peer == cpu_current() ? CU_ERR_INVALID_CONTEXT : CU_ERR_PEER_ACCESS_UNSUPPORTED;
}

cu_result cpu_cuCtxDisablePeerAccess (cu_context peer) {
  cu_result r = cpu_enter();
  (void)peer;
  return r != 0 ? r : CU_ERR_PEER_ACCESS_NOT_ENABLED;
}
