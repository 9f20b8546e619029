/* lcul_error_class.c: class luacuda.Error: errors as Lua sees them. */
#include <string.h>

#include "lcul_check.h"
#include "lcul_error.h"
#include "lcul_failure.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_state.h"

/* Fields of a table may be of any type, and tostring must not raise. */
static void push_text (lua_State *L, int idx, const char *field) {
  if (lua_getfield(L, idx, field) == LUA_TSTRING) return;
  lua_pop(L, 1);
  lua_pushliteral(L, "");
}

static int error_tostring (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  push_text(L, 1, "where");
  push_text(L, 1, "message");
  lua_concat(L, 2);
  return 1;
}

static int error_concat (lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  luaL_tolstring(L, 2, NULL);
  lua_concat(L, 2);
  return 1;
}

static bool is_error (lua_State *L, int idx) {
  if (lua_type(L, idx) != LUA_TTABLE || !lua_getmetatable(L, idx)) return false;
  luaL_getmetatable(L, LCUL_ERROR);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

/* Pushes the object of the error at idx, as it was raised; pushes nothing for any other value. */
static bool push_object (lua_State *L, int idx) {
  if (lua_type(L, idx) == LUA_TSTRING) return lcul_push_remembered(L, idx);
  if (!is_error(L, idx)) return false;
  lua_pushvalue(L, idx);
  return true;
}

static const char *const kinds[] = { "compile",       "memory",  "launch", "logic",
                                     "communication", "runtime", NULL };

static void check_kind (lua_State *L, int arg) {
  const char *kind = lcul_check_string(L, arg);
  for (size_t i = 0; kinds[i] != NULL; i++)
    if (strcmp(kinds[i], kind) == 0) return;
  lcul_misuse(L, "is_error: unknown kind '%s'; kinds are compile, memory, launch, logic, runtime",
              kind);
}

/* is_error(value [, kind]) -> boolean */
static int core_is_error (lua_State *L) {
  lcul_check_most(L, 2);
  lua_settop(L, 2);
  if (!lua_isnil(L, 2)) check_kind(L, 2);
  bool ok = push_object(L, 1);
  if (ok && !lua_isnil(L, 2)) {
    push_text(L, 3, "kind");
    ok = lua_rawequal(L, 2, 4);
  }
  lua_pushboolean(L, ok);
  return 1;
}

/* last_error([error]) -> the object of that error, or of the latest one; nil when there is none */
static int core_last_error (lua_State *L) {
  lcul_check_most(L, 1);
  bool any = lua_isnone(L, 1);
  lua_settop(L, 1);
  if (any) lcul_push_latest(L);
  else if (!push_object(L, 1)) lua_pushnil(L);
  return 1;
}

/* _string_errors(on) -> the previous setting: are errors raised as their text? */
static int core_string_errors (lua_State *L) {
  lcul_state *st = lcul_getstate(L);
  luaL_checktype(L, 1, LUA_TBOOLEAN);
  lua_pushboolean(L, st->string_errors);
  st->string_errors = lua_toboolean(L, 1);
  return 1;
}

/* error(fields) -> the error with those fields, to be raised: that table, or its text. `kind`
 * defaults to "runtime". */
static int core_error (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  if (lua_getfield(L, 1, "kind") == LUA_TNIL) {
    lua_pushliteral(L, "runtime");
    lua_setfield(L, 1, "kind");
  }
  lua_settop(L, 1);
  lcul_error_finish(L);
  lcul_error_present(L);
  return 1;
}

static const luaL_Reg metamethods[] = { { "__tostring", error_tostring },
                                        { "__concat", error_concat },
                                        { NULL, NULL } };

static const luaL_Reg error_functions[] = { { "error", core_error },
                                            { "is_error", core_is_error },
                                            { "last_error", core_last_error },
                                            { "_string_errors", core_string_errors },
                                            { NULL, NULL } };

void lcul_open_error (lua_State *L) {
  luaL_newmetatable(L, LCUL_ERROR);
  lcul_setfuncs(L, metamethods);
  lua_pop(L, 1);
  lcul_setfuncs(L, error_functions);
}
