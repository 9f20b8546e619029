/* gpus_context.c: the primary contexts of GPUs, contexts that programs make on them, and the access
 * of one GPU to the memory of another. */
#include "gpus_parts.h"

#include <pthread.h>

#include "cpu_context.h"

static struct {
  int retained;
  cu_context primary; /* while it is retained */
  unsigned flags;
  bool reaches[CPU_MOST_GPUS], reaches_pools[CPU_MOST_GPUS];
} gpus[CPU_MOST_GPUS];
/* Guards all of it except the reach, which a program changes while no kernel runs that needs it.
 * Taken before the lock of contexts. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool gpus_reach (cu_device dev, cu_device owner) { return gpus[dev].reaches[owner]; }
bool gpus_reach_pools (cu_device dev, cu_device owner) { return gpus[dev].reaches_pools[owner]; }
void gpus_set_reach_pools (cu_device dev, cu_device owner, bool on) {
  gpus[dev].reaches_pools[owner] = on;
}

static void forget_reach (cu_device dev) {
  for (int i = 0; i < CPU_MOST_GPUS; i++) {
    gpus[i].reaches[dev] = gpus[dev].reaches[i] = false;
    gpus[i].reaches_pools[dev] = gpus[dev].reaches_pools[i] = false;
  }
}


/* ---- primary contexts ---- */

static cu_result begin (cu_device dev) {
  cu_result r = cpu_cuCtxCreate(&gpus[dev].primary, gpus[dev].flags, 0);
  if (r != 0) return r;
  gpus[dev].primary->device = dev;
  return cpu_cuCtxPopCurrent(NULL);
}

static cu_result retain (cu_context *ctx, cu_device dev) {
  cu_result r = ctx == NULL ? CU_ERR_INVALID_VALUE : GPUS_CALL(dev, enter_driver());
  if (r != 0) return r;
  pthread_mutex_lock(&lock);
  if (gpus[dev].retained == 0) r = begin(dev);
  if (r == 0) {
    gpus[dev].retained++;
    *ctx = gpus[dev].primary;
  }
  pthread_mutex_unlock(&lock);
  return r;
}

static void clear (cu_device dev, bool end) {
  forget_reach(dev);
  pthread_mutex_lock(&cpu_context_lock);
  cpu_context_clear_primary(gpus[dev].primary, end);
  pthread_mutex_unlock(&cpu_context_lock);
}

static cu_result release (cu_device dev) {
  cu_result r = GPUS_CALL(dev, enter_driver());
  if (r != 0) return r;
  pthread_mutex_lock(&lock);
  if (gpus[dev].retained == 0) r = CU_ERR_INVALID_CONTEXT;
  else if (--gpus[dev].retained == 0) clear(dev, true);
  pthread_mutex_unlock(&lock);
  return r;
}

static cu_result reset (cu_device dev) {
  cu_result r = GPUS_CALL(dev, enter_driver());
  if (r != 0) return r;
  pthread_mutex_lock(&lock);
  if (gpus[dev].retained > 0) clear(dev, false);
  pthread_mutex_unlock(&lock);
  return 0;
}

static cu_result get_state (cu_device dev, unsigned *flags, int *active) {
  cu_result r = GPUS_CALL(dev, cuDevicePrimaryCtxGetState(0, flags, active));
  if (r != 0) return r;
  pthread_mutex_lock(&lock);
  *active = gpus[dev].retained > 0;
  *flags = *active ? atomic_load(&gpus[dev].primary->flags) : gpus[dev].flags;
  pthread_mutex_unlock(&lock);
  return 0;
}

static cu_result set_flags (cu_device dev, unsigned flags) {
  cu_result r = GPUS_CALL(dev, cuDevicePrimaryCtxSetFlags(0, flags));
  if (r != 0) return r;
  pthread_mutex_lock(&lock);
  gpus[dev].flags = flags;
  if (gpus[dev].retained > 0) atomic_store(&gpus[dev].primary->flags, flags);
  pthread_mutex_unlock(&lock);
  return 0;
}


/* ---- contexts of programs ---- */

static cu_result create_context (cu_context *ctx, unsigned flags, cu_device dev) {
  cu_result r = GPUS_CALL(dev, cuCtxCreate(ctx, flags, 0));
  if (r == 0) (*ctx)->device = dev;
  return r;
}

static cu_result destroy (cu_context ctx) {
  bool is_primary = false;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < CPU_MOST_GPUS; i++)
    is_primary = is_primary || (gpus[i].retained > 0 && gpus[i].primary == ctx);
  pthread_mutex_unlock(&lock);
  return is_primary ? CU_ERR_INVALID_CONTEXT : cpu_cuCtxDestroy(ctx);
}


/* ---- peers ---- */

static cu_result switch_access (cu_context peer, bool on, cu_result already) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (!cpu_context_is(peer)) return CU_ERR_INVALID_CONTEXT;
  cu_device dev = cpu_current()->device, other = peer->device;
  if (dev == other) return CU_ERR_INVALID_CONTEXT;
  if (gpus[dev].reaches[other] == on) return already;
  gpus[dev].reaches[other] = on;
  return 0;
}

static cu_result enable_access (cu_context peer, unsigned flags) {
  return flags != 0 ? CU_ERR_INVALID_VALUE
                    : switch_access(peer, true, CU_ERR_PEER_ACCESS_ALREADY_ENABLED);
}

static cu_result disable_access (cu_context peer) {
  return switch_access(peer, false, CU_ERR_PEER_ACCESS_NOT_ENABLED);
}

void gpus_fill_contexts (lcu_driver *table) {
  table->cuDevicePrimaryCtxRetain = retain;
  table->cuDevicePrimaryCtxRelease = release;
  table->cuDevicePrimaryCtxReset = reset;
  table->cuDevicePrimaryCtxGetState = get_state;
  table->cuDevicePrimaryCtxSetFlags = set_flags;
  table->cuCtxCreate = create_context;
  table->cuCtxDestroy = destroy;
  table->cuCtxEnablePeerAccess = enable_access;
  table->cuCtxDisablePeerAccess = disable_access;
}
