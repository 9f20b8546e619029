/* lcul_dlpack.c: class Capsule, and array:dlpack, which makes one. */
#include "lcul_dlpack.h"

#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_error.h"
#include "lcul_mail.h"
#include "lcul_option.h"
#include "lcul_pointer.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_stream.h"
#include "lcul_strides.h"


/* ---- views ---- */

void lcul_array_view_of (const lcul_array *a, lcu_view *out) {
  *out = (lcu_view){ .block = a->block, .dtype = a->dtype, .offset = a->offset, .ndim = a->ndim };
  for (int i = 0; i < a->ndim; i++) {
    out->shape[i] = a->shape[i];
    out->strides[i] = a->strides[i];
  }
}

void lcul_array_push_view (lua_State *L, const lcu_view *v) {
  lcul_array *a = lcul_array_push(L, v->block, v->dtype, 0, v->offset, v->ndim, v->shape);
  for (int i = 0; i < v->ndim; i++) a->strides[i] = v->strides[i];
  lcul_array_measure(a);
  if (!atomic_load(&v->block->labeled)) lcul_array_label(v->block, a);
}


/* ---- capsules ---- */

const char *lcul_dlpack_name (bool versioned) {
  return versioned ? "dltensor_versioned" : "dltensor";
}

lcul_capsule *lcul_capsule_new (lua_State *L) {
  return lcul_newobject(L, LCUL_CAPSULE, sizeof(lcul_capsule), 0);
}

lcul_capsule *lcul_capsule_check (lua_State *L, int idx) {
  lcul_capsule *c = lcul_check(L, idx, LCUL_CAPSULE);
  if (c->tensor.p == NULL)
    lcul_misuse(L, "attempt to use a consumed Capsule: a tensor is used once");
  return c;
}

static int capsule_close (lua_State *L) {
  lcul_capsule *c = lcul_check(L, 1, LCUL_CAPSULE);
  lcu_dl_managed tensor = c->tensor;
  c->tensor.p = NULL;
  lcu_dlpack_drop(tensor);
  lcul_mail_settle(L, lcul_getstate(L)); /* the tensor may have kept an owner */
  return 0;
}

/* c:release() -> pointer, name: the caller now has to call the deleter. */
static int capsule_release (lua_State *L) {
  lcul_check_most(L, 1);
  lcul_capsule *c = lcul_capsule_check(L, 1);
  lua_pushlightuserdata(L, c->tensor.p);
  lua_pushstring(L, lcul_dlpack_name(c->tensor.versioned));
  c->tensor.p = NULL;
  return 2;
}

static int capsule_name (lua_State *L) {
  const lcul_capsule *c = lcul_check(L, 1, LCUL_CAPSULE);
  lua_pushstring(L, lcul_dlpack_name(c->tensor.versioned));
  return 1;
}

static int capsule_consumed (lua_State *L) {
  lua_pushboolean(L, ((lcul_capsule *)lcul_check(L, 1, LCUL_CAPSULE))->tensor.p == NULL);
  return 1;
}

static int capsule_tostring (lua_State *L) {
  const lcul_capsule *c = lcul_check(L, 1, LCUL_CAPSULE);
  lua_pushfstring(L, "luacuda.Capsule %s%s", lcul_dlpack_name(c->tensor.versioned),
                  c->tensor.p == NULL ? " (consumed)" : "");
  return 1;
}


/* ---- array:dlpack ---- */

/* Option `stream`: a Stream, or the handle of another library's; pushes one value that keeps it. */
static lcu_stream *consumer_stream (lua_State *L, int opts, lcu_device *d) {
  if (!opts || !lcul_opt_push(L, opts, "stream")) {
    lua_pushnil(L);
    return lcul_stream_current(L, d);
  }
  const lcul_pointer *p = lcul_test(L, -1, LCUL_POINTER);
  if (p == NULL && !lua_islightuserdata(L, -1)) return lcul_opt_stream(L, opts, d);
  void *handle = p != NULL ? (void *)(uintptr_t)p->address : lua_touserdata(L, -1);
  if (handle == NULL) {
    lcul_status(L, lcu_device_open(d));
    return d->null_stream;
  }
  lcul_stream_box *box = lcul_stream_newbox(L);
  lua_replace(L, -2);
  lcul_status(L, lcu_stream_wrap(d, handle, &box->stream));
  return box->stream;
}

/* A value that owns the array's memory stays alive as long as the tensor. */
static lcu_dl_keep keep_owner (lua_State *L, int idx) {
  const lcul_array *a = lcul_array_check(L, idx);
  lcu_dl_keep keep = { NULL, NULL };
  if (!a->anchors) return keep;
  if (lua_getiuservalue(L, idx, LCUL_UV_OWNER) == LUA_TNIL) {
    lua_pop(L, 1);
    return keep;
  }
  keep.ud = lcul_mail_new(L);
  keep.release = lcul_mail_post;
  if (a->block != NULL) return keep;
  lcul_mail_post(keep.ud); /* a finalizer has closed the array */
  (void)lcul_array_check(L, idx);
  return keep;
}

/* Pushes a capsule of the array at 1. */
static int push_capsule (lua_State *L, int opts, bool versioned) {
  lcu_view v;
  lcul_mail_settle(L, lcul_getstate(L));
  lcul_not_recorded(L, "dlpack");
  lcul_capsule *c = lcul_capsule_new(L);
  lcu_stream *s = consumer_stream(L, opts, lcul_array_check(L, 1)->block->device);
  if (lcul_array_check(L, 1)->block->device->host_memory) lcul_sync_allowed(L, "dlpack");
  lcu_dl_keep keep = keep_owner(L, 1);
  lcul_array_view_of(lcul_toobject(L, 1), &v);
  lcu_status st = lcu_dlpack_export(&v, s, versioned, keep, &c->tensor);
  if (st != LCU_OK) lcul_mail_settle(L, lcul_getstate(L));
  if (st == LCU_E_ARGUMENT) return lcul_misuse(L, "dlpack: %s", lcu_failure_get()->message);
  lcul_status(L, st);
  lua_pop(L, 1);
  return 1;
}

/* a:dlpack([{ versioned =, stream = }]) -> Capsule */
static int array_dlpack (lua_State *L) {
  static const char *const names[] = { "versioned", "stream", NULL };
  (void)lcul_array_check(L, 1);
  lcul_check_most(L, 2);
  int opts = lcul_options(L, 2, "dlpack", names) ? 2 : 0;
  lua_settop(L, 2);
  return push_capsule(L, opts, !opts || lcul_opt_bool(L, opts, "versioned", true));
}

/* The same as the metamethod that other libraries call, with the options of the protocol:
 * max_version is the latest version { major, minor } that the caller knows. */
static int array_hook (lua_State *L) {
  (void)lcul_array_check(L, 1);
  lua_settop(L, 2);
  bool versioned = false;
  if (lua_istable(L, 2)) {
    if (lua_getfield(L, 2, "max_version") == LUA_TTABLE && lua_rawgeti(L, -1, 1) == LUA_TNUMBER)
      versioned = lua_tonumber(L, -1) >= LCU_DL_MAJOR;
    lua_settop(L, 2);
  }
  return push_capsule(L, lua_istable(L, 2) ? 2 : 0, versioned);
}


/* ---- registration ---- */

static const luaL_Reg methods[] = { { "release", capsule_release },
                                    { "close", capsule_close },
                                    { "free", capsule_close },
                                    { NULL, NULL } };

static const luaL_Reg getters[] = { { "name", capsule_name },
                                    { "consumed", capsule_consumed },
                                    { NULL, NULL } };

static const luaL_Reg metamethods[] = { { "__gc", capsule_close },
                                        { "__close", capsule_close },
                                        { "__tostring", capsule_tostring },
                                        { NULL, NULL } };

void lcul_open_dlpack (lua_State *L) {
  static const luaL_Reg array_methods[] = { { "dlpack", array_dlpack }, { NULL, NULL } };
  static const luaL_Reg array_metamethods[] = { { "__dlpack", array_hook }, { NULL, NULL } };
  static const lcul_classdef def = { .id = LCUL_CAPSULE,
                                     .boxed = true,
                                     .methods = methods,
                                     .getters = getters,
                                     .metamethods = metamethods };
  lcul_newclass(L, &def);
  lcul_extend(L, LCUL_ARRAY, LCUL_METHODS, array_methods);
  lcul_extend(L, LCUL_ARRAY, LCUL_METATABLE, array_metamethods);
}
