/* cu_shim.c: trace and fault injection around any driver, one body per row of driver.def. */
#include "cu_shim.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "lcu_thread.h"

/* Calls that release something. They are made even when they have to fail; otherwise the injection
 * itself would leak. */
/* clang-format off */
#define LCU_DRV_RELEASES(X) \
  X(cuMemFree) X(cuMemFreeAsync) X(cuMemFreeHost) X(cuMemHostUnregister) \
  X(cuMemPoolDestroy) X(cuStreamDestroy) X(cuEventDestroy) X(cuModuleUnload) X(cuLinkDestroy) \
  X(cuDevicePrimaryCtxRelease) X(cuCtxDestroy) X(cuCtxPopCurrent) X(cuGreenCtxDestroy) \
  X(cuStreamEndCapture) X(cuGraphDestroy) X(cuGraphExecDestroy) \
  X(cuArrayDestroy) X(cuMipmappedArrayDestroy) X(cuTexObjectDestroy) X(cuSurfObjectDestroy) \
  X(cuMemUnmap) X(cuMemRelease) X(cuMemAddressFree) X(cuIpcCloseMemHandle)
/* clang-format on */

/* Calls never counted and never made to fail: no work depends on them. */
#define LCU_DRV_EXEMPT(X) X(cuGetErrorName) X(cuGetErrorString)

enum kind { KIND_PLAIN, KIND_RELEASE, KIND_EXEMPT };

static atomic_long calls, fail_at;
static atomic_int fail_code;
static _Atomic(const char *) failed_call;
static _Atomic(lcu_shim_hook) trace_hook;
static _Atomic(void *) trace_ud;

static enum kind kind_of (const char *name) {
#define X(n) \
  if (strcmp(name, #n) == 0) return KIND_RELEASE;
  LCU_DRV_RELEASES(X)
#undef X
#define X(n) \
  if (strcmp(name, #n) == 0) return KIND_EXEMPT;
  LCU_DRV_EXEMPT(X)
#undef X
  return strncmp(name, "cux", 3) == 0 ? KIND_EXEMPT : KIND_PLAIN;
}

enum row {
#define LCU_DRV(need, since, name, symbol, params, args) ROW_##name,
#include "driver.def"
#undef LCU_DRV
  ROWS
};

static struct {
  const char *name;
  enum kind kind; /* set when the first driver is wrapped */
} rows[ROWS] = {
#define LCU_DRV(need, since, name, symbol, params, args) { #name, KIND_PLAIN },
#include "driver.def"
#undef LCU_DRV
};

/* Counts a call; true when this one has to fail. */
static bool must_fail (enum row row) {
  if (rows[row].kind == KIND_EXEMPT) return false;
  long n = atomic_fetch_add(&calls, 1) + 1;
  if (lcu_likely(n != atomic_load_explicit(&fail_at, memory_order_relaxed))) return false;
  atomic_store(&failed_call, rows[row].name);
  return true;
}

typedef struct shim_call {
  enum row row;
  bool fails, skipped; /* skipped: the driver is not called */
  double begin_ms;     /* 0: nobody asks for times */
} shim_call;

static shim_call enter (enum row row) {
  bool traces = atomic_load_explicit(&trace_hook, memory_order_acquire) != NULL;
  shim_call c = { .row = row, .fails = must_fail(row) };
  c.skipped = c.fails && rows[row].kind == KIND_PLAIN;
  if (lcu_unlikely(traces)) c.begin_ms = lcu_now_ms();
  return c;
}

static cu_result leave (const shim_call *c, cu_result r) {
  lcu_shim_hook hook = atomic_load_explicit(&trace_hook, memory_order_acquire);
  if (c->fails) r = atomic_load(&fail_code);
  if (lcu_unlikely(hook != NULL))
    hook(atomic_load(&trace_ud), rows[c->row].name, r,
         c->begin_ms > 0 ? lcu_now_ms() - c->begin_ms : 0);
  return r;
}

/* A body cannot take a pointer to its driver, so each wrapped driver has its own bodies, in two
 * slots: for libcuda and for the CPU device. */
enum { SLOTS = 2 };
static const lcu_driver *real_drivers[SLOTS];

/* Names of locals end in _, so that they differ from a row's parameters. */
#define SHIM_BODY(slot, name, params, args) \
  static cu_result shim##slot##_##name params { \
    const shim_call call_ = enter(ROW_##name); \
    return leave(&call_, call_.skipped ? 0 : real_drivers[slot]->name args); \
  }

#define LCU_DRV(need, since, name, symbol, params, args) SHIM_BODY(0, name, params, args)
#include "driver.def"
#undef LCU_DRV
#define LCU_DRV(need, since, name, symbol, params, args) SHIM_BODY(1, name, params, args)
#include "driver.def"
#undef LCU_DRV

/* The wrapped driver lacks what the real one lacks. */
#define LCU_DRV(need, since, name, symbol, params, args) \
  if (real->name != NULL) out->name = shim0_##name;
static void fill_slot0 (lcu_driver *out, const lcu_driver *real) {
#include "driver.def"
}
#undef LCU_DRV
#define LCU_DRV(need, since, name, symbol, params, args) \
  if (real->name != NULL) out->name = shim1_##name;
static void fill_slot1 (lcu_driver *out, const lcu_driver *real) {
#include "driver.def"
}
#undef LCU_DRV

static lcu_driver wrapped[SLOTS];

static const lcu_driver *wrap_locked (const lcu_driver *real) {
  static void (*const fill[SLOTS])(lcu_driver *, const lcu_driver *) = { fill_slot0, fill_slot1 };
  for (int i = 0; i < SLOTS; i++) {
    if (real == &wrapped[i]) return real;
    if (real_drivers[i] == real) return &wrapped[i];
    if (real_drivers[i] != NULL) continue;
    real_drivers[i] = real;
    wrapped[i].kind = real->kind;
    fill[i](&wrapped[i], real);
    return &wrapped[i];
  }
  return real;
}

const lcu_driver *lcu_shim_wrap (const lcu_driver *real) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  for (int row = 0; row < ROWS && real_drivers[0] == NULL; row++)
    rows[row].kind = kind_of(rows[row].name);
  const lcu_driver *d = wrap_locked(real);
  pthread_mutex_unlock(&lock);
  return d;
}

void lcu_shim_fail_at (long n, cu_result r) {
  atomic_store(&fail_code, r);
  atomic_store(&failed_call, NULL);
  atomic_store(&fail_at, n > 0 ? n : 0);
  atomic_store(&calls, 0);
}

long lcu_shim_calls (void) { return atomic_load(&calls); }

const char *lcu_shim_failed_call (void) { return atomic_load(&failed_call); }

void lcu_shim_trace (lcu_shim_hook hook, void *ud) {
  atomic_store(&trace_ud, ud);
  atomic_store_explicit(&trace_hook, hook, memory_order_release);
}
