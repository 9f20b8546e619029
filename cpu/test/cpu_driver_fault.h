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
  test_owners(m);
  OK(d->cuModuleUnload(m));
  test_unsupported();
}

#endif
