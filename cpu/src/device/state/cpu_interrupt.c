/* cpu_interrupt.c: interrupting a thread that waits. */
#include "cpu_interrupt.h"

#include <stdatomic.h>

#include "cpu_driver.h"

static _Atomic(cux_stop_fn) stop_fn;
static _Thread_local bool waiting, stops;

cu_result cpu_cuxSetStop (cux_stop_fn stop) {
  atomic_store(&stop_fn, stop);
  return 0;
}

bool cpu_wait_begin (void) {
  cux_stop_fn ask = atomic_load_explicit(&stop_fn, memory_order_acquire);
  if (ask == NULL || waiting) return false;
  stops = ask(true);
  return waiting = true;
}

void cpu_wait_end (bool began) {
  if (began) waiting = false;
}

bool cpu_wait_stops (void) {
  if (!waiting) return false;
  cux_stop_fn ask = atomic_load_explicit(&stop_fn, memory_order_acquire);
  if (!stops && ask != NULL) stops = ask(false);
  return stops;
}
