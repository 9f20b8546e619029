/* lcul_upvalues.c: what kernels made of Lua functions depend on besides the arguments of a call. */
#include "lcul_upvalues.h"

#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_guards.h"
#include "lcul_library.h"
#include "lcul_position.h"
#include "lcul_set.h"

/* Pushes the list of guards of an instance; false: it takes arrays too. */
static bool push_guards (lcul_ewcall *c, lua_Integer instance) {
  lua_State *L = c->L;
  lua_getiuservalue(L, c->self, LCUL_EW_STATE);
  if (lua_getfield(L, -1, "guards") != LUA_TTABLE) return false;
  return lua_rawgeti(L, -1, instance) == LUA_TTABLE;
}

static bool guards_hold (lua_State *L, int idx) {
  lua_getfield(L, idx, "n");
  return lcul_guards_hold(L, idx, (int)lua_tointeger(L, -1));
}

/* Leaves what hooks.upvalues returns on the stack. */
static bool ask_arrays (lcul_ewcall *c, lua_Integer instance) {
  lua_State *L = c->L;
  int top = lua_gettop(L);
  lcul_push_hook(L, "builder", "upvalues");
  lua_getiuservalue(L, c->self, LCUL_EW_STATE);
  lua_pushinteger(L, instance);
  lua_call(L, 2, LUA_MULTRET);
  if (!lua_toboolean(L, top + 1)) return false;
  c->hidden = lua_gettop(L) - top - 1;
  c->hidden_at = top + 2;
  luaL_checkstack(L, 16, c->e->name);
  return true;
}

/* Lua code may run: addresses and the stream have to be found again afterwards. */
bool lcul_upvalues_ask (lcul_ewcall *c, lua_Integer instance) {
  lua_State *L = c->L;
  int top = lua_gettop(L);
  c->asked = true;
  c->hidden = 0;
  luaL_checkstack(L, 16, c->e->name);
  bool by_guards = push_guards(c, instance);
  bool holds = by_guards && guards_hold(L, lua_gettop(L));
  if (!by_guards) {
    lua_settop(L, top);
    holds = ask_arrays(c, instance);
  }
  if (by_guards || !holds) lua_settop(L, top);
  return holds;
}

/* core.guards_hold(list) -> do the guards hold? list: of readers.lua */
static int core_guards_hold (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushboolean(L, guards_hold(L, 1));
  return 1;
}

void lcul_open_upvalues (lua_State *L) {
  static const luaL_Reg functions[] = { { "guards_hold", core_guards_hold }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}

int lcul_upvalues_unsettled (const lcul_ewcall *c) {
  return lcul_misuse(c->L, "%s: upvalues have another value each time they are read", c->e->name);
}

void lcul_upvalues_pack (const lcul_ewcall *c, lcul_uses *uses, lcul_ewparams *p) {
  for (int i = 0; i < c->hidden; i++) {
    lcul_array *a = lcul_check(c->L, c->hidden_at + i, LCUL_ARRAY);
    uint64_t address = lcul_uses_address(c->L, a, uses, false, true, c->e->name);
    lcul_ew_add_raw(p, a, address, a->ndim);
  }
}
