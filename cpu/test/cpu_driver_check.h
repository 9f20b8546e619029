/* cpu_driver_check.h: results of calls, starting and stopping the device, the stored kernels. */
#ifndef CPU_DRIVER_CHECK_H
#define CPU_DRIVER_CHECK_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "cpu_driver.h"
#include "lcu_thread.h"

/* The driver under test: the CPU device, or libcuda with LUACUDA_TEST_DRIVER=gpu. On libcuda only
 * the parts run that both must pass. */
static const lcu_driver *d = &lcu_cpu_driver;
static bool on_cpu = true;

static void fill_table (lcu_driver *out, void *libcuda) {
  static const struct {
    const char *symbol;
    size_t offset;
  } entries[] = {
#define LCU_DRV(need, since, name, symbol, params, args) { symbol, offsetof(lcu_driver, name) },
#include "driver.def"
#undef LCU_DRV
  };
  for (size_t i = 0; i < lcu_arraylen(entries); i++) {
    void *fn = dlsym(libcuda, entries[i].symbol);
    memcpy((char *)out + entries[i].offset, &fn, sizeof fn);
  }
}

static void choose_driver (void) {
  static lcu_driver gpu = { .kind = "gpu" };
  const char *name = getenv("LUACUDA_TEST_DRIVER");
  if (name == NULL || strcmp(name, "gpu") != 0) return;
  void *libcuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (libcuda == NULL) {
    printf("%s\n", dlerror());
    exit(2);
  }
  fill_table(&gpu, libcuda);
  d = &gpu;
  on_cpu = false;
}

/* Checks that the call returned `want`. */
static void result_at (int line, const char *file, cu_result got, cu_result want,
                       const char *what) {
  if (got == want) passed++;
  else {
    failed++;
    printf("%s:%d: %s: %s, expected %s\n", file, line, what, lcu_status_name(got),
           lcu_status_name(want));
  }
}

#define RESULT(code, call) result_at(__LINE__, __FILE__, (call), CU_ERR_##code, #call)
#define OK(call) result_at(__LINE__, __FILE__, (call), 0, #call)

/* The message for a failed call, made as the library makes it. */
static const char *words (const char *call, cu_result r) {
  lcu_driver_fail(d, call, r);
  return lcu_failure_get()->message;
}

/* For results that only the CPU device promises, and calls that would break another driver. */
#define ON_CPU(statement) \
  do { \
    if (on_cpu) { statement; } \
  } while (0)

static cu_context context;

/* Starts the device with one environment variable set (NULL: none) and makes its context
 * current. */
static void start (const char *variable, const char *value) {
  /* A fixed limit: results must not depend on how much memory other processes use. */
  setenv("LUACUDA_CPU_MEMORY", "1G", 1);
  if (variable != NULL) setenv(variable, value, 1);
  OK(d->cuInit(0));
  OK(d->cuDevicePrimaryCtxRetain(&context, 0));
  OK(d->cuCtxSetCurrent(context));
  if (variable != NULL) unsetenv(variable);
  unsetenv("LUACUDA_CPU_MEMORY");
}

/* Shuts the device down and checks that it has freed all its memory. */
static long live_at_start;
static void stop (void) {
  OK(d->cuxShutdown());
  CHECK(lcu_mem_live() == live_at_start);
}

static char *ptx_of (const char *path) {
  FILE *f = fopen(path, "r");
  if (f == NULL) {
    perror(path);
    exit(2);
  }
  char *text = calloc(1, 1 << 20);
  size_t n = fread(text, 1, (1 << 20) - 1, f);
  fclose(f);
  text[n] = '\0';
  return text;
}

static char *stored_ptx (void) { return ptx_of("cpu/test/ptx/driver.ptx"); }

static cu_module stored_module (void) {
  cu_module m = NULL;
  char *text = stored_ptx();
  OK(d->cuModuleLoadDataEx(&m, text, 0, NULL, NULL));
  free(text);
  return m;
}

static cu_function function (cu_module m, const char *name) {
  cu_function f = NULL;
  cu_result r = d->cuModuleGetFunction(&f, m, name);
  if (r != 0) printf("%s: %s\n", name, words("cuModuleGetFunction", r));
  OK(r);
  return f;
}

static cu_deviceptr device_alloc (size_t n) {
  cu_deviceptr p = 0;
  OK(d->cuMemAlloc(&p, n));
  return p;
}

static cu_stream new_stream (unsigned flags) {
  cu_stream s = NULL;
  OK(d->cuStreamCreateWithPriority(&s, flags, 0));
  return s;
}

static cu_event new_event (void) {
  cu_event e = NULL;
  OK(d->cuEventCreate(&e, 0));
  return e;
}

static void pause_ms (long ms) {
  struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
  nanosleep(&t, NULL);
}

/* A gate: a host function that blocks its stream until the gate opens. */
typedef struct gate {
  atomic_bool entered, open;
} gate;
static void gate_wait (void *ud) {
  gate *g = ud;
  g->entered = true;
  while (!g->open) pause_ms(1);
}

static void await (const atomic_bool *flag) {
  for (int i = 0; i < 10000 && !*flag; i++) pause_ms(1);
}

static cu_result launch1 (cu_function f, unsigned grid, unsigned block, cu_stream s,
                          void **params) {
  return d->cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, s, params, NULL);
}

#endif
