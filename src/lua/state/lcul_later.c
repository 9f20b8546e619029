/* lcul_later.c: core.methods: methods of classes that are added when they may first be needed.
 * Adding those of arrays takes as long as the rest of loading the library. */
#include "lcul_class.h"

#include <string.h>

#include "lcul_set.h"
#include "lcul_state.h"

#define LATER "luacuda.methods" /* registry: class name -> function that adds methods */

static lcul_class_entry *entry_of (lua_State *L, const char *name) {
  lcul_state *st = lcul_getstate(L);
  for (int id = 0; id < LCUL_CLASS_COUNT; id++)
    if (strcmp(lcul_class_name((lcul_class)id), name) == 0) return &st->classes[id];
  return NULL;
}

/* The flag is cleared last: a function that runs out of memory is called again. */
bool lcul_add_methods (lua_State *L, lcul_class_entry *entry, int methods) {
  if (lcu_likely(!entry->later)) return false;
  luaL_checkstack(L, 4, NULL);
  methods = lua_absindex(L, methods);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LATER);
  lua_getfield(L, -1, lcul_class_name(entry->def.id));
  lua_pushvalue(L, methods);
  lua_call(L, 1, 0);
  lua_pushnil(L);
  lua_setfield(L, -2, lcul_class_name(entry->def.id));
  lua_pop(L, 1);
  entry->later = false;
  return true;
}

void lcul_add_methods_of (lua_State *L, const char *name) {
  lcul_class_entry *entry = entry_of(L, name);
  if (entry != NULL) lcul_add_methods(L, entry, -1);
}

/* core.methods(class, add): add(methods) is called before a method may be needed that is not there
 * yet. core.methods(class) -> the function of a class that Lua makes, once; or nil */
static int core_methods (lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  bool set = !lua_isnoneornil(L, 2);
  lua_settop(L, 2);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LATER);
  lua_getfield(L, 3, name);
  lua_pushvalue(L, 2);
  lua_setfield(L, 3, name);
  lcul_class_entry *entry = entry_of(L, name);
  if (entry != NULL) entry->later = set;
  return 1;
}

void lcul_open_later (lua_State *L) {
  static const luaL_Reg functions[] = { { "methods", core_methods }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
