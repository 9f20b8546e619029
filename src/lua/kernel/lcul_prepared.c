/* lcul_prepared.c: class Prepared: kernel:prepare(launch) -> f; f(...) launches. */
#include <inttypes.h>

#include "lcul_call.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_context.h"
#include "lcul_device.h"
#include "lcul_foreign.h"
#include "lcul_jit_scale.h"
#include "lcul_kernel.h"
#include "lcul_launch.h"
#include "lcul_position.h"
#include "lcul_request.h"
#include "lcul_set.h"
#include "lcul_state.h"
#include "lcul_stream.h"

/* User value 1: the kernel; 2: the stream of the launch table; 3: a list of kept arguments, or
 * nil. */
typedef struct prepared {
  bool nothing; /* 0 threads */
  bool keeps;   /* arguments */
  bool sealed;  /* the kept arguments are final; their number is not the user's */
  bool chosen;  /* the block, for the threads of the launch table */
  lcul_kernel *kernel;
  lcul_state *state;
  int device_index;
  lcu_device *device;
  /* a reference; NULL: the stream that is current at each call */
  lcu_stream *stream;
  lcu_config config;
} prepared;

enum { KERNEL = 1, KEPT = 3, CONTEXT = 4, USER_VALUES = 4 };

static int prepared_free (lua_State *L) {
  prepared *p = lcul_check(L, 1, LCUL_PREPARED);
  lcu_stream *s = p->stream;
  p->stream = NULL;
  p->kernel = NULL;
  lua_pushnil(L);
  lua_setiuservalue(L, 1, KEPT);
  lcul_stream_leave(L, s);
  return 0;
}

static prepared *prepared_check (lua_State *L, int idx) {
  prepared *p = lcul_check(L, idx, LCUL_PREPARED);
  if (p->kernel == NULL) lcul_misuse(L, "attempt to use a closed Prepared");
  if (!p->kernel->open) lcul_misuse(L, "attempt to use a closed Kernel");
  return p;
}


/* ---- making one ---- */

static void prepared_leave_context (void *object, lcu_device *d) {
  (void)d;
  ((prepared *)object)->kernel = NULL;
}

/* Fills the object at 1 for the kernel at `kernel`, as the launch table at `table` says (read into
 * r). Its device and, without a stream in the table, its stream are set. */
static void complete (lua_State *L, prepared *p, int kernel, int table, const lcul_request *r) {
  static const lcul_context_user user = { prepared_leave_context };
  lcul_kernel *k = lcul_kernel_check(L, kernel);
  if (k->scale != 0 && (unsigned)lcul_scale_of(r) >= k->scale)
    lcul_misuse(
      L, "%s: launch: the kernel was made for a smaller grid: prepare it again with this one",
      lcul_kernel_known_name(L, kernel, k));
  lcul_binding *b = lcul_kernel_bind(L, kernel, k, p->device);
  if (p->device->parent != NULL) {
    lcul_context_note(L, 1, p->device, &user);
    lcul_device_push(L, p->device);
    lua_setiuservalue(L, 1, CONTEXT);
  }
  bool work = r->has_grid || r->has_threads;
  p->chosen = r->chosen;
  p->nothing = !work || !lcul_request_config(L, r, b->function, &p->config);
  p->device_index = lcul_device_index(p->device);
  p->state = lcul_getstate(L);
  if (r->stream != NULL) {
    lcul_stream_leave(L, p->stream);
    p->stream = lcu_ref(lcul_launch_stream_again(L, table));
  }
  lua_pushvalue(L, kernel);
  lua_setiuservalue(L, 1, KERNEL);
  p->kernel = k;
}

/* kernel:prepare(launch) -> f; f(...) launches. */
static int kernel_prepare (lua_State *L) {
  lcul_request r;
  lcul_kernel *k = lcul_kernel_check(L, 1);
  if (lua_gettop(L) > 2)
    return lcul_misuse(
      L, "prepare: expected only a launch table; the arguments go to what it returns");
  lua_settop(L, 2);
  prepared *p = lcul_newobject(L, LCUL_PREPARED, sizeof *p, USER_VALUES);
  lua_insert(L, 1);
  lcul_request_read(L, 3, lcul_kernel_known_name(L, 2, k), false, &r);
  p->device = r.stream != NULL ? r.stream->device : lcul_device_current(L);
  complete(L, p, 2, 3, &r);
  lua_settop(L, 1);
  return 1;
}

/* Pushes the list of kept arguments of the object at 1. */
static void push_list (lua_State *L, prepared *p) {
  if (lua_getiuservalue(L, 1, KEPT) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, KEPT);
  p->keeps = true;
}

/* A kernel written in Lua has more parameters than its function. */
static void refuse_others (lua_State *L, const prepared *p, const char *what, int given) {
  if (!p->sealed || given == 0) return;
  lcul_misuse(L,
              "%s: %sexpected no arguments, because prepare already has them, got %d; to change "
              "them, prepare another launch",
              p->kernel->bindings[p->device_index]->function->name, what, given);
}

/* From the object at 2 to that at 1. */
static void copy_kept (lua_State *L, prepared *p, const prepared *from) {
  size_t n = p->kernel->bindings[p->device_index]->plan->num;
  push_list(L, p);
  p->sealed = from->sealed;
  lua_getiuservalue(L, 2, KEPT);
  for (size_t i = 1; i <= n; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i);
    lua_rawseti(L, -3, (lua_Integer)i);
  }
}

/* prepared:with(changes) -> another one */
static int prepared_with (lua_State *L) {
  lcul_request r;
  lcul_check_most(L, 2);
  lcul_check_table(L, 2);
  prepared *p = lcul_newobject(L, LCUL_PREPARED, sizeof *p, USER_VALUES);
  lua_insert(L, 1);
  const prepared *from = prepared_check(L, 2);
  p->config = from->config;
  p->device = from->device;
  if (from->stream != NULL) p->stream = lcu_ref(from->stream);
  lua_getiuservalue(L, 2, KERNEL);
  lcul_request_change(L, 3, lcul_kernel_known_name(L, 4, from->kernel), &from->config, from->chosen,
                      &r);
  if (r.stream != NULL) p->device = r.stream->device;
  complete(L, p, 4, 3, &r);
  if (from->keeps) copy_kept(L, p, from);
  lua_settop(L, 1);
  return 1;
}


/* ---- calling it ---- */

/* lcul_stream_current without finding the state record first. */
static inline lcu_stream *prepared_stream (lua_State *L, const prepared *p) {
  lcu_stream *s = p->stream != NULL ? p->stream : p->state->streams[p->device_index];
  if (s == NULL) s = p->device->null_stream;
  lcul_work_for(p->state);
  return lcu_likely(s != NULL) ? lcul_stream_to_use(L, p->state, s)
                               : lcul_stream_current(L, p->device);
}

static lcul_binding *prepared_binding (const prepared *p) {
  return p->kernel->bindings[p->device_index];
}

/* Makes a call of arguments from `first` on. */
static void begin (lua_State *L, const prepared *p, int first, lcul_call *c) {
  lcul_call_init(c, L, 0, first, true);
  c->binding = prepared_binding(p);
  c->config = p->config;
  if (!c->binding->plan->asks) return;
  luaL_checkstack(L, 1, NULL);
  lua_getiuservalue(L, 1, KERNEL);
  c->kernel = lua_gettop(L);
}

/* The common end of a begun call: the stream is found after all that could close it. */
static void set_stream (lua_State *L, const prepared *p, lcul_call *c) {
  c->config.stream = prepared_stream(L, p);
}

static LCU_COLD int kept_missing (lua_State *L, const prepared *p, size_t i) {
  char label[256];
  lcul_call c = { .binding = prepared_binding(p) };
  return lcul_misuse(L, "%s: not set: set(%d, value) keeps one for calls without arguments",
                     lcul_arg_label(&c, i, label, sizeof label), (int)i + 1);
}

/* Pushes the kept arguments if none were given; returns how many arguments there are, and where the
 * first is. */
static int push_kept (lua_State *L, const prepared *p, int *first) {
  const lcul_plan *plan = prepared_binding(p)->plan;
  int nargs = lua_gettop(L) - 1;
  *first = 2;
  if (nargs > 0 || !p->keeps) {
    if (lcu_unlikely(p->sealed)) refuse_others(L, p, "", nargs);
    return nargs;
  }
  luaL_checkstack(L, (int)plan->num + 1, NULL);
  lua_getiuservalue(L, 1, KEPT);
  *first = 3;
  for (size_t i = 0; i < plan->num; i++)
    if (lcu_unlikely(lua_rawgeti(L, 2, (lua_Integer)i + 1) == LUA_TNIL)) kept_missing(L, p, i);
  return (int)plan->num;
}

/* Arguments that are not plain, or nothing to launch. */
static LCU_COLD int prepared_run (lua_State *L, prepared *p, int first, int nargs) {
  lcul_call c;
  if (lcul_foreign_arguments(L, first, nargs)) p = prepared_check(L, 1);
  begin(L, p, first, &c);
  set_stream(L, p, &c);
  if (p->nothing) lcul_launch_nothing(&c, p->kernel, nargs);
  else lcul_launch_run(&c, p->kernel, nargs);
  return 0;
}

static int prepared_call (lua_State *L) {
  prepared *p = lcul_test(L, 1, LCUL_PREPARED);
  if (lcu_unlikely(p == NULL || p->kernel == NULL || !p->kernel->open)) p = prepared_check(L, 1);
  const lcul_binding *b = p->kernel->bindings[p->device_index];
  int first, nargs = push_kept(L, p, &first);
  int uses = lcu_likely(!p->nothing) ? lcul_launch_plain_uses(L, b, first, nargs) : -1;
  if (lcu_unlikely(uses < 0)) return prepared_run(L, p, first, nargs);
  p->config.stream = prepared_stream(L, p);
  lcul_launch_plain(L, b, &p->config, uses);
  return 0;
}

/* prepared:time_ms(...) -> milliseconds on the device */
static int prepared_time_ms (lua_State *L) {
  const prepared *p = prepared_check(L, 1);
  lcul_call c;
  float ms = 0;
  int first, nargs = push_kept(L, p, &first);
  begin(L, p, first, &c);
  set_stream(L, p, &c);
  if (p->nothing) lcul_launch_nothing(&c, p->kernel, nargs);
  else ms = lcul_launch_time(&c, p->kernel, nargs, "prepared:time_ms");
  lua_pushnumber(L, (lua_Number)ms);
  return 1;
}


/* ---- kept arguments ---- */

/* Checks the value at idx as argument i, 0-based. */
static void check_argument (lua_State *L, const prepared *p, size_t i, int idx) {
  lcul_call c;
  begin(L, p, idx - (int)i, &c);
  set_stream(L, p, &c);
  lcul_launch_check_argument(&c, p->kernel, i);
}

/* prepared:set(i, value) -> prepared */
static int prepared_set (lua_State *L) {
  lua_Integer i = 0;
  lcul_check_most(L, 3);
  prepared *p = prepared_check(L, 1);
  size_t n = prepared_binding(p)->plan->num;
  refuse_others(L, p, "set: ", lua_gettop(L) - 1);
  if (!lcul_to_integer(L, 2, &i)) return lcul_wrong_type(L, 2, "the number of an argument");
  if (i < 1 || i > (lua_Integer)n)
    return lcul_misuse(L, "%s: set: there is no argument %" PRId64 "; it has %d",
                       prepared_binding(p)->function->name, (int64_t)i, (int)n);
  lua_settop(L, 3);
  check_argument(L, p, (size_t)i - 1, 3);
  push_list(L, p);
  lua_pushvalue(L, 3);
  lua_rawseti(L, -2, i);
  lua_settop(L, 1);
  return 1;
}

/* prepared:keep(...) -> prepared */
static int prepared_keep (lua_State *L) {
  prepared *p = prepared_check(L, 1);
  int n = lua_gettop(L) - 1;
  refuse_others(L, p, "keep: ", n);
  if ((size_t)n != prepared_binding(p)->plan->num)
    return lcul_misuse(L, "%s: keep: expected %d arguments, got %d",
                       prepared_binding(p)->function->name, (int)prepared_binding(p)->plan->num, n);
  for (int i = 0; i < n; i++) {
    check_argument(L, p, (size_t)i, 2 + i);
    lua_settop(L, n + 1);
  }
  push_list(L, p);
  for (int i = 1; i <= n; i++) {
    lua_pushvalue(L, 1 + i);
    lua_rawseti(L, -2, i);
  }
  lua_settop(L, 1);
  return 1;
}

/* core.prepared_seal(prepared) -> prepared, whose kept arguments are final from then on */
static int core_prepared_seal (lua_State *L) {
  prepared_check(L, 1)->sealed = true;
  lua_settop(L, 1);
  return 1;
}


/* ---- fields ---- */

static int prepared_closed (lua_State *L) {
  const prepared *p = lcul_check(L, 1, LCUL_PREPARED);
  lua_pushboolean(L, p->kernel == NULL || !p->kernel->open);
  return 1;
}

static int prepared_kernel (lua_State *L) {
  prepared_check(L, 1);
  lua_getiuservalue(L, 1, 1);
  return 1;
}

static int prepared_grid (lua_State *L) {
  lcul_push_triple(L, prepared_check(L, 1)->config.grid);
  return 1;
}

static int prepared_block (lua_State *L) {
  lcul_push_triple(L, prepared_check(L, 1)->config.block);
  return 1;
}

static int prepared_device (lua_State *L) {
  lcul_device_push(L, prepared_check(L, 1)->device);
  return 1;
}

static int prepared_tostring (lua_State *L) {
  const prepared *p = lcul_check(L, 1, LCUL_PREPARED);
  if (p->kernel == NULL || !p->kernel->open) {
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


/* ---- registration ---- */

static const luaL_Reg prepared_methods[] = { { "with", prepared_with },
                                             { "time_ms", prepared_time_ms },
                                             { "set", prepared_set },
                                             { "keep", prepared_keep },
                                             { "free", prepared_free },
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

void lcul_open_prepared (lua_State *L) {
  static const luaL_Reg functions[] = { { "prepared_seal", core_prepared_seal }, { NULL, NULL } };
  static const luaL_Reg prepare_methods[] = { { "prepare", kernel_prepare }, { NULL, NULL } };
  static const lcul_classdef def = { .id = LCUL_PREPARED,
                                     .methods = prepared_methods,
                                     .getters = prepared_getters,
                                     .metamethods = prepared_meta };
  lcul_newclass(L, &def);
  lcul_extend(L, LCUL_KERNEL, LCUL_METHODS, prepare_methods);
  lcul_setfuncs(L, functions);
}
