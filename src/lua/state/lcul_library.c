/* lcul_library.c: the Lua files of the library: loading them, and the functions that C calls. */
#include "lcul_library.h"

#include <string.h>

#include "lcul_set.h"
#include "lcul_state.h"

void lcul_push_library (lua_State *L, const char *name) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, name) != LUA_TNIL) return;
  lua_pop(L, 1);
  lua_getglobal(L, "require");
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, name);
}

void lcul_push_hook (lua_State *L, const char *which, const char *name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LCUL_HOOKS);
  if (lua_getfield(L, -1, which) != LUA_TTABLE) luaL_error(L, "luacuda.%s is not loaded", which);
  lua_getfield(L, -1, name);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* core.hooks(which, table): registers functions of a Lua file that C calls. */
static int core_hooks (lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LCUL_HOOKS);
  lua_insert(L, 1);
  lua_setfield(L, 1, luaL_checkstring(L, 2));
  return 0;
}


/* ---- positions ---- */

/* core.home(prefix): chunk names with this prefix belong to the library; positions in messages skip
 * them. */
static int core_home (lua_State *L) {
  lcul_state *st = lcul_getstate(L);
  size_t len;
  const char *prefix = luaL_checklstring(L, 1, &len);
  if (len < sizeof st->home) memcpy(st->home, prefix, len + 1);
  return 0;
}

void lcul_open_library (lua_State *L) {
  static const luaL_Reg functions[] = { { "hooks", core_hooks },
                                        { "home", core_home },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
