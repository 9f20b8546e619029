/* lcul_check.c: the name of the function that was called, and messages about wrong arguments. */
#include "lcul_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_position.h"
#include "lcul_state.h"


/* ---- the name of a function ---- */

/* Pops a table; does it hold the value at fn under a public name? The name lives as long as the
 * table. */
static const char *name_in (lua_State *L, int fn) {
  const char *name = NULL;
  if (lua_istable(L, -1)) {
    for (lua_pushnil(L); name == NULL && lua_next(L, -2) != 0; lua_pop(L, 1))
      if (lua_type(L, -2) == LUA_TSTRING && lua_rawequal(L, -1, fn) &&
          lua_tostring(L, -2)[0] != '_')
        name = lua_tostring(L, -2);
    if (name != NULL) lua_pop(L, 1); /* the key */
  }
  lua_pop(L, 1);
  return name;
}

static const char *method_name (lua_State *L, int fn) {
  const char *name = NULL;
  lua_getfield(L, LUA_REGISTRYINDEX, LCUL_CLASSES);
  for (lua_pushnil(L); name == NULL && lua_next(L, -2) != 0; lua_pop(L, 1)) {
    lua_rawgeti(L, -1, 1);
    name = name_in(L, fn);
  }
  lua_pop(L, name != NULL ? 2 : 1);
  return name;
}

/* The library function that user code called, directly or through pcall: an outer frame of the
 * library, else the running one. */
static void outermost (lua_State *L, lua_Debug *out, bool *wrapped) {
  lua_Debug ar;
  *wrapped = false;
  lua_getstack(L, 0, out);
  for (int level = 1; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline <= 0) continue;
    if (!lcul_is_own(lcul_getstate(L), &ar)) return;
    *out = ar;
    *wrapped = true;
  }
}

typedef struct callee {
  const char *name;
  bool method, wrapped;
} callee;

static callee find_callee (lua_State *L) {
  callee c = { 0 };
  lua_Debug ar;
  luaL_checkstack(L, 8, NULL);
  outermost(L, &ar, &c.wrapped);
  lua_getinfo(L, "nf", &ar);
  int fn = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, LCUL_CORE);
  c.name = name_in(L, fn);
  if (c.name == NULL) {
    c.name = method_name(L, fn);
    c.method = c.name != NULL;
  }
  if (c.name == NULL) c.name = ar.name != NULL ? ar.name : "?";
  lua_settop(L, fn - 1);
  return c;
}

const char *lcul_callee (lua_State *L) { return find_callee(L).name; }


/* ---- wrong arguments ---- */

int lcul_wrong_type (lua_State *L, int arg, const char *expected) {
  char got[96];
  callee c = find_callee(L);
  lcul_describe(L, arg, got, sizeof got);
  if (c.method && arg == 1)
    return lcul_misuse(L, "%s: expected %s before the ':', got %s", c.name, expected, got);
  if (c.wrapped || arg < 1) return lcul_misuse(L, "%s: expected %s, got %s", c.name, expected, got);
  return lcul_misuse(L, "%s: argument %d: expected %s, got %s", c.name, arg - (c.method ? 1 : 0),
                     expected, got);
}

const char *lcul_whole_string (lua_State *L, int idx) {
  /* the table does not hold the text of a number, which could be collected */
  if (lcu_unlikely(lua_type(L, idx) != LUA_TSTRING))
    lcul_misuse(L, "%s: expected a string, got %s", lcul_callee(L), luaL_typename(L, idx));
  const char *s = lua_tostring(L, idx);
  if (lcu_unlikely(strlen(s) != lua_rawlen(L, idx)))
    lcul_misuse(L, "%s: a string for a name holds a zero byte after '%s'", lcul_callee(L), s);
  return s;
}

const char **lcul_string_list (lua_State *L, int idx, size_t *n,
                               const char *(*check)(lua_State *L, int idx)) {
  luaL_checktype(L, idx, LUA_TTABLE);
  idx = lua_absindex(L, idx);
  *n = (size_t)lua_rawlen(L, idx);
  const char **list = lua_newuserdatauv(L, (*n + 1) * sizeof *list, 0);
  for (size_t i = 0; i < *n; i++) {
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    list[i] = check(L, -1);
    lua_pop(L, 1);
  }
  list[*n] = NULL;
  return list;
}

const char *lcul_check_string (lua_State *L, int arg) {
  if (lcu_unlikely(lua_type(L, arg) != LUA_TSTRING)) lcul_wrong_type(L, arg, "a string");
  return lcul_whole_string(L, arg);
}

void lcul_check_table (lua_State *L, int arg) {
  if (lcu_unlikely(lua_type(L, arg) != LUA_TTABLE)) lcul_wrong_type(L, arg, "a table of options");
}

void lcul_check_most (lua_State *L, int n) {
  if (lcu_unlikely(lua_gettop(L) > n)) lcul_misuse(L, "%s: too many arguments", lcul_callee(L));
}

void lcul_check_any (lua_State *L, int arg) {
  if (lcu_unlikely(lua_isnone(L, arg))) lcul_wrong_type(L, arg, "a value");
}

int lcul_fail_arg (lua_State *L, const char *fn, int arg, const char *param, const char *fmt, ...) {
  char words[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(words, sizeof words, fmt, args);
  va_end(args);
  return lcul_misuse(L, "%s: argument %d '%s': %s", fn, arg, param, words);
}

void *lcul_check (lua_State *L, int idx, lcul_class id) {
  void *p = lcul_test(L, idx, id);
  if (lcu_likely(p != NULL)) return p;
  lcul_wrong_type(L, idx, lcul_class_name(id));
  return NULL;
}
