/* cpu_contexts.c: entry points for contexts made by the program. The record of an ended context
 * serves another one as late as possible, so that its handle is recognized for long. */
#include "cpu_context.h"
#include "cpu_driver.h"

static struct {
  int latest; /* both guarded by cpu_context_lock */
  uint64_t serial;
} contexts = { .serial = 1 };

/* Needs the lock. NULL: there are too many contexts. */
static cu_context free_record (void) {
  for (int i = 1; i < CPU_CONTEXTS; i++) {
    int at = (contexts.latest + i - 1) % (CPU_CONTEXTS - 1) + 1;
    if (cpu_context_is(&cpu_contexts[at])) continue;
    contexts.latest = at;
    return &cpu_contexts[at];
  }
  return NULL;
}

static cu_result make (cu_context *ctx, unsigned flags) {
  cu_context made = free_record();
  if (made == NULL || !cpu_context_begin(made, contexts.serial + 1)) return CU_ERR_OUT_OF_MEMORY;
  contexts.serial++;
  made->flags = flags;
  *ctx = made;
  return 0;
}

/* Ends a context that no call can use any more. */
static void end (cu_context ctx) {
  atomic_store(&ctx->serial, 0);
  cpu_context_clear(ctx);
}

/* The new context becomes current. */
cu_result cpu_cuCtxCreate (cu_context *ctx, unsigned flags, cu_device dev) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (dev != 0) return CU_ERR_INVALID_DEVICE;
  if (ctx == NULL || flags > 0xff) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_context_lock);
  r = make(ctx, flags);
  if (r == 0 && (r = cpu_cuCtxPushCurrent(*ctx)) != 0) end(*ctx);
  pthread_mutex_unlock(&cpu_context_lock);
  return r;
}

/* Threads that have it on their stacks find it destroyed; from the top of this one's it goes. */
cu_result cpu_cuCtxDestroy (cu_context ctx) {
  cu_result r = cpu_enter_driver();
  cu_context current = NULL;
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_context_lock);
  if (ctx == cpu_primary() || !cpu_context_is(ctx)) r = CU_ERR_INVALID_CONTEXT;
  else {
    (void)cpu_cuCtxGetCurrent(&current);
    if (current == ctx) (void)cpu_cuCtxPopCurrent(NULL);
    end(ctx);
  }
  pthread_mutex_unlock(&cpu_context_lock);
  return r;
}

cu_result cpu_cuCtxGetFlags (unsigned *flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (flags == NULL) return CU_ERR_INVALID_VALUE;
  *flags = cpu_current()->flags;
  return 0;
}

cu_result cpu_cuCtxSetFlags (unsigned flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (flags > 0xff) return CU_ERR_INVALID_VALUE;
  cpu_current()->flags = flags;
  return 0;
}
