/* lcul_prepared.c: class Prepared: kernel:prepare(launch) -> f; f(...) launches. */
#include "lcul_call.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_kernel.h"
#include "lcul_launch.h"
#include "lcul_position.h"
#include "lcul_request.h"
#include "lcul_state.h"
#include "lcul_stream.h"

/* User value 1: the kernel; 2: the stream of the launch table. */
typedef struct prepared {
  bool nothing; /* 0 threads */
  lcul_kernel *kernel;
  lcul_state *state;
  int device_index;
  lcu_device *device;
  /* a reference; NULL: the stream that is current at each call */
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
  if (p->kernel == NULL) lcul_misuse(L, "attempt to use a closed Prepared");
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
  lcul_request_read(L, 3, lcul_kernel_known_name(L, 2, k), false, &r);
  p->device = r.stream != NULL ? r.stream->device : lcul_device_current(L);
  c.binding = lcul_kernel_bind(L, 2, k, p->device);
  p->nothing = !lcul_request_config(L, &r, c.binding->function, &p->config);
  p->device_index = lcul_device_index(p->device);
  p->state = lcul_getstate(L);
  if (r.stream != NULL) p->stream = lcu_ref(lcul_launch_stream_again(L, 3));
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, 1, 1);
  p->kernel = k;
  lua_settop(L, 1);
  return 1;
}

/* lcul_stream_current without finding the state record first. */
static inline lcu_stream *prepared_stream (lua_State *L, const prepared *p) {
  lcu_stream *s = p->stream != NULL ? p->stream : p->state->streams[p->device_index];
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
  if (p->nothing) lcul_launch_nothing(&c, p->kernel, nargs);
  else lcul_launch_run(&c, p->kernel, nargs);
  return 0;
}

static int prepared_call (lua_State *L) {
  prepared *p = lcul_test(L, 1, LCUL_PREPARED);
  if (lcu_unlikely(p == NULL || p->kernel == NULL || !p->kernel->open)) p = prepared_check(L, 1);
  const lcul_binding *b = p->kernel->bindings[p->device_index];
  int uses = lcu_likely(!p->nothing) ? lcul_launch_plain_uses(L, b, 2, lua_gettop(L) - 1) : -1;
  if (lcu_unlikely(uses < 0)) return prepared_run(L, p);
  p->config.stream = prepared_stream(L, p);
  lcul_launch_plain(L, b, &p->config, uses);
  return 0;
}

static int prepared_closed (lua_State *L) {
  const prepared *p = lcul_check(L, 1, LCUL_PREPARED);
  lua_pushboolean(L, p->kernel == NULL || !p->kernel->open);
  return 1;
}


/* ---- fields ---- */

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

void lcul_open_prepared (lua_State *L) {
  static const luaL_Reg kernel_methods[] = { { "prepare", kernel_prepare }, { NULL, NULL } };
  static const lcul_classdef def = { .id = LCUL_PREPARED,
                                     .methods = prepared_methods,
                                     .getters = prepared_getters,
                                     .metamethods = prepared_meta };
  lcul_newclass(L, &def);
  lcul_extend(L, LCUL_KERNEL, LCUL_METHODS, kernel_methods);
}
