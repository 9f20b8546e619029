/* lcul_list.c: lists from Lua: their length, and whether they are complete. */
#include "lcul_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_describe.h"
#include "lcul_dims.h"
#include "lcul_position.h"
#include "lcul_set.h"

bool lcul_is_plain (lua_State *L, int idx) {
  if (!lua_getmetatable(L, idx)) return true;
  lua_pop(L, 1);
  return false;
}

/* Is the table an object, such as a Generator: of a class with a name, and without items? */
static bool is_object (lua_State *L, int idx) {
  int top = lua_gettop(L);
  bool is = lua_rawlen(L, idx) == 0 && luaL_getmetafield(L, idx, "__name") == LUA_TSTRING &&
            luaL_getmetafield(L, idx, "__len") == LUA_TNIL;
  lua_settop(L, top);
  return is;
}

/* Is the key below the top `n`, as table.pack sets it? Then the value at the top is the number of
 * items. */
static bool packed_length (lua_State *L, lua_Integer *n) {
  if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "n") != 0 ||
      !lua_isinteger(L, -1))
    return false;
  if (lua_tointeger(L, -1) > *n) *n = lua_tointeger(L, -1);
  return true;
}

bool lcul_list_length (lua_State *L, int idx, lua_Integer *n) {
  lua_Integer count = 0;
  *n = 0;
  if (is_object(L, idx)) return false;
  if (!lcul_is_plain(L, idx)) {
    *n = luaL_len(L, idx);
    return *n >= 0;
  }
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    lua_Integer i = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    if (i < 1 && packed_length(L, n)) continue;
    if (i < 1) {
      lua_pop(L, 2);
      return false;
    }
    if (i > *n) *n = i;
    count++;
  }
  return count == *n;
}

/* The key at the top of the stack, as a program writes it. */
static const char *key_text (lua_State *L, char *buf, size_t size) {
  if (lua_type(L, -1) == LUA_TSTRING) snprintf(buf, size, "'%s'", lua_tostring(L, -1));
  else if (lua_isinteger(L, -1))
    snprintf(buf, size, "[%" PRId64 "]", (int64_t)lua_tointeger(L, -1));
  else snprintf(buf, size, "a %s", luaL_typename(L, -1));
  return buf;
}

static int fail_key (lua_State *L, const char *what, const char *maker) {
  char key[96];
  bool named = lua_type(L, -1) == LUA_TSTRING && maker != NULL;
  key_text(L, key, sizeof key);
  if (!named) return lcul_misuse(L, "%s: expected a list, got a table with %s as a key", what, key);
  return lcul_misuse(
    L, "%s: the list contains %s; options go in a separate table: %s(..., { %s = ... })", what, key,
    maker, lua_tostring(L, -1));
}

int lcul_list_fail (lua_State *L, int idx, const char *what, const char *maker) {
  char text[96];
  if (is_object(L, idx))
    return lcul_misuse(L, "%s: expected a list, got %s", what,
                       lcul_describe(L, idx, text, sizeof text));
  if (!lcul_is_plain(L, idx)) return lcul_misuse(L, "%s: the length of the list is negative", what);
  for (lua_pushnil(L); lua_next(L, idx);) {
    lua_Integer n = 0;
    bool other = !(lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1) && !packed_length(L, &n);
    lua_pop(L, 1);
    if (other) return fail_key(L, what, maker);
  }
  lua_Integer i = 1;
  for (; lua_rawgeti(L, idx, i) != LUA_TNIL; i++) lua_pop(L, 1);
  return lcul_misuse(L, "%s: [%" PRId64 "] of the list is missing (nil)", what, (int64_t)i);
}

void lcul_list_alone (lua_State *L, const char *fn, const char *param, const char *items) {
  int more = lua_gettop(L) - 2;
  if (more > 0 && (lua_type(L, 2) == LUA_TTABLE || lcul_dims_test(L, 2) != NULL))
    lcul_fail_arg(L, fn, 1, param, "a list holds all %s; %d argument%s it", items, more,
                  more == 1 ? " follows" : "s follow");
}

lua_Integer lcul_list_raw_length (lua_State *L, int idx) {
  const lcul_dims *d = lcul_dims_test(L, idx);
  if (d != NULL) return d->n;
  return lua_type(L, idx) == LUA_TTABLE ? (lua_Integer)lua_rawlen(L, idx) : 0;
}

int lcul_list_raw_item (lua_State *L, int idx, lua_Integer i) {
  const lcul_dims *d = lcul_dims_test(L, idx);
  if (d == NULL && lua_type(L, idx) == LUA_TTABLE) return lua_rawgeti(L, idx, i);
  if (d != NULL && i >= 1 && i <= d->n) lua_pushinteger(L, d->value[i - 1]);
  else lua_pushnil(L);
  return lua_type(L, -1);
}

/* core.list_check(table, what [, maker]) -> its length; raises "<what>: ..." for holes and other
 * keys. */
static int core_list_check (lua_State *L) {
  lua_Integer n;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 3);
  if (!lcul_list_length(L, 1, &n))
    return lcul_list_fail(L, 1, luaL_checkstring(L, 2), luaL_optstring(L, 3, NULL));
  lua_pushinteger(L, n);
  return 1;
}

void lcul_open_list (lua_State *L) {
  static const luaL_Reg functions[] = { { "list_check", core_list_check }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
