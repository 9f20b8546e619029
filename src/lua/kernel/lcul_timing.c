/* lcul_timing.c: kernel:time_ms and kernel:benchmark. */
#include <stdlib.h>
#include <string.h>

#include "lcu_event.h"
#include "lcul_call.h"
#include "lcul_class.h"
#include "lcul_error.h"
#include "lcul_kernel.h"
#include "lcul_launch.h"
#include "lcul_position.h"
#include "lcul_request.h"
#include "lcul_scope.h"

typedef struct stopwatch {
  lcu_event *start, *stop;
} stopwatch;

static lcu_status timed_launch (const lcul_call *c, stopwatch *w, float *ms) {
  LCU_TRY(lcu_event_record(w->start, c->config.stream));
  lcul_note_caller(c->L, c->binding->function->device, false);
  LCU_TRY(lcu_launch(c->binding->function, &c->config, c->params, c->uses.uses, c->uses.n));
  LCU_TRY(lcu_event_record(w->stop, c->config.stream));
  return lcu_event_elapsed(w->start, w->stop, ms);
}

static lcu_status timed_series (const lcul_call *c, int warmup, int runs, float *ms) {
  stopwatch w = { 0 };
  float ignored;
  lcu_status s = lcu_event_create(c->binding->function->device, true, false, false, &w.start);
  if (s == LCU_OK) s = lcu_event_create(c->binding->function->device, true, false, false, &w.stop);
  for (int i = 0; s == LCU_OK && i < warmup; i++) s = timed_launch(c, &w, &ignored);
  for (int i = 0; s == LCU_OK && i < runs; i++) s = timed_launch(c, &w, &ms[i]);
  lcu_unref(w.start);
  lcu_unref(w.stop);
  return s;
}

static void time_call (lcul_call *c, lcul_kernel *k, int nargs, int warmup, int runs, float *ms,
                       const char *what) {
  lcul_small_room small;
  lcul_sync_allowed(c->L, what);
  lcul_launch_convert(c, k, nargs, &small);
  lcul_status(c->L, timed_series(c, warmup, runs, ms));
  lcul_launch_finish(c);
}

float lcul_launch_time (lcul_call *c, lcul_kernel *k, int nargs, const char *what) {
  float ms = 0;
  time_call(c, k, nargs, 0, 1, &ms, what);
  return ms;
}

/* kernel:time_ms(launch, ...) -> milliseconds on the device */
static int kernel_time_ms (lua_State *L) {
  lcul_request r;
  lcul_call c;
  lcul_kernel *k = lcul_kernel_check(L, 1);
  int nargs = lua_gettop(L) - 2;
  float ms = 0;
  const char *name = lcul_kernel_known_name(L, 1, k);
  lcul_request_read(L, 2, name, false, &r);
  if (lcul_launch_begin(L, k, name, &r, &c)) ms = lcul_launch_time(&c, k, nargs, "kernel:time_ms");
  else lcul_launch_nothing(&c, k, nargs);
  lua_pushnumber(L, (lua_Number)ms);
  return 1;
}

static int compare_floats (const void *a, const void *b) {
  float x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static void set_number (lua_State *L, const char *name, double v) {
  lua_pushnumber(L, v);
  lua_setfield(L, -2, name);
}

static void push_statistics (lua_State *L, float *ms, int runs) {
  double sum = 0;
  qsort(ms, (size_t)runs, sizeof *ms, compare_floats);
  for (int i = 0; i < runs; i++) sum += (double)ms[i];
  lua_createtable(L, 0, 4);
  set_number(L, "min_ms", (double)ms[0]);
  set_number(L, "median_ms", ((double)ms[(runs - 1) / 2] + (double)ms[runs / 2]) / 2);
  set_number(L, "mean_ms", sum / runs);
  lua_pushinteger(L, runs);
  lua_setfield(L, -2, "runs");
}

/* kernel:benchmark(launch, ...) -> { min_ms, median_ms, mean_ms, runs } */
static int kernel_benchmark (lua_State *L) {
  lcul_request r;
  lcul_call c;
  lcul_kernel *k = lcul_kernel_check(L, 1);
  int nargs = lua_gettop(L) - 2;
  const char *name = lcul_kernel_known_name(L, 1, k);
  lcul_request_read(L, 2, name, true, &r);
  if (!lcul_launch_begin(L, k, name, &r, &c))
    return lcul_misuse(L, "%s: benchmark of 0 threads", c.binding->function->name);
  float *ms = lua_newuserdatauv(L, (size_t)r.runs * sizeof *ms, 0);
  time_call(&c, k, nargs, r.warmup, r.runs, ms, "kernel:benchmark");
  push_statistics(L, ms, r.runs);
  return 1;
}

void lcul_open_timing (lua_State *L) {
  static const luaL_Reg methods[] = { { "time_ms", kernel_time_ms },
                                      { "benchmark", kernel_benchmark },
                                      { NULL, NULL } };
  lcul_extend(L, LCUL_KERNEL, LCUL_METHODS, methods);
}
