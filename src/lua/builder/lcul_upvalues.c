/* lcul_upvalues.c: what kernels made of Lua functions depend on besides the arguments of a call. */
#include "lcul_upvalues.h"

#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_library.h"
#include "lcul_position.h"

/* Lua code runs: addresses and the stream have to be found again afterwards. */
bool lcul_upvalues_ask (lcul_ewcall *c, lua_Integer instance) {
  lua_State *L = c->L;
  int top = lua_gettop(L);
  c->asked = true;
  c->hidden = 0;
  luaL_checkstack(L, 4, c->e->name);
  lcul_push_hook(L, "builder", "upvalues");
  lua_getiuservalue(L, c->self, LCUL_EW_STATE);
  lua_pushinteger(L, instance);
  lua_call(L, 2, LUA_MULTRET);
  if (!lua_toboolean(L, top + 1)) {
    lua_settop(L, top);
    return false;
  }
  c->hidden = lua_gettop(L) - top - 1;
  c->hidden_at = top + 2;
  luaL_checkstack(L, 16, c->e->name);
  return true;
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
