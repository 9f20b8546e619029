/* lcul_set.c: functions with the state record, and fields of tables. */
#include "lcul_set.h"

#include "lcul_state.h"

void lcul_set_weak (lua_State *L, const char *mode) {
  lua_createtable(L, 0, 1);
  lua_pushstring(L, mode);
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

void lcul_set_tostring (lua_State *L, lua_CFunction f) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, f);
  lua_setfield(L, -2, "__tostring");
  lua_setmetatable(L, -2);
}

void lcul_push_state (lua_State *L) { lua_getfield(L, LUA_REGISTRYINDEX, LCUL_STATE); }

static void push_closure (lua_State *L, lua_CFunction f) {
  lcul_push_state(L);
  lua_pushcclosure(L, f, 1);
}

void lcul_setfuncs (lua_State *L, const luaL_Reg *funcs) {
  luaL_checkstack(L, 3, NULL);
  for (; funcs != NULL && funcs->name != NULL; funcs++) {
    if (funcs->func != NULL) push_closure(L, funcs->func);
    else lua_pushboolean(L, 0);
    lua_setfield(L, -2, funcs->name);
  }
}

void lcul_set_string (lua_State *L, const char *name, const char *value) {
  if (value == NULL) return;
  lua_pushstring(L, value);
  lua_setfield(L, -2, name);
}

void lcul_set_integer (lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

void lcul_set_boolean (lua_State *L, const char *name, bool value) {
  lua_pushboolean(L, value);
  lua_setfield(L, -2, name);
}

int lcul_next (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  if (lua_next(L, 1)) return 2;
  lua_pushnil(L);
  return 1;
}

void lcul_push_triple (lua_State *L, const uint32_t v[3]) {
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, v[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

void lcul_set_triple (lua_State *L, const char *name, const uint32_t v[3]) {
  lcul_push_triple(L, v);
  lua_setfield(L, -2, name);
}
