/* lcul_timing.c: kernel:time_ms, and kernel:benchmark and cuda.benchmark, which share one loop. */
#include <stdlib.h>
#include <string.h>

#include "lcu_event.h"
#include "lcu_thread.h"
#include "lcu_wait.h"
#include "lcul_box.h"
#include "lcul_call.h"
#include "lcul_class.h"
#include "lcul_error.h"
#include "lcul_foreign.h"
#include "lcul_kernel.h"
#include "lcul_launch.h"
#include "lcul_position.h"
#include "lcul_request.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_stream.h"

/* ---- series of timed runs ---- */

/* The events of a series. In a box, since what is timed may raise. */
typedef struct stopwatch {
  lcu_event *start, *stop;
} stopwatch;

static void stop (stopwatch *w) {
  lcu_unref(w->start);
  lcu_unref(w->stop);
  w->start = w->stop = NULL;
}

static int stopwatch_release (lua_State *L) {
  stop(lua_touserdata(L, 1));
  return 0;
}

/* Pushes a box, so it is to be called before the arguments of a launch are read. */
static stopwatch *new_stopwatch (lua_State *L, lcu_device *d) {
  stopwatch *w = lcul_newbox(L, sizeof *w, "luacuda.Stopwatch", stopwatch_release);
  lcul_status(L, lcu_event_create(d, true, false, false, &w->start));
  lcul_status(L, lcu_event_create(d, true, false, false, &w->stop));
  return w;
}

/* One run of what is timed: queues work on the stream, or raises. */
typedef lcu_status (*timed_run)(void *ud);

static lcu_status run_timed (stopwatch *w, lcu_stream *s, timed_run run, void *ud, float *ms) {
  LCU_TRY(lcu_event_record(w->start, s));
  LCU_TRY(run(ud));
  LCU_TRY(lcu_event_record(w->stop, s));
  return lcu_event_elapsed(w->start, w->stop, ms);
}

/* host_ms (may be NULL): the clock from the beginning of a run until its device is idle. Ends the
 * stopwatch. */
static void run_series (lua_State *L, stopwatch *w, lcu_stream *s, timed_run run, void *ud,
                        int warmup, int runs, float *ms, float *host_ms) {
  float ignored;
  for (int i = -warmup; i < runs; i++) {
    double begin = lcu_now_ms();
    lcul_status(L, run_timed(w, s, run, ud, i < 0 ? &ignored : &ms[i]));
    if (host_ms == NULL) continue;
    lcul_status(L, lcu_device_synchronize(s->device));
    if (i >= 0) host_ms[i] = (float)(lcu_now_ms() - begin);
  }
  stop(w);
}


/* ---- kernels ---- */

static lcu_status run_launch (void *ud) {
  const lcul_call *c = ud;
  lcul_note_caller(c->L, c->binding->function->device, false);
  return lcu_launch(c->binding->function, &c->config, c->params, c->uses.uses, c->uses.n);
}

static void time_call (lcul_call *c, lcul_kernel *k, int nargs, int warmup, int runs, float *ms,
                       const char *what) {
  lcul_small_room small;
  lcul_sync_allowed(c->L, what);
  stopwatch *w = new_stopwatch(c->L, c->binding->function->device);
  lcul_launch_convert(c, k, nargs, &small);
  run_series(c->L, w, c->config.stream, run_launch, c, warmup, runs, ms, NULL);
  lcul_launch_finish(c);
  lcul_lines_run(c->L);
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
  if (lcul_foreign_arguments(L, 3, nargs)) k = lcul_kernel_check(L, 1);
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

static double sorted_at (const float *ms, int runs, double part) {
  double at = part * (runs - 1);
  int below = (int)at;
  double low = (double)ms[below], high = (double)ms[below + 1 < runs ? below + 1 : below];
  return low + (at - below) * (high - low);
}

/* Sorts the times and sets the fields of the table at the top. */
static void set_statistics (lua_State *L, float *ms, int runs) {
  double sum = 0;
  qsort(ms, (size_t)runs, sizeof *ms, compare_floats);
  for (int i = 0; i < runs; i++) sum += (double)ms[i];
  set_number(L, "min_ms", (double)ms[0]);
  set_number(L, "median_ms", sorted_at(ms, runs, 0.5));
  set_number(L, "mean_ms", sum / runs);
  set_number(L, "spread_ms", sorted_at(ms, runs, 0.75) - sorted_at(ms, runs, 0.25));
  lua_pushinteger(L, runs);
  lua_setfield(L, -2, "runs");
}

/* kernel:benchmark(launch, ...) -> { min_ms, median_ms, mean_ms, spread_ms, runs } */
static int kernel_benchmark (lua_State *L) {
  lcul_request r;
  lcul_call c;
  lcul_kernel *k = lcul_kernel_check(L, 1);
  int nargs = lua_gettop(L) - 2;
  if (lcul_foreign_arguments(L, 3, nargs)) k = lcul_kernel_check(L, 1);
  const char *name = lcul_kernel_known_name(L, 1, k);
  lcul_request_read(L, 2, name, true, &r);
  if (!lcul_launch_begin(L, k, name, &r, &c))
    return lcul_misuse(L, "%s: benchmark of 0 threads", c.binding->function->name);
  float *ms = lua_newuserdatauv(L, (size_t)r.runs * sizeof *ms, 0);
  time_call(&c, k, nargs, r.warmup, r.runs, ms, "kernel:benchmark");
  lua_createtable(L, 0, 5);
  set_statistics(L, ms, r.runs);
  return 1;
}


/* ---- functions ---- */

typedef struct timed_function {
  lua_State *L;
  int fn; /* its stack index */
} timed_function;

static lcu_status run_function (void *ud) {
  const timed_function *f = ud;
  lua_pushvalue(f->L, f->fn);
  lua_call(f->L, 0, 0);
  return LCU_OK;
}

/* _benchmark(fn, runs, warmup, stream) -> { min_ms, median_ms, mean_ms, spread_ms, runs, gpu } */
static int core_benchmark (lua_State *L) {
  int runs = (int)luaL_checkinteger(L, 2), warmup = (int)luaL_checkinteger(L, 3);
  timed_function f = { L, 1 };
  lua_settop(L, 4);
  lcul_sync_allowed(L, "benchmark");
  lcu_stream *s = lcul_stream_check(L, 4);
  lcul_stream_hold(L, s); /* the function may close it */
  float *ms = lua_newuserdatauv(L, 2 * (size_t)runs * sizeof *ms, 0), *host_ms = ms + runs;
  stopwatch *w = new_stopwatch(L, s->device);
  run_series(L, w, s, run_function, &f, warmup, runs, ms, host_ms);
  lua_createtable(L, 0, 6);
  set_statistics(L, host_ms, runs);
  lua_createtable(L, 0, 5);
  set_statistics(L, ms, runs);
  lua_setfield(L, -2, "gpu");
  return 1;
}

/* _now_ms() -> milliseconds of a clock that never goes back */
static int core_now_ms (lua_State *L) {
  lua_pushnumber(L, lcu_now_ms());
  return 1;
}

void lcul_open_timing (lua_State *L) {
  static const luaL_Reg methods[] = { { "time_ms", kernel_time_ms },
                                      { "benchmark", kernel_benchmark },
                                      { NULL, NULL } };
  static const luaL_Reg functions[] = { { "_benchmark", core_benchmark },
                                        { "_now_ms", core_now_ms },
                                        { NULL, NULL } };
  lcul_extend(L, LCUL_KERNEL, LCUL_METHODS, methods);
  lcul_setfuncs(L, functions);
}
