/* lcul_api.c: the table of functions for programs in C (include/luacuda.h). The caller's C function
 * is not one of the library, so each function calls one that is. */
#include "luacuda.h"

#include <string.h>

#include "lcul_array_memory.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_dlpack.h"
#include "lcul_error.h"
#include "lcul_handle.h"
#include "lcul_set.h"
#include "lcul_stream.h"

_Static_assert(LUACUDA_MAX_AXES == LCUL_MAX_DIMS, "the number of axes");

/* Calls f(args [, the value at idx]) as a function of the library; idx 0: no value. */
static void call (lua_State *L, lua_CFunction f, void *args, int idx, int results) {
  if (idx != 0) idx = lua_absindex(L, idx);
  luaL_checkstack(L, 4, NULL);
  lcul_push_state(L);
  lua_pushcclosure(L, f, 1);
  lua_pushlightuserdata(L, args);
  if (idx != 0) lua_pushvalue(L, idx);
  lua_call(L, idx != 0 ? 2 : 1, results);
}


/* ---- arrays ---- */

static int device_number (const lcu_device *d) { return d->host_memory ? LUACUDA_CPU : d->ordinal; }

static int api_test_array (lua_State *L, int idx, luacuda_array *out) {
  const lcul_array *a = lcul_array_test(L, idx);
  if (a == NULL || a->block == NULL) return 0;
  memset(out, 0, sizeof *out);
  char *host = lcul_block_host(a->block);
  out->pointer = a->block->address + (uint64_t)a->offset;
  out->host = host != NULL ? host + a->offset : NULL;
  out->dtype = a->dtype->name;
  out->device = device_number(a->block->device);
  out->ndim = a->ndim;
  out->contiguous = a->contiguous;
  out->readonly = a->block->readonly;
  out->size = a->size;
  memcpy(out->shape, a->shape, (size_t)a->ndim * sizeof a->shape[0]);
  memcpy(out->strides, a->strides, (size_t)a->ndim * sizeof a->strides[0]);
  return 1;
}

typedef struct waiting {
  bool write;
} waiting;

static int run_wait (lua_State *L) {
  const waiting *w = lua_touserdata(L, 1);
  lcul_array_wait(L, lcul_array_check(L, 2), w->write, "luacuda.h: wait");
  return 0;
}

static void api_wait (lua_State *L, int idx, int write) {
  waiting w = { write != 0 };
  call(L, run_wait, &w, idx, 0);
}


/* ---- handles ---- */

static int run_retain (lua_State *L) {
  luacuda_handle **out = lua_touserdata(L, 1);
  *out = lcul_handle_new(L, 2);
  return 0;
}

static luacuda_handle *api_retain (lua_State *L, int idx) {
  luacuda_handle *h = NULL;
  call(L, run_retain, &h, idx, 0);
  return h;
}

static int run_push_handle (lua_State *L) {
  lcul_handle_push(L, *(const luacuda_handle **)lua_touserdata(L, 1));
  return 1;
}

static void api_push_handle (lua_State *L, const luacuda_handle *h) {
  call(L, run_push_handle, &h, 0, 1);
}


/* ---- streams ---- */

static int api_test_stream (lua_State *L, int idx, void **handle, int *device) {
  const lcul_stream_box *box = lcul_test(L, idx, LCUL_STREAM);
  if (box == NULL || box->stream == NULL || box->stream->gone) return 0;
  if (handle != NULL) *handle = box->stream->handle;
  if (device != NULL) *device = device_number(box->stream->device);
  return 1;
}

typedef struct place {
  void *stream;
  int device;
} place;

static lcu_device *device_of (lua_State *L, int number) {
  if (number == LUACUDA_CPU) lua_pushliteral(L, "cpu");
  else lua_pushinteger(L, number);
  lcu_device *d = lcul_device_arg(L, -1);
  lua_pop(L, 1);
  return d;
}

static int run_push_stream (lua_State *L) {
  const place *p = lua_touserdata(L, 1);
  lcu_device *d = device_of(L, p->device);
  if (p->stream == NULL) {
    lcul_stream_push(L, d->null_stream);
    return 1;
  }
  lcul_stream_box *box = lcul_stream_newbox(L);
  lcul_status(L, lcu_stream_wrap(d, p->stream, &box->stream));
  lcul_stream_keep(L, box);
  return 1;
}

static void api_push_stream (lua_State *L, void *handle, int device) {
  place p = { handle, device };
  call(L, run_push_stream, &p, 0, 1);
}

static int run_use (lua_State *L) {
  const place *p = lua_touserdata(L, 1);
  lcu_device *d = device_of(L, p->device);
  run_push_stream(L);
  lcul_stream_set_current(L, d, lcul_stream_check(L, -1));
  lcul_getstate(L)->device = d;
  return 0;
}

static void api_use (lua_State *L, int device, void *stream) {
  place p = { stream, device };
  call(L, run_use, &p, 0, 0);
}


/* ---- tensors, and memory of the program ---- */

static int run_to_dlpack (lua_State *L) {
  lcu_dl_managed *t = lua_touserdata(L, 1);
  lua_getfield(L, 2, "dlpack");
  lua_pushvalue(L, 2);
  lua_createtable(L, 0, 1);
  lcul_set_boolean(L, "versioned", t->versioned);
  lua_call(L, 2, 1);
  lcul_capsule *c = lcul_capsule_check(L, -1);
  t->p = c->tensor.p;
  c->tensor.p = NULL;
  return 0;
}

static void *api_to_dlpack (lua_State *L, int idx, int versioned) {
  lcu_dl_managed t = { NULL, versioned != 0 };
  if (lcul_array_test(L, idx) == NULL) luaL_error(L, "to_dlpack: expected an Array");
  call(L, run_to_dlpack, &t, idx, 0);
  return t.p;
}

/* [tensor] -> [array]; sets the pointer to NULL when the tensor was taken over. */
static int run_push_tensor (lua_State *L) {
  lcu_dl_managed *t = lua_touserdata(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, LCUL_CORE);
  lua_getfield(L, -1, "from_dlpack");
  lcul_capsule *c = lcul_capsule_new(L);
  c->tensor = *t;
  t->p = NULL;
  lua_call(L, 1, 1);
  return 1;
}

static int call_push_tensor (lua_State *L) {
  call(L, run_push_tensor, lua_touserdata(L, 1), 0, 1);
  return 1;
}

/* In protected mode, so that the deleter is called whatever happens. */
static void push_tensor (lua_State *L, lcu_dl_managed t) {
  if (!lua_checkstack(L, 3)) {
    lcu_dlpack_drop(t);
    luaL_error(L, "stack overflow (luacuda)");
  }
  lua_pushcfunction(L, call_push_tensor);
  lua_pushlightuserdata(L, &t);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) return;
  lcu_dlpack_drop(t);
  lua_error(L);
}

static void api_push_dlpack (lua_State *L, void *p, int versioned) {
  push_tensor(L, (lcu_dl_managed){ p, versioned != 0 });
}

static void api_push_array (lua_State *L, const luacuda_array *a, void (*release)(void *ud),
                            void *ud) {
  lcu_dl_managed t;
  if (lcul_memory_tensor(a, release, ud, &t) != LCU_OK)
    luaL_error(L, "push_array: %s", lcu_failure_get()->message);
  push_tensor(L, t);
}


/* ---- the table ---- */

static const luacuda_api api = {
  .abi = LUACUDA_ABI,
  .size = sizeof api,
  .test_array = api_test_array,
  .push_array = api_push_array,
  .wait = api_wait,
  .retain = api_retain,
  .push_handle = api_push_handle,
  .release = lcul_handle_free,
  .test_stream = api_test_stream,
  .push_stream = api_push_stream,
  .use = api_use,
  .to_dlpack = api_to_dlpack,
  .push_dlpack = api_push_dlpack,
};

void lcul_open_api (lua_State *L) {
  const luacuda_api **p = lua_newuserdatauv(L, sizeof *p, 0);
  *p = &api;
  lua_setfield(L, -2, "_api");
}
