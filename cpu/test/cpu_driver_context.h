/* cpu_driver_context.h: tests of contexts made by the program: the stack of current contexts, what
 * belongs to a context, and its end, in any order. */
#ifndef CPU_DRIVER_CONTEXT_H
#define CPU_DRIVER_CONTEXT_H

#include "cpu_driver_check.h"

static cu_context new_context (unsigned flags) {
  cu_context c = NULL;
  OK(d->cuCtxCreate(&c, flags, 0));
  return c;
}

static cu_context current_context (void) {
  cu_context c = NULL;
  OK(d->cuCtxGetCurrent(&c));
  return c;
}

static void test_context_stack (void) {
  unsigned flags = 0;
  cu_context c = NULL, out = NULL;
  RESULT(INVALID_DEVICE, d->cuCtxCreate(&c, 0, 4711));
  RESULT(INVALID_VALUE, d->cuCtxCreate(NULL, 0, 0));
  c = new_context(CU_CTX_SCHED_YIELD_);
  CHECK(c != NULL && c != context && current_context() == c);
  OK(d->cuCtxGetFlags(&flags));
  CHECK((flags & CU_CTX_SCHED_MASK_) == CU_CTX_SCHED_YIELD_);
  OK(d->cuCtxPopCurrent(&out));
  CHECK(out == c && current_context() == context);
  OK(d->cuCtxPushCurrent(c));
  OK(d->cuCtxPushCurrent(context));
  CHECK(current_context() == context);
  OK(d->cuCtxPopCurrent(NULL));
  CHECK(current_context() == c);
  OK(d->cuCtxDestroy(c)); /* it is current: that is popped */
  CHECK(current_context() == context);
  ON_CPU(RESULT(INVALID_CONTEXT, d->cuCtxPushCurrent(c)));
  ON_CPU(RESULT(INVALID_CONTEXT, d->cuCtxDestroy(c)));
  ON_CPU(RESULT(INVALID_CONTEXT, d->cuCtxDestroy(context)));
}

/* Below the top of the stack, and on the stacks of other threads, a destroyed context stays. */
static void test_destroyed_below (void) {
  cu_context c = new_context(0);
  cu_deviceptr p;
  OK(d->cuCtxPushCurrent(context));
  OK(d->cuCtxDestroy(c));
  CHECK(current_context() == context);
  OK(d->cuCtxPopCurrent(NULL));
  ON_CPU(RESULT(CONTEXT_IS_DESTROYED, d->cuMemAlloc(&p, 4)));
  cu_context later = new_context(0); /* may have the same record */
  OK(d->cuCtxPopCurrent(NULL));
  ON_CPU(RESULT(CONTEXT_IS_DESTROYED, d->cuMemAlloc(&p, 4)));
  OK(d->cuCtxDestroy(later));
  OK(d->cuCtxPopCurrent(NULL));
  CHECK(current_context() == context);
}

static void test_context_settings (void) {
  size_t stack = 0, before = 0;
  int config = -1;
  unsigned version = 0;
  OK(d->cuCtxGetLimit(&before, CU_LIMIT_STACK_SIZE_));
  cu_context c = new_context(0);
  OK(d->cuCtxSetLimit(CU_LIMIT_STACK_SIZE_, 16 << 10));
  OK(d->cuCtxSetCacheConfig(CU_CACHE_PREFER_SHARED_));
  OK(d->cuCtxGetLimit(&stack, CU_LIMIT_STACK_SIZE_));
  CHECK(stack == 16 << 10);
  OK(d->cuCtxGetApiVersion(c, &version));
  CHECK(version >= 3020);
  OK(d->cuCtxPushCurrent(context));
  OK(d->cuCtxGetLimit(&stack, CU_LIMIT_STACK_SIZE_));
  OK(d->cuCtxGetCacheConfig(&config));
  CHECK(stack == before && config == CU_CACHE_PREFER_NONE_);
  OK(d->cuCtxPopCurrent(NULL));
  OK(d->cuCtxGetCacheConfig(&config));
  CHECK(config == CU_CACHE_PREFER_SHARED_);
  OK(d->cuCtxDestroy(c));
}

/* The heap of kernels and the buffer of printf are one for all contexts. */
static bool limit_is_shared (int limit) {
  return limit == CU_LIMIT_MALLOC_HEAP_SIZE_ || limit == CU_LIMIT_PRINTF_FIFO_SIZE_;
}

static size_t limit_of (cu_context c, int limit) {
  size_t v = 0;
  OK(d->cuCtxPushCurrent(c));
  OK(d->cuCtxGetLimit(&v, limit));
  OK(d->cuCtxPopCurrent(NULL));
  return v;
}

/* What CUDA documents, but for the stack of a thread, of which this device has more. */
static const size_t limit_defaults[] = {
  [CU_LIMIT_STACK_SIZE_] = 8192,
  [CU_LIMIT_PRINTF_FIFO_SIZE_] = 1048576,
  [CU_LIMIT_MALLOC_HEAP_SIZE_] = 8388608,
  [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH_] = 2,
  [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT_] = 2048,
  [CU_LIMIT_MAX_L2_FETCH_GRANULARITY_] = 64,
  [CU_LIMIT_PERSISTING_L2_CACHE_SIZE_] = 0,
};
enum { LIMITS = CU_LIMIT_PERSISTING_L2_CACHE_SIZE_ + 1 };

static void check_default_limits (cu_context c) {
  for (int i = 0; i < LIMITS; i++) {
    size_t v = limit_of(c, i);
    CHECK(v == limit_defaults[i], "limit %d is %zu", i, v);
  }
}

/* Each limit starts at its default, and changes alone. */
static void test_context_limits (void) {
  enum { MIB = 1 << 20 };
  check_default_limits(context);
  cu_context c = new_context(0);
  check_default_limits(c);
  for (int i = 0; i < LIMITS; i++) {
    size_t set = 12345 + (size_t)i;
    OK(d->cuCtxSetLimit(i, set));
    for (int k = 0; k < LIMITS; k++) {
      CHECK(limit_of(c, k) == (k == i ? set : limit_defaults[k]));
      bool here = k == i && limit_is_shared(i);
      CHECK(limit_of(context, k) == (here ? set : limit_defaults[k]));
    }
    OK(d->cuCtxSetLimit(i, limit_defaults[i]));
  }
  OK(d->cuCtxSetLimit(CU_LIMIT_STACK_SIZE_, MIB));
  RESULT(INVALID_VALUE, d->cuCtxSetLimit(CU_LIMIT_STACK_SIZE_, MIB + 1));
  RESULT(INVALID_VALUE, d->cuCtxSetLimit(LIMITS, 1));
  RESULT(INVALID_VALUE, d->cuCtxSetLimit(-1, 1));
  CHECK(limit_of(c, CU_LIMIT_STACK_SIZE_) == MIB);
  OK(d->cuCtxDestroy(c));
}

/* Memory of one context is usable, and freed, in the other. */
static void test_shared_memory (void) {
  int v[4] = { 1, 2, 3, 4 }, n = 4, by = 10;
  cu_deviceptr outer = device_alloc(16), p;
  cu_context c = new_context(0);
  cu_module m = stored_module();
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
  p = device_alloc(16);
  OK(d->cuMemcpyHtoDAsync(p, v, 16, s));
  OK(launch1(function(m, "scale"), 1, 32, s, (void *[]){ &p, &n, &by }));
  OK(d->cuMemcpyPeerAsync(outer, context, p, c, 16, s));
  OK(d->cuStreamSynchronize(s));
  OK(d->cuCtxPushCurrent(context));
  OK(d->cuMemcpyDtoHAsync(v, outer, 16, NULL));
  CHECK(v[0] == 10 && v[3] == 40);
  OK(d->cuMemFree(p));
  OK(d->cuCtxPopCurrent(NULL));
  OK(d->cuMemFree(outer));
  OK(d->cuCtxDestroy(c));
}

/* Streams and kernels, events and streams must be of one context; waits cross contexts. */
static void test_mixed_contexts (void) {
  int v[4] = { 1, 2, 3, 4 }, n = 4, by = 10;
  cu_deviceptr p = device_alloc(16);
  cu_event outer = new_event();
  cu_stream outside = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_context c = new_context(0);
  cu_module m = stored_module();
  cu_function scale = function(m, "scale");
  cu_event e = new_event();
  RESULT(INVALID_HANDLE, d->cuEventRecord(outer, NULL));
  RESULT(INVALID_HANDLE, d->cuEventRecord(e, outside));
  OK(d->cuMemcpyHtoDAsync(p, v, 16, NULL));
  OK(launch1(scale, 1, 32, NULL, (void *[]){ &p, &n, &by }));
  OK(d->cuEventRecord(e, NULL));
  ON_CPU(RESULT(INVALID_HANDLE, launch1(scale, 1, 32, outside, (void *[]){ &p, &n, &by })));
  OK(d->cuCtxPopCurrent(NULL));
  OK(d->cuStreamWaitEvent(outside, e, 0));
  OK(d->cuMemcpyDtoHAsync(v, p, 16, outside));
  OK(d->cuStreamSynchronize(outside));
  CHECK(v[0] == 10 && v[3] == 40);
  OK(d->cuCtxDestroy(c));
  OK(d->cuStreamQuery(outside));
  OK(d->cuStreamDestroy(outside));
  OK(d->cuEventDestroy(outer));
  OK(d->cuMemFree(p));
}

/* The null streams of two contexts are not ordered, and a context waits for its own work only. */
static void test_null_streams (void) {
  gate g = { 0 };
  cu_stream s = new_stream(CU_STREAM_DEFAULT_);
  OK(d->cuLaunchHostFunc(s, gate_wait, &g));
  cu_context c = new_context(0);
  cu_deviceptr p = device_alloc(64);
  OK(d->cuMemsetD32Async(p, 7, 16, NULL));
  OK(d->cuStreamSynchronize(NULL));
  OK(d->cuCtxSynchronize());
  OK(d->cuStreamQuery(NULL));
  OK(d->cuCtxPushCurrent(context));
  RESULT(NOT_READY, d->cuStreamQuery(NULL));
  OK(d->cuCtxPopCurrent(NULL));
  ON_CPU(OK(d->cuCtxDestroy(c)));
  g.open = true;
  if (!on_cpu) OK(d->cuCtxDestroy(c));
  OK(d->cuStreamSynchronize(NULL));
  OK(d->cuStreamDestroy(s));
}

/* Everything made in a context ends with it. */
static void test_context_objects (void) {
  cu_deviceptr outer = device_alloc(64), p, tally;
  void *pinned = NULL;
  static char host[4096];
  cu_context c = new_context(0);
  cu_module m = stored_module();
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_), late = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_event e = new_event();
  p = device_alloc(64);
  cu_array a = NULL;
  cu_array_desc desc = { .width = 4, .height = 4, .format = CU_FORMAT_U8, .channels = 1 };
  OK(d->cuArray3DCreate(&a, &desc));
  OK(d->cuMemHostAlloc(&pinned, 64, 0));
  OK(d->cuMemHostRegister(host, sizeof host, 0));
  OK(d->cuModuleGetGlobal(&tally, NULL, m, "tally"));
  OK(d->cuStreamBeginCapture(late, CU_CAPTURE_RELAXED));
  OK(d->cuMemsetD32Async(p, 7, 16, s));
  OK(d->cuEventRecord(e, s));
  OK(d->cuCtxDestroy(c));
  if (on_cpu) {
    RESULT(INVALID_VALUE, d->cuMemFree(p));
    RESULT(INVALID_VALUE, d->cuMemFree(tally));
    RESULT(INVALID_VALUE, d->cuMemFreeHost(pinned));
    RESULT(HOST_MEMORY_NOT_REGISTERED, d->cuMemHostUnregister(host));
    RESULT(INVALID_HANDLE, d->cuStreamQuery(s));
    RESULT(INVALID_HANDLE, d->cuEventQuery(e));
    RESULT(INVALID_HANDLE, d->cuArrayDestroy(a));
    OK(d->cuCtxSynchronize());
  }
  OK(d->cuMemFree(outer));
}

/* On the CPU device a fault ends nothing; it belongs to its context. */
static void test_context_faults (void) {
  cu_context c = new_context(0);
  cu_module m = stored_module();
  OK(launch1(function(m, "trap_now"), 1, 1, NULL, NULL));
  OK(d->cuCtxPushCurrent(context));
  OK(d->cuCtxSynchronize());
  OK(d->cuStreamSynchronize(NULL));
  OK(d->cuCtxPopCurrent(NULL));
  RESULT(LAUNCH_FAILED, d->cuCtxSynchronize());
  OK(launch1(function(m, "trap_now"), 1, 1, NULL, NULL));
  OK(d->cuCtxDestroy(c));
  OK(d->cuCtxSynchronize());
}

/* Three contexts that come and go, with memory that each of them fills and any of them frees. */
enum { MODEL_CONTEXTS = 3, MODEL_STEPS = 600 };
typedef struct model {
  cu_context ctx;
  cu_function scale;
  cu_stream stream;
  cu_deviceptr p;
  int value;
} model;

static void model_open (model *m) {
  m->ctx = new_context(0);
  m->scale = function(stored_module(), "scale");
  m->stream = new_stream(CU_STREAM_NON_BLOCKING_);
  m->p = 0;
  OK(d->cuCtxPopCurrent(NULL));
}

static void model_work (model *m, int value) {
  int n = 4, by = 3;
  OK(d->cuCtxPushCurrent(m->ctx));
  if (m->p == 0) m->p = device_alloc(16);
  OK(d->cuMemsetD32Async(m->p, (unsigned)value, 4, m->stream));
  OK(launch1(m->scale, 1, 32, m->stream, (void *[]){ &m->p, &n, &by }));
  OK(d->cuCtxPopCurrent(NULL));
  m->value = value * by;
}

/* Waits in the memory's context, reads and frees in another one. */
static void model_read (model *m, const model *reader) {
  int v[4] = { 0 };
  OK(d->cuStreamSynchronize(m->stream));
  OK(d->cuCtxPushCurrent(reader->ctx != NULL ? reader->ctx : context));
  OK(d->cuMemcpyDtoHAsync(v, m->p, 16, NULL));
  OK(d->cuMemFree(m->p));
  OK(d->cuCtxPopCurrent(NULL));
  CHECK(v[0] == m->value && v[3] == m->value);
  m->p = 0;
}

static void model_close (model *m) {
  OK(d->cuCtxDestroy(m->ctx));
  m->ctx = NULL;
}

static void test_context_model (void) {
  model m[MODEL_CONTEXTS] = { { 0 } };
  unsigned seed = 12345;
  for (int i = 0; i < MODEL_STEPS; i++) {
    seed = seed * 1664525u + 1013904223u;
    model *at = &m[(seed >> 8) % MODEL_CONTEXTS];
    unsigned what = (seed >> 16) % 8;
    if (at->ctx == NULL) model_open(at);
    else if (what == 0) model_close(at);
    else if (what < 5 || at->p == 0) model_work(at, (int)(seed >> 20));
    else model_read(at, &m[(seed >> 12) % MODEL_CONTEXTS]);
  }
  for (int i = 0; i < MODEL_CONTEXTS; i++)
    if (m[i].ctx != NULL) model_close(&m[i]);
  CHECK(current_context() == context);
}

/* More than the device has records for, one after the other. */
static void test_many_contexts (void) {
  for (int i = 0; i < 600; i++) {
    cu_context c = new_context(0);
    (void)device_alloc(64);
    OK(d->cuCtxDestroy(c));
  }
}

static void test_context_parts (void) {
  test_context_stack();
  test_destroyed_below();
  test_context_settings();
  if (on_cpu) test_context_limits();
  test_shared_memory();
  test_mixed_contexts();
  test_null_streams();
  test_context_objects();
  if (on_cpu) test_context_faults();
  test_context_model();
  if (on_cpu) test_many_contexts();
}

#endif
