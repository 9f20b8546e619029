/* lcul_kernel_launch.c: kernel(launch, ...), prepared launches, timing. */
#include <stdlib.h>
#include <string.h>

#include "lcul_kernel.h"

#define SMALL_PARAMS 32
#define SMALL_BYTES 1024
#define SPARE_USES 16 /* for arrays in structs */

/* Room for one launch on the C stack; larger kernels get a userdata. */
typedef struct small_room {
  void *params[SMALL_PARAMS];
  lcu_use uses[SMALL_PARAMS + SPARE_USES];
  _Alignas(16) unsigned char bytes[SMALL_BYTES];
} small_room;

static size_t most_uses (const lcul_binding *b) {
  return b->plan->num + SPARE_USES + b->home->num_globals;
}

static void give_room (lcul_call *c, small_room *small) {
  const lcul_plan *plan = c->binding->plan;
  size_t uses = most_uses(c->binding);
  c->buffer = small->bytes;
  c->params = small->params;
  c->num_globals = c->binding->home->num_globals;
  c->uses = (lcul_uses){ small->uses, 0, uses - c->num_globals, c->binding->function->device };
  if (lcu_likely(plan->num <= SMALL_PARAMS && plan->bytes <= SMALL_BYTES &&
                 uses <= lcu_arraylen(small->uses)))
    return;
  size_t head = (plan->bytes + 15u) / 16 * 16, pointers = plan->num * sizeof(void *);
  c->buffer = lua_newuserdatauv(c->L, head + pointers + uses * sizeof(lcu_use) + 16, 0);
  memset(c->buffer, 0, head);
  c->params = (void **)(void *)(c->buffer + head);
  c->uses.uses = (lcu_use *)(void *)(c->buffer + head + pointers);
}

/* Kernels may touch every variable that was handed out as an array. */
static void add_globals (lcul_call *c) {
  const lcul_loaded *home = c->binding->home;
  for (size_t i = 0; i < home->num_globals && i < c->num_globals; i++)
    c->uses.uses[c->uses.n++] = home->globals[i];
}

/* cuda.output and cuda.inout: the results go back. */
static void finish_staged (lcul_call *c) {
  lua_State *L = c->L;
  for (int i = 0; i < c->staged; i++) {
    int pair = c->pairs + 2 * i;
    const lcul_argument *w = lcul_check(L, pair, LCUL_ARGUMENT);
    lcul_push_hook(L, "kernel", "finish");
    lua_pushstring(L, lcul_wrap_name(w->kind));
    lua_getiuservalue(L, pair, 1);
    lua_pushvalue(L, pair + 1);
    lcul_stream_push(L, c->config.stream);
    lua_call(L, 4, 0);
  }
}

/* Launches of a kernel may be nested: staging runs the caller's code. */
static void convert (lcul_call *c, lcul_kernel *k, int nargs, small_room *small) {
  bool busy = k->busy;
  k->busy = true;
  give_room(c, small);
  lcul_args_convert(c, nargs);
  k->busy = busy;
}

static void finish (lcul_call *c) {
  if (lcu_likely(c->held == 0)) return;
  finish_staged(c);
  lcul_stream_release(c->L, c->held);
}

static void run (lcul_call *c, lcul_kernel *k, int nargs) {
  small_room small;
  convert(c, k, nargs, &small);
  add_globals(c);
  c->binding->home->launched = true;
  lcul_note_caller(c->L, c->binding->function->device, false);
  lcul_status(c->L,
              lcu_launch(c->binding->function, &c->config, c->params, c->uses.uses, c->uses.n));
  finish(c);
}

/* Arguments are checked although nothing will run. */
static void run_nothing (lcul_call *c, lcul_kernel *k, int nargs) {
  small_room small;
  convert(c, k, nargs, &small);
  if (c->held != 0) lcul_stream_release(c->L, c->held);
}

/* How many uses plain arguments have; -1: they are not, or variables of the module are in use,
 * too. */
static inline int plain_uses (lua_State *L, const lcul_binding *b, int first, int nargs) {
  return lcu_likely(b->home->num_globals == 0)
           ? lcul_args_plain(L, b->plan, b->function->device, first, nargs)
           : -1;
}

static inline void run_plain (lua_State *L, const lcul_binding *b, const lcu_config *config,
                              int uses) {
  b->home->launched = true;
  lcul_note_caller(L, b->function->device, false);
  lcu_status s = lcu_launch(b->function, config, b->plan->params, b->plan->uses, (size_t)uses);
  if (lcu_unlikely(s != LCU_OK)) lcul_status(L, s);
}

static lcu_stream *stream_for (lua_State *L, const lcul_request *r, lcu_device *d) {
  return r->stream ? r->stream : lcul_stream_current(L, d);
}

/* For messages, before it is certain on which device; the string stays in the kernel's table. */
static const char *known_name (lua_State *L, int idx, const lcul_kernel *k) {
  if (lcu_likely(k->last != NULL)) return k->last->function->name;
  lua_getiuservalue(L, idx, 1);
  lua_getfield(L, -1, "name");
  const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "kernel";
  lua_pop(L, 2);
  return name;
}

static lcu_device *launch_device (lua_State *L, const char *name, const lcul_request *r, int first,
                                  int nargs) {
  if (r->stream) return r->stream->device;
  lcu_device *d = lcul_args_device(L, name, first, nargs);
  return d ? d : lcul_device_current(L);
}

/* The stream of the launch table at idx again, after Lua code ran that may have closed it: raises
 * then. */
static lcu_stream *stream_again (lua_State *L, int idx) {
  lua_getfield(L, idx, "stream");
  lcu_stream *s = lcul_stream_check(L, -1);
  lua_pop(L, 1);
  return s;
}

/* [1] kernel, [2] launch table (read into r), [3..] arguments -> a call ready to run; false when
 * there is nothing to launch. */
static bool begin_call (lua_State *L, lcul_kernel *k, const char *name, const lcul_request *r,
                        lcul_call *c) {
  int nargs = lua_gettop(L) - 2;
  lcu_device *d = launch_device(L, name, r, 3, nargs);
  lcul_call_init(c, L, 1, 3, false);
  bool bound = k->bindings[lcul_device_index(d)] != NULL;
  c->binding = lcul_kernel_bind(L, 1, k, d);
  c->config.stream =
    lcu_likely(bound) || r->stream == NULL ? stream_for(L, r, d) : stream_again(L, 2);
  return lcul_request_config(L, r, c->binding->function, &c->config);
}

/* The arguments mostly lie where they lay at the last call: if all are plain there and an array
 * decides on the device, it need not be looked for. False: nothing was done. */
static bool call_again (lua_State *L, lcul_kernel *k, const lcul_request *r, int nargs) {
  const lcul_binding *b = k->last;
  lcu_config config;
  if (lcu_unlikely(r->stream != NULL || b == NULL)) return false;
  int uses = plain_uses(L, b, 3, nargs);
  if (lcu_unlikely(uses <= 0 || !lcul_args_decide(b->plan->uses[0].block))) return false;
  config.stream = lcul_stream_current(L, b->function->device);
  if (lcul_request_config(L, r, b->function, &config)) run_plain(L, b, &config, uses);
  return true;
}

int lcul_kernel_call (lua_State *L) {
  lcul_request r;
  lcul_call c;
  lcul_kernel *k = lcul_test(L, 1, LCUL_KERNEL);
  if (lcu_unlikely(k == NULL || !k->open)) k = lcul_kernel_check(L, 1);
  int nargs = lua_gettop(L) - 2;
  const char *name = known_name(L, 1, k);
  lcul_request_read(L, 2, name, false, &r);
  if (lcu_likely(call_again(L, k, &r, nargs))) return 0;
  if (begin_call(L, k, name, &r, &c)) run(&c, k, nargs);
  else run_nothing(&c, k, nargs);
  return 0;
}


/* ---- prepared launches ---- */

/* User value 1: the kernel; 2: the stream that was named. */
typedef struct prepared {
  bool nothing; /* 0 threads */
  lcul_kernel *kernel;
  lcul_state *state;
  int device_index;
  lcu_device *device;
  /* a reference, or NULL: the device's current stream at each call */
  lcu_stream *stream;
  lcu_config config;
} prepared;

static int prepared_free (lua_State *L) {
  prepared *p = lcul_check(L, 1, LCUL_PREPARED);
  lcu_stream *s = p->stream;
  p->stream = NULL;
  p->kernel = NULL;
  lcul_stream_leave(L, s);
  return 0;
}

static prepared *prepared_check (lua_State *L, int idx) {
  prepared *p = lcul_check(L, idx, LCUL_PREPARED);
  if (!p->kernel) lcul_misuse(L, "attempt to use a closed Prepared");
  if (!p->kernel->open) lcul_misuse(L, "attempt to use a closed Kernel");
  return p;
}

/* kernel:prepare(launch) -> f; f(...) launches. */
static int kernel_prepare (lua_State *L) {
  lcul_request r;
  lcul_call c;
  lcul_kernel *k = lcul_kernel_check(L, 1);
  if (lua_gettop(L) > 2)
    return lcul_misuse(
      L, "prepare: expected only a launch table; the arguments go to what it returns");
  lua_settop(L, 2);
  prepared *p = lcul_newobject(L, LCUL_PREPARED, sizeof *p, 2);
  lua_insert(L, 1);
  lcul_request_read(L, 3, known_name(L, 2, k), false, &r);
  p->device = r.stream ? r.stream->device : lcul_device_current(L);
  c.binding = lcul_kernel_bind(L, 2, k, p->device);
  p->nothing = !lcul_request_config(L, &r, c.binding->function, &p->config);
  p->device_index = lcul_device_index(p->device);
  p->state = lcul_getstate(L);
  if (r.stream) p->stream = lcu_ref(stream_again(L, 3));
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, 1, 1);
  p->kernel = k;
  lua_settop(L, 1);
  return 1;
}

/* lcul_stream_current without the way to the state record. */
static inline lcu_stream *prepared_stream (lua_State *L, const prepared *p) {
  lcu_stream *s = p->stream ? p->stream : p->state->streams[p->device_index];
  if (s == NULL) s = p->device->null_stream;
  lcul_work_for(p->state);
  return lcu_likely(s != NULL) ? s : lcul_stream_current(L, p->device);
}

/* Arguments that are not plain, or nothing to launch. */
static LCU_COLD int prepared_run (lua_State *L, const prepared *p) {
  int nargs = lua_gettop(L) - 1;
  lcul_call c;
  lcul_call_init(&c, L, 1, 2, true);
  c.binding = p->kernel->bindings[p->device_index];
  if (c.binding->plan->asks) {
    lua_getiuservalue(L, 1, 1);
    lua_insert(L, 2);
    c.kernel = 2;
    c.first = 3;
  }
  c.config = p->config;
  c.config.stream = prepared_stream(L, p);
  if (p->nothing) run_nothing(&c, p->kernel, nargs);
  else run(&c, p->kernel, nargs);
  return 0;
}

static int prepared_call (lua_State *L) {
  prepared *p = lcul_test(L, 1, LCUL_PREPARED);
  if (lcu_unlikely(p == NULL || p->kernel == NULL || !p->kernel->open)) p = prepared_check(L, 1);
  const lcul_binding *b = p->kernel->bindings[p->device_index];
  int uses = lcu_likely(!p->nothing) ? plain_uses(L, b, 2, lua_gettop(L) - 1) : -1;
  if (lcu_unlikely(uses < 0)) return prepared_run(L, p);
  p->config.stream = prepared_stream(L, p);
  run_plain(L, b, &p->config, uses);
  return 0;
}

static int prepared_closed (lua_State *L) {
  const prepared *p = lcul_check(L, 1, LCUL_PREPARED);
  lua_pushboolean(L, !p->kernel || !p->kernel->open);
  return 1;
}

static void push_axes (lua_State *L, const uint32_t v[3]) {
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, v[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

static int prepared_kernel (lua_State *L) {
  prepared_check(L, 1);
  lua_getiuservalue(L, 1, 1);
  return 1;
}
static int prepared_grid (lua_State *L) {
  push_axes(L, prepared_check(L, 1)->config.grid);
  return 1;
}
static int prepared_block (lua_State *L) {
  push_axes(L, prepared_check(L, 1)->config.block);
  return 1;
}
static int prepared_device (lua_State *L) {
  lcul_device_push(L, prepared_check(L, 1)->device);
  return 1;
}

static int prepared_tostring (lua_State *L) {
  const prepared *p = lcul_check(L, 1, LCUL_PREPARED);
  if (!p->kernel || !p->kernel->open) {
    lua_pushliteral(L, "luacuda.Prepared (closed)");
    return 1;
  }
  const lcu_config *c = &p->config;
  lua_pushfstring(L, "luacuda.Prepared %s grid {%d, %d, %d} block {%d, %d, %d} on %s",
                  p->kernel->bindings[p->device_index]->function->name, (int)c->grid[0],
                  (int)c->grid[1], (int)c->grid[2], (int)c->block[0], (int)c->block[1],
                  (int)c->block[2], p->device->label);
  return 1;
}


/* ---- timing ---- */

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
  small_room small;
  lcul_sync_allowed(c->L, what);
  convert(c, k, nargs, &small);
  add_globals(c);
  c->binding->home->launched = true;
  lcul_status(c->L, timed_series(c, warmup, runs, ms));
  finish(c);
}

/* kernel:time_ms(launch, ...) -> milliseconds on the device */
static int kernel_time_ms (lua_State *L) {
  lcul_request r;
  lcul_call c;
  lcul_kernel *k = lcul_kernel_check(L, 1);
  int nargs = lua_gettop(L) - 2;
  float ms = 0;
  const char *name = known_name(L, 1, k);
  lcul_request_read(L, 2, name, false, &r);
  if (begin_call(L, k, name, &r, &c)) time_call(&c, k, nargs, 0, 1, &ms, "kernel:time_ms");
  else run_nothing(&c, k, nargs);
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
  const char *name = known_name(L, 1, k);
  lcul_request_read(L, 2, name, true, &r);
  if (!begin_call(L, k, name, &r, &c))
    return lcul_misuse(L, "%s: benchmark of 0 threads", c.binding->function->name);
  float *ms = lua_newuserdatauv(L, (size_t)r.runs * sizeof *ms, 0);
  time_call(&c, k, nargs, r.warmup, r.runs, ms, "kernel:benchmark");
  push_statistics(L, ms, r.runs);
  return 1;
}


/* ---- registration ---- */

static const luaL_Reg kernel_methods[] = { { "prepare", kernel_prepare },
                                           { "time_ms", kernel_time_ms },
                                           { "benchmark", kernel_benchmark },
                                           { NULL, NULL } };

static const luaL_Reg prepared_methods[] = { { "free", prepared_free },
                                             { "close", prepared_free },
                                             { NULL, NULL } };

static const luaL_Reg prepared_getters[] = { { "kernel", prepared_kernel },
                                             { "grid", prepared_grid },
                                             { "block", prepared_block },
                                             { "device", prepared_device },
                                             { NULL, NULL } };

static const luaL_Reg prepared_meta[] = {
  { "__gc", prepared_free },   { "__close", prepared_free },        { "__closed", prepared_closed },
  { "__call", prepared_call }, { "__tostring", prepared_tostring }, { NULL, NULL }
};

void lcul_open_kernel_launch (lua_State *L) {
  static const lcul_classdef def = { .id = LCUL_PREPARED,
                                     .name = "Prepared",
                                     .methods = prepared_methods,
                                     .getters = prepared_getters,
                                     .metamethods = prepared_meta };
  lcul_newclass(L, &def);
  lua_getfield(L, LUA_REGISTRYINDEX, "luacuda.classes");
  lua_getfield(L, -1, lcul_class_name(LCUL_KERNEL));
  lua_rawgeti(L, -1, 1);
  lcul_setfuncs(L, kernel_methods);
  lua_pop(L, 3);
}
