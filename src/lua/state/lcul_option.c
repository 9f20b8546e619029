/* lcul_option.c: option tables. */
#include "lcul_option.h"

#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_describe.h"
#include "lcul_near.h"
#include "lcul_position.h"

static int unknown_option (lua_State *L, const char *what, const char *key,
                           const char *const names[]) {
  char text[LCUL_HINT_SIZE];
  size_t n = 0;
  while (names[n] != NULL) n++;
  lcul_hint(L, "options", key, names, n, n == 0 ? "there are no options" : "options are", text,
            sizeof text);
  return lcul_misuse(L, "%s: unknown option '%s'%s", what, key, text);
}

static bool listed (const char *key, size_t len, const char *const names[]) {
  for (size_t i = 0; names[i] != NULL; i++)
    if (strlen(names[i]) == len && memcmp(names[i], key, len) == 0) return true;
  return false;
}

bool lcul_options (lua_State *L, int idx, const char *what, const char *const names[]) {
  char got[96];
  if (lua_isnoneornil(L, idx)) return false;
  if (lua_type(L, idx) != LUA_TTABLE)
    lcul_misuse(L, "%s: expected a table of options%s%s%s, got %s", what,
                names[0] != NULL ? " such as { " : "", names[0] != NULL ? names[0] : "",
                names[0] != NULL ? " = ... }" : "", lcul_describe(L, idx, got, sizeof got));
  idx = lua_absindex(L, idx);
  lua_pushnil(L);
  while (lua_next(L, idx) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      lcul_misuse(L, "%s: option names are strings, got a %s", what, luaL_typename(L, -1));
    if (!listed(lua_tostring(L, -1), lua_rawlen(L, -1), names))
      unknown_option(L, what, lua_tostring(L, -1), names);
  }
  return true;
}

/* Pushes the option; false, with nothing pushed, when it is not given. */
bool lcul_opt_push (lua_State *L, int idx, const char *name) {
  if (lua_type(L, idx) != LUA_TTABLE) return false;
  if (lua_getfield(L, idx, name) != LUA_TNIL) return true;
  lua_pop(L, 1);
  return false;
}

int lcul_wrong_option (lua_State *L, const char *name, const char *expected) {
  char got[96];
  lcul_describe(L, -1, got, sizeof got);
  return lcul_misuse(L, "%s: option '%s': expected %s, got %s", lcul_callee(L), name, expected,
                     got);
}

bool lcul_opt_bool (lua_State *L, int idx, const char *name, bool def) {
  if (!lcul_opt_push(L, idx, name)) return def;
  if (!lua_isboolean(L, -1)) lcul_wrong_option(L, name, "a boolean");
  bool v = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return v;
}

static void outside (lua_State *L, const char *name, lua_Integer v, lua_Integer lo,
                     lua_Integer hi) {
  const char *fn = lcul_callee(L);
  if (hi < INT64_MAX / 4)
    lcul_misuse(L, "%s: option '%s': %lld is outside %lld to %lld", fn, name, (long long)v,
                (long long)lo, (long long)hi);
  lcul_misuse(L, "%s: option '%s': expected %s%lld%s, got %lld", fn, name, v < lo ? "" : "at most ",
              (long long)(v < lo ? lo : hi), v < lo ? " or more" : "", (long long)v);
}

lua_Integer lcul_opt_integer (lua_State *L, int idx, const char *name, lua_Integer def,
                              lua_Integer lo, lua_Integer hi) {
  if (!lcul_opt_push(L, idx, name)) return def;
  lua_Integer v = 0;
  bool ok = lcul_to_integer(L, -1, &v);
  if (!ok) lcul_wrong_option(L, name, "an integer");
  if (v < lo || v > hi) outside(L, name, v, lo, hi);
  lua_pop(L, 1);
  return v;
}

const char *lcul_opt_string (lua_State *L, int idx, const char *name, const char *def) {
  if (!lcul_opt_push(L, idx, name)) return def;
  if (lua_type(L, -1) != LUA_TSTRING) lcul_wrong_option(L, name, "a string");
  const char *v = lcul_whole_string(L, -1);
  lua_pop(L, 1);
  return v;
}
