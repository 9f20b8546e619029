/* cpu_driver_interrupt.h: a thread that waits is interrupted, and with it the kernel that runs on
 * another. */
#ifndef CPU_DRIVER_INTERRUPT_H
#define CPU_DRIVER_INTERRUPT_H

#include "cpu_driver_fault.h"

/* Sets words[0], then runs until words[1] is set. */
static const char until_told[] =
  ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry until_told(.param .u64 p) {\n"
  "  .reg .b32 v; .reg .b64 a; .reg .pred q;\n  ld.param.u64 a, [p]; mov.u32 v, 1;\n"
  "  st.volatile.global.u32 [a], v;\nwait:\n  ld.volatile.global.u32 v, [a+4];\n"
  "  setp.eq.u32 q, v, 0;\n  @q bra wait;\n  ret;\n}\n";

static atomic_int stop_asked;
static bool stop_at_once (bool begin) {
  (void)begin;
  stop_asked++;
  return true;
}

static void launch_endless (cu_function f, cu_stream s, cu_deviceptr p, bool as_graph) {
  cu_graph g = NULL;
  cu_graph_exec e = NULL;
  if (as_graph) OK(d->cuStreamBeginCapture(s, CU_CAPTURE_RELAXED));
  OK(launch1(f, 1, 1, s, (void *[]){ &p }));
  if (!as_graph) return;
  OK(d->cuStreamEndCapture(s, &g));
  OK(d->cuGraphInstantiateWithFlags(&e, g, 0));
  OK(d->cuGraphLaunch(e, s));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

/* A worker runs the kernel before any thread waits for it. */
static void check_interrupt (cu_function f, bool as_graph) {
  cux_fault fault = { 0 };
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_deviceptr p = device_alloc(8);
  OK(d->cuMemsetD8Async(p, 0, 8, NULL));
  launch_endless(f, s, p, as_graph);
  const atomic_int *words = (const atomic_int *)(uintptr_t)p;
  for (int i = 0; i < 10000 && atomic_load(&words[0]) == 0; i++) pause_ms(1);
  CHECK(atomic_load(&words[0]) == 1);
  stop_asked = 0;
  OK(d->cuxSetStop(stop_at_once));
  RESULT(LAUNCH_TIMEOUT, d->cuStreamSynchronize(s));
  OK(d->cuxSetStop(NULL));
  OK(d->cuxTakeFault(&fault));
  CHECK(fault.interrupted && strcmp(fault.kernel, "until_told") == 0 && stop_asked > 0);
  OK(d->cuStreamDestroy(s));
  OK(d->cuMemFree(p));
}

static void test_interrupt_parts (void) {
  cu_module m = NULL, stored = stored_module();
  OK(d->cuModuleLoadDataEx(&m, until_told, 0, NULL, NULL));
  check_interrupt(function(m, "until_told"), false);
  check_interrupt(function(m, "until_told"), true);
  still_usable(stored);
  OK(d->cuModuleUnload(m));
  OK(d->cuModuleUnload(stored));
}

#endif
