/* cpu_driver_fault.h: tests of faults: which call reports them, and that the device stays
 * usable. */
#ifndef CPU_DRIVER_FAULT_H
#define CPU_DRIVER_FAULT_H

#include "cpu_driver_check.h"

/* Checks that the device works and has no fault to report. */
static void still_usable (cu_module m) {
  int v[4] = { 1, 2, 3, 4 }, n = 4, by = 10;
  cu_deviceptr p = device_alloc(16);
  OK(d->cuMemcpyHtoDAsync(p, v, 16, NULL));
  OK(launch1(function(m, "scale"), 1, 32, NULL, (void *[]){ &p, &n, &by }));
  OK(d->cuMemcpyDtoHAsync(v, p, 16, NULL));
  OK(d->cuCtxSynchronize());
  CHECK(v[0] == 10 && v[3] == 40);
  OK(d->cuMemFree(p));
}

static void test_bounds (cu_module m) {
  cu_deviceptr p = device_alloc(400);
  int n = 100, seen = 0;
  cux_fault f;
  RESULT(NOT_FOUND, d->cuxTakeFault(&f));
  OK(d->cuMemsetD32Async(p, 5, 100, NULL));
  OK(launch1(function(m, "past_end"), 1, 1, NULL, (void *[]){ &p, &n }));
  RESULT(ILLEGAL_ADDRESS, d->cuStreamSynchronize(NULL));
  OK(d->cuxTakeFault(&f));
  CHECK(strcmp(f.kind, "out of bounds") == 0 && strcmp(f.kernel, "past_end") == 0 && f.line > 0 &&
        strstr(f.file, "driver.cu") != NULL);
  CHECK(f.address == p + 400 && f.bytes == 4 && f.write && f.range_base == p &&
        f.range_size == 400 && f.range_live);
  CHECK(strstr(f.message, "past_end") != NULL);
  RESULT(NOT_FOUND, d->cuxTakeFault(&f));
  OK(d->cuStreamSynchronize(NULL));
  OK(d->cuMemcpyDtoHAsync(&seen, p + 396, 4, NULL));
  CHECK(seen == 5);
  still_usable(m);
  OK(d->cuMemFree(p));
  n = 0;
  OK(launch1(function(m, "past_end"), 1, 1, NULL, (void *[]){ &p, &n }));
  RESULT(ILLEGAL_ADDRESS, d->cuCtxSynchronize());
  OK(d->cuxTakeFault(&f));
  CHECK(strcmp(f.kind, "use after free") == 0 && !f.range_live);
  still_usable(m);
}

static void test_variable_name (cu_module m) {
  cu_deviceptr p = 0;
  cux_fault f;
  int n = 1;
  OK(d->cuModuleGetGlobal(&p, NULL, m, "tally"));
  OK(launch1(function(m, "past_end"), 1, 1, NULL, (void *[]){ &p, &n }));
  RESULT(ILLEGAL_ADDRESS, d->cuCtxSynchronize());
  OK(d->cuxTakeFault(&f));
  CHECK(strstr(f.message, "tally") != NULL);
}

static void test_kinds (cu_module m) {
  cu_deviceptr p = device_alloc(64);
  int two = 2;
  unsigned depth = 100000;
  cux_fault f;
  OK(launch1(function(m, "misaligned"), 1, 1, NULL, (void *[]){ &p }));
  RESULT(MISALIGNED_ADDRESS, d->cuCtxSynchronize());
  OK(launch1(function(m, "trap_now"), 1, 1, NULL, NULL));
  RESULT(LAUNCH_FAILED, d->cuCtxSynchronize());
  OK(launch1(function(m, "assert_below"), 1, 4, NULL, (void *[]){ &two }));
  RESULT(ASSERT, d->cuCtxSynchronize());
  OK(d->cuxTakeFault(&f));
  CHECK(strcmp(f.kind, "assert") == 0 && f.thread[0] == 2);
  OK(launch1(function(m, "recurse"), 1, 1, NULL, (void *[]){ &p, &depth }));
  RESULT(HARDWARE_STACK_ERROR, d->cuCtxSynchronize());
  still_usable(m);
  OK(d->cuMemFree(p));
}

static void test_livelock (cu_module m) {
  cu_deviceptr p = device_alloc(64);
  OK(d->cuMemsetD8Async(p, 0, 64, NULL));
  OK(launch1(function(m, "stuck"), 1, 32, NULL, (void *[]){ &p }));
  RESULT(LAUNCH_TIMEOUT, d->cuCtxSynchronize());
  still_usable(m);
  OK(d->cuMemFree(p));
}

/* When several launches in a row fail, one report counts them all, and work queued after them still
 * runs. */
static void test_followers (cu_module m) {
  cux_fault f;
  gate g = { 0 };
  cu_deviceptr p = device_alloc(16);
  int n = 4, v = 0;
  OK(d->cuLaunchHostFunc(NULL, gate_wait, &g));
  for (int i = 0; i < 3; i++) OK(launch1(function(m, "trap_now"), 1, 1, NULL, NULL));
  OK(d->cuMemsetD32Async(p, 77, (size_t)n, NULL));
  g.open = true;
  RESULT(LAUNCH_FAILED, d->cuStreamSynchronize(NULL));
  OK(d->cuxTakeFault(&f));
  CHECK(f.followers == 2);
  OK(d->cuCtxSynchronize());
  OK(d->cuMemcpyDtoHAsync(&v, p, 4, NULL));
  CHECK(v == 77);
  OK(d->cuMemFree(p));
}

/* Which call reports a fault. */
static void test_reporting (cu_module m) {
  cu_function trap = function(m, "trap_now");
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_), t = new_stream(CU_STREAM_NON_BLOCKING_),
            b = new_stream(CU_STREAM_DEFAULT_);
  cu_event before = new_event(), after = new_event();
  int v;
  cu_deviceptr p = device_alloc(16);
  OK(d->cuEventRecord(before, s));
  OK(launch1(trap, 1, 1, s, NULL));
  OK(d->cuEventRecord(after, s));
  OK(d->cuEventSynchronize(before)); /* recorded before the fault */
  OK(d->cuStreamSynchronize(t));     /* an unrelated stream */
  OK(d->cuStreamSynchronize(NULL));
  RESULT(LAUNCH_FAILED, d->cuEventSynchronize(after));
  OK(d->cuStreamSynchronize(s)); /* a fault is reported once */

  OK(launch1(trap, 1, 1, s, NULL));
  OK(d->cuEventRecord(after, s));
  OK(d->cuStreamWaitEvent(t, after, 0));
  RESULT(LAUNCH_FAILED, d->cuStreamSynchronize(t)); /* t has waited for s */
  OK(d->cuStreamSynchronize(s));

  OK(launch1(trap, 1, 1, b, NULL));
  /* The copy in the null stream runs after b, and waits. */
  RESULT(LAUNCH_FAILED, d->cuMemcpyDtoHAsync(&v, p, 4, NULL));
  OK(d->cuStreamSynchronize(b));

  OK(launch1(trap, 1, 1, s, NULL));
  cu_result r = CU_ERR_NOT_READY;
  for (int i = 0; i < 10000 && r == CU_ERR_NOT_READY; i++, pause_ms(1)) r = d->cuStreamQuery(s);
  CHECK(r == CU_ERR_LAUNCH_FAILED);

  OK(launch1(trap, 1, 1, s, NULL));
  OK(d->cuStreamDestroy(s));
  /* Its stream has ended, so any stream may report it. */
  RESULT(LAUNCH_FAILED, d->cuStreamSynchronize(t));
  OK(d->cuCtxSynchronize());
  OK(d->cuStreamDestroy(t));
  OK(d->cuStreamDestroy(b));
  OK(d->cuEventDestroy(before));
  OK(d->cuEventDestroy(after));
  OK(d->cuMemFree(p));
}

/* ---- the fault of the stream that recorded an event last ---- */

enum { FAULT_STREAMS = 3 };
typedef struct fault_model {
  cu_stream streams[FAULT_STREAMS], waiter;
  bool faulty[FAULT_STREAMS]; /* has a fault that no call has reported */
  cu_function trap;
} fault_model;

static uint32_t fault_random (uint32_t n) {
  static uint32_t state = 12345;
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % n;
}

/* The three ways to wait for an event. */
static cu_result wait_for_event (cu_event e, cu_stream waiter, uint32_t way) {
  cu_result r = CU_ERR_NOT_READY;
  if (way == 0) return d->cuEventSynchronize(e);
  if (way == 1) {
    OK(d->cuStreamWaitEvent(waiter, e, 0));
    return d->cuStreamSynchronize(waiter);
  }
  for (int i = 0; i < 10000 && r == CU_ERR_NOT_READY; i++) {
    r = d->cuEventQuery(e);
    if (r == CU_ERR_NOT_READY) pause_ms(1);
  }
  return r;
}

/* Some streams fault, some of all record the event, and one waits for it. */
static void check_recorders (fault_model *m, cu_event e) {
  uint32_t last = 0, records = 1 + fault_random(3), way = fault_random(3);
  for (int i = 0; i < FAULT_STREAMS; i++) {
    if (m->faulty[i] || fault_random(2) == 0) continue;
    m->faulty[i] = true;
    OK(launch1(m->trap, 1, 1, m->streams[i], NULL));
  }
  for (; records > 0; records--) {
    last = fault_random(FAULT_STREAMS);
    OK(d->cuEventRecord(e, m->streams[last]));
  }
  cu_result want = m->faulty[last] ? CU_ERR_LAUNCH_FAILED : 0;
  cu_result got = wait_for_event(e, m->waiter, way);
  CHECK(got == want, "way %u: %s", way, lcu_status_name(got));
  m->faulty[last] = false;
  for (int i = 0; i < FAULT_STREAMS; i++) {
    if (fault_random(2) == 0) continue;
    CHECK(d->cuStreamSynchronize(m->streams[i]) == (m->faulty[i] ? CU_ERR_LAUNCH_FAILED : 0));
    m->faulty[i] = false;
  }
}

static void test_recorders (cu_module module, unsigned flags) {
  fault_model m = { .waiter = new_stream(CU_STREAM_NON_BLOCKING_),
                    .trap = function(module, "trap_now") };
  cu_event e = NULL;
  OK(d->cuEventCreate(&e, flags));
  for (int i = 0; i < FAULT_STREAMS; i++) m.streams[i] = new_stream(CU_STREAM_NON_BLOCKING_);
  for (int i = 0; i < 300; i++) check_recorders(&m, e);
  for (int i = 0; i < FAULT_STREAMS; i++) {
    CHECK(d->cuStreamSynchronize(m.streams[i]) == (m.faulty[i] ? CU_ERR_LAUNCH_FAILED : 0));
    OK(d->cuStreamDestroy(m.streams[i]));
  }
  OK(d->cuStreamDestroy(m.waiter));
  OK(d->cuEventDestroy(e));
}

static cux_caller caller;
static const cux_caller *caller_of_test (void) { return &caller; }

/* Several Lua states use one stream: each gets the faults of its own kernels. */
static void test_owners (cu_module m) {
  cu_function trap = function(m, "trap_now");
  cux_fault f;
  OK(d->cuxSetCaller(caller_of_test));
  for (caller.owner = 1; caller.owner <= 2; caller.owner++) OK(launch1(trap, 1, 1, NULL, NULL));
  caller.owner = 3;
  OK(d->cuCtxSynchronize());
  OK(d->cuStreamQuery(NULL));
  OK(d->cuxNextFault());
  RESULT(NOT_READY, d->cuxIdle());
  caller.owner = 2;
  RESULT(LAUNCH_FAILED, d->cuStreamSynchronize(NULL));
  OK(d->cuxTakeFault(&f));
  CHECK(f.owner == 2 && f.followers == 0);
  OK(d->cuCtxSynchronize());
  caller.owner = 1;
  RESULT(LAUNCH_FAILED, d->cuxNextFault());
  OK(d->cuxTakeFault(&f));
  CHECK(f.owner == 1);
  OK(d->cuxNextFault());
  OK(d->cuxIdle());
  OK(launch1(trap, 1, 1, NULL, NULL));
  caller.owner = 0; /* a thread without an owner gets all faults */
  RESULT(LAUNCH_FAILED, d->cuCtxSynchronize());
}

/* An instruction that only this device lacks fails only for the kernel that contains it; the module
 * with one that PTX lacks is refused. The messages name them. */
static void test_unsupported (void) {
  static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry good()\n{\n  ret;\n}\n"
    ".visible .entry odd()\n{\n  tcgen05.fence::before_thread_sync;\n  ret;\n}\n";
  static const char wrong[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k()\n{\n  .reg .b32 %r<3>;\n  frobnicate.u32 %r1, %r2;\n  ret;\n}\n";
  static const char newer[] = ".version 99.0\n.target sm_80\n.visible .entry k() { ret; }\n";
  cu_module m = NULL;
  cu_function f = NULL;
  OK(d->cuModuleLoadDataEx(&m, text, 0, NULL, NULL));
  OK(d->cuModuleGetFunction(&f, m, "good"));
  OK(launch1(f, 1, 32, NULL, NULL));
  OK(d->cuCtxSynchronize());
  cu_result r = d->cuModuleGetFunction(&f, m, "odd");
  CHECK(r == CU_ERR_INVALID_PTX && strstr(words("cuModuleGetFunction", r), "tcgen05") != NULL);
  OK(d->cuModuleUnload(m));
  r = d->cuModuleLoadDataEx(&m, wrong, 0, NULL, NULL);
  CHECK(r == CU_ERR_INVALID_PTX && strstr(words("cuModuleLoadDataEx", r), "frobnicate") != NULL);
  RESULT(UNSUPPORTED_PTX_VERSION, d->cuModuleLoadDataEx(&m, newer, 0, NULL, NULL));
}

static void test_fault_parts (void) {
  cu_module m = stored_module();
  test_bounds(m);
  test_variable_name(m);
  test_kinds(m);
  test_followers(m);
  test_reporting(m);
  test_recorders(m, 0);
  test_recorders(m, CU_EVENT_INTERPROCESS_ | CU_EVENT_DISABLE_TIMING_);
  test_owners(m);
  OK(d->cuModuleUnload(m));
  test_unsupported();
}

#endif
