/* cpu_caller.c: the function that knows on whose behalf a thread calls. */
#include "cpu_caller.h"

#include <stdatomic.h>

static _Atomic(cux_caller_fn) asked;

cu_result cpu_cuxSetCaller (cux_caller_fn fn) {
  atomic_store(&asked, fn);
  return 0;
}

const cux_caller *cpu_caller (void) {
  static const cux_caller nobody;
  cux_caller_fn fn = atomic_load_explicit(&asked, memory_order_acquire);
  return fn != NULL ? fn() : &nobody;
}
