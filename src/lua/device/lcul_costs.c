/* lcul_costs.c: counts what the kernels that a function launches on the CPU device cost, by source
 * line. */
#include "lcu_costs.h"

#include "lcu_device_failure.h"
#include "lcu_scope.h"
#include "lcu_wait.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"

typedef struct counting {
  lcu_device *device; /* NULL: it has ended */
  lcu_costs costs;
  lcu_trace trace; /* if costs.trace is set */
} counting;

static lcu_status tell (lcu_device *d, lcu_costs *costs) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status r = LCU_CALL(d->drv, cuxProfile, (costs));
  lcu_device_leave(&scope);
  return lcu_device_status(d, r);
}

/* Its failure has nobody to be told to: the function has failed before. */
static void end_counting (lua_State *L, void *ud) {
  counting *c = ud;
  lcu_scope scope;
  (void)L;
  if (c->device == NULL) return;
  if (lcu_device_enter_quiet(c->device, &scope)) {
    (void)LCU_CALL(c->device->drv, cuxProfile, (NULL));
    lcu_device_leave(&scope);
  }
  c->device = NULL;
}

static int counting_release (lua_State *L) {
  counting *c = lua_touserdata(L, 1);
  end_counting(L, c);
  lcu_costs_free(&c->costs);
  lcu_trace_free(&c->trace);
  return 0;
}

/* ---- results */

static void push_kernel (lua_State *L, const lcu_cost_kernel *k) {
  lua_createtable(L, 0, 24);
  lcul_set_string(L, "name", k->name);
  lcul_set_triple(L, "grid", k->grid);
  lcul_set_triple(L, "block", k->block);
  lcul_set_integer(L, "shared_bytes", (lua_Integer)k->shared);
  lcul_set_integer(L, "registers", (lua_Integer)k->registers);
  lcul_set_integer(L, "launches", (lua_Integer)k->launches);
  lcul_set_integer(L, "global_bytes", (lua_Integer)k->global_bytes);
}

static void push_line (lua_State *L, const lcu_cost_line *l) {
  lua_createtable(L, 0, 24);
  lcul_set_integer(L, "kernel", (lua_Integer)l->kernel + 1);
  if (l->line > 0) {
    lcul_set_string(L, "file", l->file);
    lcul_set_integer(L, "line", l->line);
  }
#define LCU_COST(name) lcul_set_integer(L, #name, (lua_Integer)l->cost.name);
#include "lcu_costs.def"
}

static int push_costs (lua_State *L, const lcu_costs *c) {
  lua_createtable(L, (int)lcu_costs_kernels(c), 0);
  for (size_t i = 0; i < lcu_costs_kernels(c); i++) {
    push_kernel(L, lcu_costs_kernel(c, i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_createtable(L, (int)lcu_costs_lines(c), 0);
  for (size_t i = 0; i < lcu_costs_lines(c); i++) {
    push_line(L, lcu_costs_line(c, i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 2;
}

/* ---- the function */

/* The current device; raises unless it can count. */
static lcu_device *counting_device (lua_State *L, const char *what) {
  lcu_device *d = lcul_device_current(L);
  if (d->drv->cuxProfile == NULL)
    lcul_misuse(L,
                "%s: %s does not count; the CPU device does: cuda.use 'cpu', and arrays "
                "made there",
                what, d->label);
  return d;
}

/* [what, fn, ...]: calls fn(...) while its launches are counted; if `trace` is given, fn(counting,
 * ...) while they are recorded. The result is at the bottom of the stack, alone. `what` names the
 * caller. */
static counting *count_call (lua_State *L, const lcu_trace *trace) {
  const char *what = luaL_checkstring(L, 1);
  lcul_check_callable(L, 2, what);
  lcul_sync_allowed(L, what);
  lcu_device *d = counting_device(L, what);
  lcul_status(L, lcu_device_synchronize(d));
  counting *c = lcul_newbox(L, sizeof *c, "luacuda.Counting", counting_release);
  if (trace != NULL) {
    c->trace = *trace;
    c->costs.trace = &c->trace;
  }
  lua_replace(L, 1);
  lua_toclose(L, 1);
  if (trace != NULL) {
    lua_pushvalue(L, 1);
    lua_insert(L, 3);
  }
  lcul_status(L, tell(d, &c->costs));
  c->device = d;
  lcul_scope_call(L, end_counting, c);
  lua_settop(L, 1);
  return c;
}

/* _costs(what, fn, ...) -> kernels and lines of what fn(...) launches */
static int core_costs (lua_State *L) {
  counting *c = count_call(L, NULL);
  lcu_device *d = c->device;
  lcul_status(L, lcu_device_synchronize(d));
  c->device = NULL;
  lcul_status(L, tell(d, NULL));
  return push_costs(L, &c->costs);
}

static void read_place (lua_State *L, const char *name, uint32_t place[3]) {
  if (lua_getfield(L, 3, name) != LUA_TTABLE)
    luaL_error(L, "_trace: '%s' is not a list of three integers", name);
  for (int i = 0; i < 3; i++) {
    lua_rawgeti(L, -1, i + 1);
    place[i] = (uint32_t)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static uint32_t read_number (lua_State *L, const char *name) {
  lua_getfield(L, 3, name);
  uint32_t n = (uint32_t)luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return n;
}

/* _trace(what, fn, { block =, thread =, line = }) -> whether a launch had the thread, and whether
 * stops were lost. fn(trace) launches, takes all that _trace_next has, and keeps the errors of its
 * launches: after a fault the stops up to there are of use. */
static int core_trace (lua_State *L) {
  lcu_trace trace = { 0 };
  luaL_checktype(L, 3, LUA_TTABLE);
  read_place(L, "block", trace.block);
  read_place(L, "thread", trace.thread);
  trace.line = read_number(L, "line");
  lua_settop(L, 2);
  counting *c = count_call(L, &trace);
  end_counting(L, c);
  lua_pushboolean(L, c->trace.seen);
  lua_pushboolean(L, c->trace.cut);
  return 2;
}

/* The kernel does not touch `taken`, also where it goes on while this runs finalizers. */
static void push_taken (lua_State *L, lcu_trace *t) {
  if (t->taken.failed) lcul_status(L, lcu_no_memory("the stops of a kernel"));
  lua_pushlstring(L, t->taken.data != NULL ? t->taken.data : "", t->taken.len);
  lcu_buf_free(&t->taken);
}

/* _trace_next(trace, records) -> the next stops, as lcu_trace.h has them, and whether the kernel
 * waits with more. `records`: whether it is to go on recording. */
static int core_trace_next (lua_State *L) {
  counting *c = luaL_checkudata(L, 1, "luacuda.Counting");
  bool more = false;
  lcu_scope scope;
  atomic_store(&c->trace.ends, !lua_toboolean(L, 2));
  lcul_status(L, lcu_device_enter(c->device, &scope));
  lcu_status r = LCU_CALL(c->device->drv, cuxTraceNext, (&more));
  lcu_device_leave(&scope);
  lcul_status(L, lcu_device_status(c->device, r));
  push_taken(L, &c->trace);
  lua_pushboolean(L, more);
  return 2;
}

/* _cost_names() -> the names of what is counted */
static int core_cost_names (lua_State *L) {
  static const char *const names[] = {
#define LCU_COST(name) #name,
#include "lcu_costs.def"
  };
  size_t n = lcu_arraylen(names);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushstring(L, names[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

void lcul_open_costs (lua_State *L) {
  static const luaL_Reg functions[] = { { "_costs", core_costs },
                                        { "_trace", core_trace },
                                        { "_trace_next", core_trace_next },
                                        { "_cost_names", core_cost_names },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
