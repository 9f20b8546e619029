/* cpu_enter.c: the state of the device, and the current context of each thread. */
#include "cpu_enter.h"

#include <stdatomic.h>

#include "ptx.h"

enum { STACK_SIZE = 64, PRIMARY_SERIAL = 1 };

struct cu_context_ cpu_contexts[CPU_CONTEXTS];

static atomic_int state = CPU_DOWN;
/* Number of shutdowns. A thread whose stack is from an earlier generation empties it. */
static atomic_uint generation;
static _Thread_local bool in_host_function;

static _Thread_local struct {
  unsigned generation;
  int depth;
  struct {
    cu_context ctx;
    uint64_t serial; /* of the context that was made current */
  } stack[STACK_SIZE];
} current;


/* ---- the device ---- */

cpu_state cpu_device_state (void) {
  return (cpu_state)atomic_load_explicit(&state, memory_order_acquire);
}

void cpu_device_set_state (cpu_state s) { atomic_store_explicit(&state, s, memory_order_release); }

void cpu_device_fork_child (void) {
  int up = CPU_UP;
  atomic_compare_exchange_strong(&state, &up, CPU_FORKED);
}

bool cpu_in_host_function (void) { return in_host_function; }

void cpu_call_host (cu_host_fn fn, void *ud) {
  in_host_function = true;
  fn(ud);
  in_host_function = false;
}

cu_result cpu_enter_driver (void) {
  if (cpu_device_state() != CPU_UP) return CU_ERR_NOT_INITIALIZED;
  return in_host_function ? CU_ERR_NOT_PERMITTED : 0;
}

cu_result cpu_status_result (lcu_status s) {
  switch (s) {
    case LCU_OK: return 0;
    case LCU_E_NOMEM: return CU_ERR_OUT_OF_MEMORY;
    case LCU_E_NOT_FOUND: return CU_ERR_NOT_FOUND;
    case LCU_E_SYNTAX:
    case LCU_E_UNSUPPORTED: return CU_ERR_INVALID_PTX;
    case LCU_E_ARGUMENT: return CU_ERR_INVALID_VALUE;
    default: return CU_ERR_LAUNCH_FAILED;
  }
}


/* ---- contexts ---- */

static uint64_t serial_of (const struct cu_context_ *ctx) {
  return atomic_load_explicit(&ctx->serial, memory_order_acquire);
}

bool cpu_context_is (cu_context ctx) {
  uintptr_t at = (uintptr_t)ctx - (uintptr_t)cpu_contexts;
  return at < sizeof cpu_contexts && at % sizeof *ctx == 0 && serial_of(ctx) != 0;
}

void cpu_current_forget (void) {
  for (int i = 0; i < CPU_CONTEXTS; i++) atomic_store(&cpu_contexts[i].serial, 0);
  atomic_fetch_add_explicit(&generation, 1, memory_order_acq_rel);
}


/* ---- the current context ---- */

static void refresh (void) {
  unsigned now = atomic_load_explicit(&generation, memory_order_acquire);
  if (current.generation == now) return;
  current.generation = now;
  current.depth = 0;
}

static cu_context top (void) {
  refresh();
  return current.depth > 0 ? current.stack[current.depth - 1].ctx : NULL;
}

cu_context cpu_current (void) {
  cu_context ctx = top();
  return ctx != NULL ? ctx : cpu_primary();
}

cu_result cpu_enter (void) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  const struct cu_context_ *ctx = top();
  if (ctx == NULL) return CU_ERR_INVALID_CONTEXT;
  return serial_of(ctx) == current.stack[current.depth - 1].serial ? 0
                                                                   : CU_ERR_CONTEXT_IS_DESTROYED;
}

cu_result cpu_enter_device (void) {
  cu_result r = cpu_enter();
  if (r != CU_ERR_INVALID_CONTEXT && r != CU_ERR_CONTEXT_IS_DESTROYED) return r;
  for (int i = 0; i < CPU_CONTEXTS; i++)
    if (cpu_context_is(&cpu_contexts[i])) return 0;
  return r;
}

static cu_result push (cu_context ctx) {
  refresh();
  if (current.depth == STACK_SIZE) return CU_ERR_OUT_OF_MEMORY;
  current.stack[current.depth].ctx = ctx;
  current.stack[current.depth++].serial = ctx == cpu_primary() ? PRIMARY_SERIAL : serial_of(ctx);
  return 0;
}

/* The primary context can be made current before anyone retains it. */
static bool may_push (cu_context ctx) { return ctx == cpu_primary() || cpu_context_is(ctx); }

cu_result cpu_cuCtxGetCurrent (cu_context *ctx) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (ctx == NULL) return CU_ERR_INVALID_VALUE;
  *ctx = top();
  return 0;
}

/* NULL removes the top of the stack; another context replaces it. */
cu_result cpu_cuCtxSetCurrent (cu_context ctx) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (ctx != NULL && !may_push(ctx)) return CU_ERR_INVALID_CONTEXT;
  if (current.depth > 0) current.depth--;
  return ctx != NULL ? push(ctx) : 0;
}

cu_result cpu_cuCtxPushCurrent (cu_context ctx) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  return may_push(ctx) ? push(ctx) : CU_ERR_INVALID_CONTEXT;
}

cu_result cpu_cuCtxPopCurrent (cu_context *ctx) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  cu_context was = top();
  if (current.depth == 0) return CU_ERR_INVALID_CONTEXT;
  current.depth--;
  if (ctx != NULL) *ctx = was;
  return 0;
}
