/* lcul_from_dlpack.c: core.from_dlpack: arrays over DLPack tensors of other libraries. */
#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_dlpack.h"
#include "lcul_error.h"
#include "lcul_mail.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_stream.h"

static const char *const FN = "from_dlpack";


/* ---- pointers ---- */

static bool versioned_of (lua_State *L, int idx) {
  char got[96];
  const char *name = lua_type(L, idx) == LUA_TSTRING ? lua_tostring(L, idx) : NULL;
  for (int versioned = 0; versioned < 2 && name != NULL; versioned++)
    if (strcmp(name, lcul_dlpack_name(versioned)) == 0) return versioned;
  lcul_misuse(L,
              "from_dlpack: a pointer needs the name of what it points to: \"dltensor_versioned\" "
              "(DLManagedTensorVersioned) or \"dltensor\" (DLManagedTensor), got %s",
              name != NULL ? name : lcul_describe(L, idx, got, sizeof got));
  return false;
}

/* Replaces the pointer at idx, whose name is at idx + 1, with a capsule that owns the tensor. */
static void own_pointer (lua_State *L, int idx) {
  void *p = lua_touserdata(L, idx);
  bool versioned = versioned_of(L, idx + 1);
  if (p == NULL) lcul_fail_arg(L, FN, 1, "tensor", "NULL is no tensor");
  lcul_capsule_new(L)->tensor = (lcu_dl_managed){ p, versioned };
  lua_replace(L, idx);
}


/* ---- objects with __dlpack ---- */

/* Pushes the function of the object at idx; false, with nothing pushed, where it has none. */
static bool push_hook (lua_State *L, int idx) {
  if (luaL_getmetafield(L, idx, "__dlpack") != LUA_TNIL) return true;
  if (lua_type(L, idx) != LUA_TTABLE) return false;
  lua_pushliteral(L, "__dlpack");
  if (lua_rawget(L, idx) != LUA_TNIL) return true;
  lua_pop(L, 1);
  return false;
}

/* Pushes the options of the protocol: the version known here, and the handle of the stream on which
 * the memory will be used. */
static void push_request (lua_State *L, int opts) {
  lua_createtable(L, 0, 2);
  lua_createtable(L, 2, 0);
  lua_pushinteger(L, LCU_DL_MAJOR);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, LCU_DL_MINOR);
  lua_rawseti(L, -2, 2);
  lua_setfield(L, -2, "max_version");
  lcu_device *d = lcul_device_current(L);
  bool given = opts && lcul_opt_push(L, opts, "stream");
  lcu_stream *s = given ? lcul_stream_check(L, -1) : lcul_stream_current(L, d);
  lua_pushlightuserdata(L, s->handle);
  if (given) lua_remove(L, -2);
  lua_setfield(L, -2, "stream");
}

/* Replaces the object at 1 with what its __dlpack returns, as a capsule. */
static void ask_object (lua_State *L, int opts) {
  char got[96];
  if (!push_hook(L, 1))
    lcul_fail_arg(L, FN, 1, "tensor",
                  "expected a Capsule, a pointer and its name, or an object with __dlpack, got %s",
                  lcul_describe(L, 1, got, sizeof got));
  lua_pushvalue(L, 1);
  push_request(L, opts);
  lua_call(L, 2, 2);
  int result = lua_gettop(L) - 1;
  if (lua_islightuserdata(L, result)) own_pointer(L, result);
  if (lcul_test(L, result, LCUL_CAPSULE) == NULL)
    lcul_fail_arg(L, FN, 1, "tensor", "__dlpack returned %s, not a Capsule or a pointer",
                  lcul_describe(L, result, got, sizeof got));
  lua_pushvalue(L, result);
  lua_replace(L, 1);
  lua_settop(L, result - 1);
}


/* ---- the array ---- */

static void refuse (lua_State *L, lcu_status st) {
  if (st == LCU_E_ARGUMENT) lcul_fail_arg(L, FN, 1, "tensor", "%s", lcu_failure_get()->message);
  lcul_status(L, st);
}

static lcu_stream *stream_of (lua_State *L, int opts, lcu_device *d) {
  return opts ? lcul_opt_stream(L, opts, d) : lcul_stream_current(L, d);
}

/* from_dlpack(capsule | object | pointer, name [, { stream = }]) -> Array */
static int core_from_dlpack (lua_State *L) {
  static const char *const names[] = { "stream", NULL };
  lcu_view v;
  lcu_device *d;
  lcul_check_any(L, 1);
  lcul_not_recorded(L, FN); /* the producer would order work of its own with the stream */
  lcul_mail_settle(L, lcul_getstate(L));
  bool pointer = lua_islightuserdata(L, 1);
  lcul_check_most(L, pointer ? 3 : 2);
  if (pointer) own_pointer(L, 1);
  int opts = lcul_options(L, pointer ? 3 : 2, FN, names) ? (pointer ? 3 : 2) : 0;
  lua_settop(L, 3);
  if (lcul_test(L, 1, LCUL_CAPSULE) == NULL) ask_object(L, opts);
  refuse(L, lcu_dlpack_device(lcul_capsule_check(L, 1)->tensor, &d));
  lcu_stream *s = stream_of(L, opts, d);
  lcul_capsule *c = lcul_capsule_check(L, 1); /* metamethods of the options may have used it */
  refuse(L, lcu_dlpack_import(c->tensor, s, &v));
  c->tensor.p = NULL;
  lcul_array_push_view(L, &v);
  return 1;
}

void lcul_open_from_dlpack (lua_State *L) {
  static const luaL_Reg functions[] = { { "from_dlpack", core_from_dlpack }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
