/* lcul_launch.c: kernel(launch, ...). */
#include "lcul_launch.h"

#include <string.h>

#include "lcu_wait.h"
#include "lcul_args.h"
#include "lcul_argument.h"
#include "lcul_array.h"
#include "lcul_call.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_foreign.h"
#include "lcul_kernel.h"
#include "lcul_library.h"
#include "lcul_module.h"
#include "lcul_plan.h"
#include "lcul_position.h"
#include "lcul_request.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_stream.h"
#include "lcul_uses.h"


/* ---- a call with its arguments ---- */

static size_t most_uses (const lcul_binding *b) {
  return b->plan->num_uses + LCUL_SPARE_USES + b->home->num_globals;
}

static void give_room (lcul_call *c, lcul_small_room *small) {
  const lcul_plan *plan = c->binding->plan;
  size_t uses = most_uses(c->binding);
  c->buffer = small->bytes;
  c->params = small->params;
  c->num_globals = c->binding->home->num_globals;
  c->uses = (lcul_uses){ small->uses, 0, uses - c->num_globals, c->binding->function->device };
  if (lcu_likely(plan->num <= LCUL_SMALL_PARAMS && plan->bytes <= LCUL_SMALL_BYTES &&
                 uses <= lcu_arraylen(small->uses)))
    return;
  size_t head = (plan->bytes + 15u) / 16 * 16, pointers = plan->num * sizeof(void *);
  c->buffer = lua_newuserdatauv(c->L, head + pointers + uses * sizeof(lcu_use) + 16, 0);
  memset(c->buffer, 0, head);
  c->params = (void **)(void *)(c->buffer + head);
  c->uses.uses = (lcu_use *)(void *)(c->buffer + head + pointers);
}

/* Kernels may use every variable that was returned as an array. */
static void add_globals (lcul_call *c) {
  const lcul_loaded *home = c->binding->home;
  for (size_t i = 0; i < home->num_globals && i < c->num_globals; i++)
    c->uses.uses[c->uses.n++] = home->globals[i];
}

/* Does the wrapper promise results to the host? The value that it wraps is at the top. */
static bool gives_results (lua_State *L, const lcul_argument *w) {
  const lcul_array *a = lcul_array_test(L, -1);
  if (w->kind != LCUL_OUTPUT && w->kind != LCUL_INOUT) return false;
  return a == NULL || a->block == NULL || a->block->memory != LCU_MEM_DEVICE;
}

/* In a graph, the results exist only after it has run. */
static void wait_for_results (lua_State *L, lcu_stream *s) {
  if (s->capture != NULL) return;
  lcul_sync_allowed(L, "a launch with cuda.output or cuda.inout");
  lcul_status(L, lcu_stream_synchronize(s));
}

/* Copies the results of cuda.output and cuda.inout back, and waits for them. */
static void finish_staged (lcul_call *c) {
  bool results = false;
  lua_State *L = c->L;
  for (int i = 0; i < c->staged; i++) {
    int pair = c->pairs + 2 * i;
    const lcul_argument *w = lcul_check(L, pair, LCUL_ARGUMENT);
    lcul_push_hook(L, "kernel", "finish");
    lua_pushstring(L, lcul_wrap_name(w->kind));
    lua_getiuservalue(L, pair, 1);
    results = gives_results(L, w) || results;
    lua_pushvalue(L, pair + 1);
    lcul_stream_push(L, c->config.stream);
    lua_call(L, 4, 0);
  }
  if (results) wait_for_results(L, c->config.stream);
}

/* Launches of a kernel may be nested: staging runs the caller's code. */
static void convert (lcul_call *c, lcul_kernel *k, int nargs, lcul_small_room *small) {
  bool busy = k->busy;
  k->busy = true;
  give_room(c, small);
  lcul_args_convert(c, nargs);
  k->busy = busy;
}

void lcul_launch_convert (lcul_call *c, lcul_kernel *k, int nargs, lcul_small_room *small) {
  convert(c, k, nargs, small);
  add_globals(c);
  c->binding->home->launched = true;
}

void lcul_launch_check_argument (lcul_call *c, lcul_kernel *k, size_t i) {
  lcul_small_room small;
  bool busy = k->busy;
  k->busy = true;
  give_room(c, &small);
  lcul_args_check(c, i);
  k->busy = busy;
}

void lcul_launch_finish (lcul_call *c) {
  if (lcu_likely(c->held == 0)) return;
  finish_staged(c);
  lcul_stream_release(c->L, c->held);
}

void lcul_launch_run (lcul_call *c, lcul_kernel *k, int nargs) {
  lcul_small_room small;
  lcul_launch_convert(c, k, nargs, &small);
  lcul_note_caller(c->L, c->binding->function->device, false);
  lcul_status(c->L,
              lcu_launch(c->binding->function, &c->config, c->params, c->uses.uses, c->uses.n));
  lcul_launch_finish(c);
  lcul_lines_run(c->L);
}

void lcul_launch_nothing (lcul_call *c, lcul_kernel *k, int nargs) {
  lcul_small_room small;
  convert(c, k, nargs, &small);
  if (c->held != 0) lcul_stream_release(c->L, c->held);
}


/* ---- the device and the stream ---- */

static lcu_stream *stream_for (lua_State *L, const lcul_request *r, lcu_device *d) {
  return r->stream != NULL ? r->stream : lcul_stream_current(L, d);
}

const char *lcul_kernel_known_name (lua_State *L, int idx, const lcul_kernel *k) {
  if (lcu_likely(k->last != NULL)) return k->last->function->name;
  lua_getiuservalue(L, idx, 1);
  lua_getfield(L, -1, "name");
  const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "kernel";
  lua_pop(L, 2);
  return name;
}

static lcu_device *launch_device (lua_State *L, const char *name, const lcul_request *r, int first,
                                  int nargs) {
  if (r->stream != NULL) return r->stream->device;
  lcu_device *d = lcul_args_device(L, name, first, nargs);
  return d != NULL ? d : lcul_device_current(L);
}

lcu_stream *lcul_launch_stream_again (lua_State *L, int idx) {
  lua_getfield(L, idx, "stream");
  lcu_stream *s = lcul_stream_check(L, -1);
  lua_pop(L, 1);
  return s;
}

bool lcul_launch_begin (lua_State *L, lcul_kernel *k, const char *name, const lcul_request *r,
                        lcul_call *c) {
  int nargs = lua_gettop(L) - 2;
  lcu_device *d = launch_device(L, name, r, 3, nargs);
  lcul_call_init(c, L, 1, 3, false);
  bool bound = k->bindings[lcul_device_index(d)] != NULL;
  c->binding = lcul_kernel_bind(L, 1, k, d);
  c->config.stream =
    lcu_likely(bound) || r->stream == NULL ? stream_for(L, r, d) : lcul_launch_stream_again(L, 2);
  return lcul_request_config(L, r, c->binding->function, &c->config);
}


/* ---- the call ---- */

bool lcul_launch_again (lua_State *L, lcul_kernel *k, const lcul_request *r, int first, int nargs) {
  const lcul_binding *b = k->last;
  lcu_config config;
  if (lcu_unlikely(r->stream != NULL || b == NULL)) return false;
  int uses = lcul_launch_plain_uses(L, b, first, nargs);
  if (lcu_unlikely(uses <= 0 || !lcul_args_decide(b->plan->uses[0].block))) return false;
  config.stream = lcul_stream_current(L, b->function->device);
  if (lcul_request_config(L, r, b->function, &config)) lcul_launch_plain(L, b, &config, uses);
  return true;
}

void lcul_launch_request (lua_State *L, lcul_kernel *k, const char *name, const lcul_request *r) {
  lcul_call c;
  int nargs = lua_gettop(L) - 2;
  if (lcul_launch_begin(L, k, name, r, &c)) lcul_launch_run(&c, k, nargs);
  else lcul_launch_nothing(&c, k, nargs);
}

int lcul_launch_call (lua_State *L) {
  lcul_request r;
  lcul_kernel *k = lcul_test(L, 1, LCUL_KERNEL);
  if (lcu_unlikely(k == NULL || !k->open)) k = lcul_kernel_check(L, 1);
  int nargs = lua_gettop(L) - 2;
  const char *name = lcul_kernel_known_name(L, 1, k);
  lcul_request_read(L, 2, name, false, &r);
  if (lcu_likely(lcul_launch_again(L, k, &r, 3, nargs))) return 0;
  if (lcul_foreign_arguments(L, 3, nargs)) return lcul_launch_call(L); /* now with arrays */
  lcul_launch_request(L, k, name, &r);
  return 0;
}

void lcul_open_launch (lua_State *L) {
  static const luaL_Reg metamethods[] = { { "__call", lcul_launch_call }, { NULL, NULL } };
  lcul_extend(L, LCUL_KERNEL, LCUL_METATABLE, metamethods);
}
