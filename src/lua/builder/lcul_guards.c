/* lcul_guards.c: are upvalues, globals and fields what a kernel was made for? */
#include "lcul_guards.h"

#include <string.h>

bool lcul_guards_same_number (lua_State *L, int a, int b) {
  if (lua_isinteger(L, a) != lua_isinteger(L, b)) return false;
  if (lua_isinteger(L, a)) return lua_tointeger(L, a) == lua_tointeger(L, b);
  double x = lua_tonumber(L, a), y = lua_tonumber(L, b);
  return memcmp(&x, &y, sizeof x) == 0;
}

static bool is_equal_value (lua_State *L, int a, int b) {
  if (lua_type(L, a) == LUA_TNUMBER && lua_type(L, b) == LUA_TNUMBER)
    return lcul_guards_same_number(L, a, b);
  return lua_compare(L, a, b, LUA_OPEQ);
}

/* Pushes a value for the owner and the key at the top of the stack, which it removes. */
static void read_value (lua_State *L) {
  int owner = lua_gettop(L) - 1;
  if (lua_type(L, owner) != LUA_TFUNCTION) lua_gettable(L, owner);
  else if (lua_isinteger(L, -1)) {
    const char *name = lua_getupvalue(L, owner, (int)lua_tointeger(L, -1));
    if (name == NULL) lua_pushnil(L);
    lua_replace(L, owner + 1);
  } else {
    lua_pop(L, 1);
    lua_pushvalue(L, owner);
    lua_call(L, 0, 1);
  }
  lua_replace(L, owner);
}

void lcul_guards_read (lua_State *L, int idx, int k) {
  lua_rawgeti(L, idx, 3 * (lua_Integer)k + 1);
  lua_rawgeti(L, idx, 3 * (lua_Integer)k + 2);
  read_value(L);
}

/* Has the table at -2 the items of the list at -1, numbers or tables, and no more? */
static bool same_items (lua_State *L) {
  int from = lua_gettop(L) - 1;
  lua_Integer n = (lua_Integer)lua_rawlen(L, from + 1);
  bool same = true;
  for (lua_Integer i = 1; i <= n && same; i++) {
    int type = lua_geti(L, from, i);
    same = lua_rawgeti(L, from + 1, i) == type;
    if (same)
      same = type == LUA_TNUMBER ? lcul_guards_same_number(L, from + 2, from + 3)
                                 : lua_rawequal(L, from + 2, from + 3) != 0;
    lua_pop(L, 2);
  }
  if (!same) return false;
  same = lua_geti(L, from, n + 1) == LUA_TNIL;
  lua_pop(L, 1);
  return same;
}

/* The guard at the top of the stack: owner, key, value. */
static bool guard_holds (lua_State *L) {
  int top = lua_gettop(L);
  if (lua_istable(L, top - 2) && lua_isboolean(L, top - 1)) {
    lua_remove(L, top - 1);
    return same_items(L);
  }
  lua_insert(L, top - 2);
  read_value(L);
  return is_equal_value(L, -1, -2);
}

bool lcul_guards_hold (lua_State *L, int idx, int n) {
  int top = lua_gettop(L);
  for (int k = 0; k < n; k++) {
    for (int i = 1; i <= 3; i++) lua_rawgeti(L, idx, 3 * (lua_Integer)k + i);
    bool same = guard_holds(L);
    lua_settop(L, top);
    if (!same) return false;
  }
  return true;
}
