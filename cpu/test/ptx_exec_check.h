/* ptx_exec_check.h: shared by the tests of the PTX executor: a fixture, numbers in its memory,
 * results compared with plain C, and a main that runs everything with teams of several sizes.
 * Kernels: cpu/test/ptx/<module>.cu. */
#ifndef PTX_EXEC_CHECK_H
#define PTX_EXEC_CHECK_H

#include "ptx_fixture.h"
#include "ptx_jit.h"

static fixture x;

static LCU_UNUSED void must (lcu_status s, const char *what) {
  CHECK(s == LCU_OK, "%s: %s", what, lcu_failure_get()->message);
}

static LCU_UNUSED bool same (const int *got, const int *want, int n, const char *what) {
  for (int i = 0; i < n; i++)
    if (got[i] != want[i]) {
      CHECK(false, "%s[%d] is %d, should be %d", what, i, got[i], want[i]);
      return false;
    }
  CHECK(true, "%s", what);
  return true;
}

static int *ints (int n) { return fix_add(&x, (uint64_t)n * 4, false); }

/* Pseudo-random numbers, the same everywhere. */
static LCU_UNUSED int *inputs (int n, uint32_t range) {
  int *p = ints(n);
  uint32_t s = 12345;
  for (int i = 0; i < n; i++) {
    s = s * 1664525u + 1013904223u;
    p[i] = (int)((s >> 8) % range);
  }
  return p;
}

/* The function of module calls.cu that kernel fibs calls. */
static LCU_UNUSED int ref_fib (int n) { return n < 2 ? n : ref_fib(n - 1) + ref_fib(n - 2); }

/* Runs with one, two and five workers; no memory may leak. With one, what ptx_shape claims about
 * registers is compared with what they hold. Returns the result of main. */
static int run_with_teams (void (*tests)(void)) {
  static const int workers[] = { 1, 2, 5 };
  long before = lcu_mem_live();
  for (size_t i = 0; i < lcu_arraylen(workers); i++) {
    fix_open(&x, workers[i]);
    ptx_step_watcher = workers[i] == 1 ? watch_shapes : NULL;
    tests();
    ptx_step_watcher = NULL;
    fix_close(&x);
  }
  CHECK(watch.held > 0, "claims were compared");
  ptx_jit_rest();
  CHECK(lcu_mem_live() == before, "%ld pieces of memory left", lcu_mem_live() - before);
  return check_result();
}

#endif
