/* lcul_fuse.c: class Fused: functions that fuse.lua traces. A call finds the kernel for the kinds
 * of its arguments; hooks make it when there is none.
 *
 * A call first checks that the upvalues of the function and of functions among them, and the
 * globals and fields that they read, are those that the plan was made for. */
#include <stdio.h>
#include <string.h>

#include "lcul_array.h"
#include "lcul_builder.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_elementwise.h"
#include "lcul_guards.h"
#include "lcul_library.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"

enum { MOST_WATCHED = 200, FIELD = 0 };

/* User values: the table of fuse.lua; the function; what is watched, by number: functions that have
 * upvalues or tables that have fields, the keys of the fields, the values; plans by kinds; the
 * target of the latest plan. */
enum {
  UV_STATE = LCUL_BUILDER_STATE,
  UV_FUNCTION,
  UV_OWNERS,
  UV_KEYS,
  UV_VALUES,
  UV_PLANS,
  UV_TARGET,
  UVS = UV_TARGET
};

typedef struct fused {
  int watched;                   /* upvalues and fields; -1: the function was never read */
  int num;                       /* arguments of the latest plan; -1: there is none */
  bool straight;                 /* it runs an Elementwise on the arguments as they are */
  uint8_t upvalue[MOST_WATCHED]; /* its number in the owner; FIELD: the owner is a table */
  lcul_kindword kinds[LCUL_MOST_PARAMS];
  char name[64];
} fused;

typedef struct fused_args {
  int num; /* without options */
  bool options, arrays;
  lcul_kindword kinds[LCUL_MOST_PARAMS];
} fused_args;


/* ---- upvalues ---- */

static bool is_same_value (lua_State *L, int a, int b) {
  if (lua_type(L, a) == LUA_TNUMBER && lua_type(L, b) == LUA_TNUMBER)
    return lcul_guards_same_number(L, a, b);
  return lua_rawequal(L, a, b);
}

/* Has the table at `table` exactly the fields of the table at `copy`? */
static bool same_fields (lua_State *L, int table, int copy) {
  int top = lua_gettop(L), count = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_settop(L, top + 1), count++) {
    lua_pushvalue(L, top + 1);
    lua_rawget(L, copy);
    if (!is_same_value(L, top + 2, top + 3)) {
      lua_settop(L, top);
      return false;
    }
  }
  for (lua_pushnil(L); lua_next(L, copy) != 0; lua_pop(L, 1)) count--;
  return count == 0;
}

/* The field of the table on top of the stack, whose key and value `keys` and `values` have as
 * number k. A table that is its own key stands for all its fields. */
static bool same_field (lua_State *L, int keys, int values, int k) {
  int table = lua_gettop(L);
  lua_rawgeti(L, keys, k);
  lua_rawgeti(L, values, k);
  if (lua_rawequal(L, table, table + 1)) return same_fields(L, table, table + 2);
  lua_pushvalue(L, table + 1);
  lua_gettable(L, table);
  return is_same_value(L, table + 2, table + 3);
}

static bool same_upvalue (lua_State *L, int values, int k, int upvalue) {
  int function = lua_gettop(L);
  lua_getupvalue(L, function, upvalue);
  lua_rawgeti(L, values, k);
  return is_same_value(L, function + 1, function + 2);
}

static bool unchanged (lua_State *L, const fused *f) {
  if (f->watched <= 0) return f->watched == 0;
  int top = lua_gettop(L);
  bool same = true;
  lua_getiuservalue(L, 1, UV_OWNERS);
  lua_getiuservalue(L, 1, UV_KEYS);
  lua_getiuservalue(L, 1, UV_VALUES);
  for (int k = 0; k < f->watched && same; k++) {
    lua_rawgeti(L, top + 1, k + 1);
    same = f->upvalue[k] == FIELD ? same_field(L, top + 2, top + 3, k + 1)
                                  : same_upvalue(L, top + 3, k + 1, f->upvalue[k]);
    lua_settop(L, top + 3);
  }
  lua_settop(L, top);
  return same;
}

/* Calls hooks.family(state, function) -> owners, numbers, keys, values, plans. */
static void look_again (lua_State *L, fused *f) {
  int top = lua_gettop(L);
  lcul_push_hook(L, "fuse", "family");
  lua_getiuservalue(L, 1, UV_STATE);
  lua_getiuservalue(L, 1, UV_FUNCTION);
  lua_call(L, 2, 5);
  int count = (int)lua_rawlen(L, top + 2);
  if (count > MOST_WATCHED)
    lcul_misuse(L, "%s: the function and those it calls have more than %d upvalues and globals",
                f->name, MOST_WATCHED);
  f->watched = f->num = -1;
  for (int k = 0; k < count; k++) {
    lua_rawgeti(L, top + 2, k + 1);
    f->upvalue[k] = (uint8_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_setiuservalue(L, 1, UV_PLANS);
  lua_setiuservalue(L, 1, UV_VALUES);
  lua_setiuservalue(L, 1, UV_KEYS);
  lua_pop(L, 1);
  lua_setiuservalue(L, 1, UV_OWNERS);
  f->watched = count;
}


/* ---- arguments ---- */

/* Is the value at idx a traced one, which stands for an array? */
static bool is_traced (lua_State *L, int idx) {
  if (!lua_istable(L, idx) || luaL_getmetafield(L, idx, LCUL_TRACED) == LUA_TNIL) return false;
  lua_pop(L, 1);
  return true;
}

static lcul_kindword fused_array_kind (lua_State *L, const fused *f, int arg, const lcul_array *a) {
  if (a->block == NULL)
    lcul_misuse(L, "%s: argument %d: attempt to use a closed Array", f->name, arg);
  if (a->dtype->kind == LCU_KIND_STRUCT)
    lcul_misuse(L, "%s: argument %d: arrays of structs cannot be fused", f->name, arg);
  return lcul_kind_word(LCUL_KIND_ARRAY, a->dtype);
}

/* 0 for a value that is not an argument. The value of a boolean matters: the function may test it,
 * and a traced value would always be true. */
static lcul_kindword kind_of (lua_State *L, const fused *f, int arg) {
  int idx = arg + 1;
  const lcul_array *a = lcul_test(L, idx, LCUL_ARRAY);
  if (lcu_likely(a != NULL)) return fused_array_kind(L, f, arg, a);
  if (lua_isboolean(L, idx))
    return lcul_kind_word(lua_toboolean(L, idx) ? LCUL_KIND_TRUE : LCUL_KIND_FALSE, NULL);
  return lcul_kind_scalar(L, idx);
}

static int wrong_fused_value (lua_State *L, const fused *f, int arg) {
  char got[LCUL_EW_TEXT];
  lcul_describe(L, arg + 1, got, sizeof got);
  return lcul_misuse(L, "%s: argument %d: expected an array or a number, got %s", f->name, arg,
                     got);
}

/* False: a traced value is among the arguments. */
static bool read_args (lua_State *L, const fused *f, fused_args *args) {
  int nargs = lua_gettop(L) - 1, wrong = 0;
  lcul_ew_replace_foreign(L, 2, nargs);
  args->options = nargs > 0 && lua_istable(L, nargs + 1) && !is_traced(L, nargs + 1);
  args->num = nargs - args->options;
  args->arrays = false;
  if (args->num > LCUL_MOST_PARAMS)
    lcul_misuse(L, "%s: more than %d arguments", f->name, LCUL_MOST_PARAMS);
  for (int i = 0; i < args->num; i++) {
    args->kinds[i] = kind_of(L, f, i + 1);
    if (lcu_unlikely(args->kinds[i] == 0)) {
      if (is_traced(L, i + 2)) return false;
      if (wrong == 0) wrong = i + 1;
    }
    if (lcul_kind_of(args->kinds[i]) == LCUL_KIND_ARRAY) args->arrays = true;
  }
  if (lcu_unlikely(wrong != 0)) wrong_fused_value(L, f, wrong);
  return true;
}


/* ---- plans ---- */

/* Calls hooks.plan(state, function, kinds, plans) -> { target = Elementwise, or run = function
 * }. */
static void ask_plan (lua_State *L, const fused_args *args) {
  lcul_push_hook(L, "fuse", "plan");
  lua_getiuservalue(L, 1, UV_STATE);
  lua_getiuservalue(L, 1, UV_FUNCTION);
  lua_createtable(L, args->num, 0);
  for (int i = 0; i < args->num; i++) {
    lcul_kind_push(L, args->kinds[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_getiuservalue(L, 1, UV_PLANS);
  lua_call(L, 4, 1);
  luaL_checktype(L, -1, LUA_TTABLE);
}

/* Pushes the plan for these kinds. */
static void push_plan (lua_State *L, fused *f, const fused_args *args) {
  size_t bytes = (size_t)args->num * sizeof args->kinds[0];
  if (!unchanged(L, f)) look_again(L, f);
  int top = lua_gettop(L);
  lua_getiuservalue(L, 1, UV_PLANS);
  lua_pushlstring(L, (const char *)args->kinds, bytes);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, top + 1) == LUA_TNIL) {
    ask_plan(L, args);
    lua_replace(L, top + 3);
    lua_pushvalue(L, top + 2);
    lua_pushvalue(L, top + 3);
    lua_rawset(L, top + 1);
  }
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}

/* Makes the plan for these kinds the latest. */
static void find_plan (lua_State *L, fused *f, const fused_args *args) {
  push_plan(L, f, args);
  f->num = -1;
  f->straight = lua_getfield(L, -1, "target") != LUA_TNIL;
  if (!f->straight) {
    lua_pop(L, 1);
    lua_getfield(L, -1, "run");
  }
  lua_setiuservalue(L, 1, UV_TARGET);
  lua_pop(L, 1);
  memcpy(f->kinds, args->kinds, (size_t)args->num * sizeof args->kinds[0]);
  f->num = args->num;
}


/* ---- the call ---- */

static int finish (lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  return lua_gettop(L);
}

/* Calls the user value with the arguments, as a tail call would. */
static int run_value (lua_State *L, int uv) {
  lua_getiuservalue(L, 1, uv);
  lua_replace(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, finish);
  return finish(L, LUA_OK, 0);
}

/* Calls the function itself, for numbers alone and inside another trace. */
static int run_plain (lua_State *L, const fused *f, const fused_args *args) {
  if (args->options) lcul_misuse(L, "%s: options were given, but no argument is an array", f->name);
  return run_value(L, UV_FUNCTION);
}

/* Checked before tracing, which could fail on wrong options; and the kernel it runs takes more
 * options. */
static void check_options (lua_State *L, const fused *f, const fused_args *args) {
  static const char *const names[] = { "out", "stream", NULL };
  (void)lcul_options(L, args->num + 2, f->name, names);
}

static int fused_call (lua_State *L) {
  fused *f = lcul_check(L, 1, LCUL_FUSED);
  fused_args args;
  luaL_checkstack(L, LCUL_MOST_PARAMS + 16, f->name);
  if (lcu_unlikely(!read_args(L, f, &args) || !args.arrays)) return run_plain(L, f, &args);
  if (args.options) check_options(L, f, &args);
  if (lcu_unlikely(args.num != f->num ||
                   memcmp(args.kinds, f->kinds, (size_t)args.num * sizeof args.kinds[0]) != 0 ||
                   !unchanged(L, f)))
    find_plan(L, f, &args);
  if (!f->straight) return run_value(L, UV_TARGET);
  lua_getiuservalue(L, 1, UV_TARGET);
  lua_replace(L, 1);
  return lcul_ew_call(L, lcul_toobject(L, 1), 1, 2, lua_gettop(L) - 1);
}


/* ---- registration ---- */

/* core.fused_new(state, function) -> Fused; state.name is its name. */
static int core_fused_new (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  fused *f = lcul_newobject(L, LCUL_FUSED, sizeof *f, UVS);
  f->watched = f->num = -1;
  lua_getfield(L, 1, "name");
  snprintf(f->name, sizeof f->name, "%s", luaL_checkstring(L, -1));
  lua_pop(L, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, UV_STATE);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, UV_FUNCTION);
  return 1;
}

/* core.fused_plan(fused, ...) -> the plan for these arguments */
static int core_fused_plan (lua_State *L) {
  fused *f = lcul_check(L, 1, LCUL_FUSED);
  fused_args args;
  luaL_checkstack(L, LCUL_MOST_PARAMS + 16, f->name);
  if (!read_args(L, f, &args) || !args.arrays)
    lcul_misuse(L, "%s: no argument is an array", f->name);
  push_plan(L, f, &args);
  return 1;
}

/* core.fused_plans(fused) -> kinds -> plan, of the function as it is now */
static int core_fused_plans (lua_State *L) {
  fused *f = lcul_check(L, 1, LCUL_FUSED);
  if (!unchanged(L, f)) look_again(L, f);
  lua_getiuservalue(L, 1, UV_PLANS);
  return 1;
}

/* core.fused_function(fused) -> the function */
static int core_fused_function (lua_State *L) {
  lcul_check(L, 1, LCUL_FUSED);
  lua_getiuservalue(L, 1, UV_FUNCTION);
  return 1;
}

void lcul_open_fuse (lua_State *L) {
  static const luaL_Reg functions[] = { { "fused_new", core_fused_new },
                                        { "fused_function", core_fused_function },
                                        { "fused_plan", core_fused_plan },
                                        { "fused_plans", core_fused_plans },
                                        { NULL, NULL } };
  lcul_builder_class(L, LCUL_FUSED, fused_call);
  lcul_setfuncs(L, functions);
}
