/* lcul_type.c: core.class and core.type: classes as Lua sees them. */
#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_near.h"
#include "lcul_set.h"
#include "lcul_state.h"

/* Pushes the table of tables of the class that argument 1 names. */
static int push_class (lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LCUL_CLASSES);
  if (lua_getfield(L, -1, luaL_checkstring(L, 1)) != LUA_TTABLE)
    return luaL_error(L, "no class '%s'", lua_tostring(L, 1));
  return lua_gettop(L);
}

/* core.class(name) -> methods, getters, metatable, setters, to which Lua files add functions */
static int core_class (lua_State *L) {
  int t = push_class(L);
  lua_rawgeti(L, t, LCUL_METHODS);
  lcul_add_methods_of(L, lua_tostring(L, 1));
  lua_settop(L, t);
  for (int i = 1; i <= 4; i++) lua_rawgeti(L, t, i);
  return 4;
}

/* core.getters(name) -> getters, without the methods that can wait (lcul_later.h) */
static int core_getters (lua_State *L) {
  lua_rawgeti(L, push_class(L), LCUL_GETTERS);
  return 1;
}

/* Is the object at 1 closed? */
static bool is_closed (lua_State *L, const lcul_classdef *def) {
  if (def->boxed) return *(void **)lcul_toobject(L, 1) == NULL;
  if (luaL_getmetafield(L, 1, "__closed") == LUA_TNIL) return false;
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return lua_toboolean(L, -1);
}

static const lcul_classdef *class_of (const lcul_state *st, const void *meta) {
  for (int id = 0; id < LCUL_CLASS_COUNT; id++)
    if (st->classes[id].metatable == meta) return &st->classes[id].def;
  return NULL;
}

static void push_lower (lua_State *L, const char *prefix, const char *name) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, prefix);
  for (; *name != '\0'; name++) luaL_addchar(&b, lcul_lower(*name));
  luaL_pushresult(&b);
}

/* Classes made in Lua (pools, templates, errors) are recognized by their __name. */
static int push_table_type (lua_State *L) {
  static const char prefix[] = "luacuda.";
  const char *name = luaL_getmetafield(L, 1, "__name") == LUA_TSTRING ? lua_tostring(L, -1) : "";
  if (strncmp(name, prefix, sizeof prefix - 1) == 0) push_lower(L, "", name + sizeof prefix - 1);
  else lua_pushnil(L);
  return 1;
}

/* core.type(v) -> "array", "device", ...; "closed array" for a closed one; nil for values that are
 * not of this library (like io.type) */
static int core_type (lua_State *L) {
  const lcul_classdef *def = NULL;
  lcul_check_any(L, 1);
  lua_settop(L, 1);
  if (lua_type(L, 1) == LUA_TTABLE) return push_table_type(L);
  if (lua_type(L, 1) != LUA_TUSERDATA || !lua_getmetatable(L, 1) ||
      (def = class_of(lcul_getstate(L), lua_topointer(L, -1))) == NULL) {
    lua_pushnil(L);
    return 1;
  }
  push_lower(L, is_closed(L, def) ? "closed " : "", lcul_class_name(def->id));
  return 1;
}

void lcul_open_type (lua_State *L) {
  static const luaL_Reg functions[] = {
    { "class", core_class }, { "getters", core_getters }, { "type", core_type }, { NULL, NULL }
  };
  lcul_setfuncs(L, functions);
}
