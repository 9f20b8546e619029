/* lcul_builder.c: classes of kernel builders: objects with a name that are called. */
#include "lcul_builder.h"

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_set.h"
#include "lcul_typed.h"

static lcul_class check_builder (lua_State *L) {
  static const lcul_class classes[] = { LCUL_ELEMENTWISE, LCUL_REDUCTION, LCUL_FUSED };
  for (size_t i = 0; i < lcu_arraylen(classes); i++)
    if (lcul_test(L, 1, classes[i]) != NULL) return classes[i];
  return (lcul_class)lcul_wrong_type(L, 1, "a kernel builder");
}

static int core_builder_state (lua_State *L) {
  check_builder(L);
  lua_getiuservalue(L, 1, LCUL_BUILDER_STATE);
  return 1;
}

static int builder_name (lua_State *L) {
  core_builder_state(L);
  lua_getfield(L, -1, "name");
  return 1;
}

static int builder_tostring (lua_State *L) {
  const char *class = lcul_class_name(check_builder(L));
  builder_name(L);
  lua_pushfstring(L, "luacuda.%s %s", class, lua_tostring(L, -1));
  return 1;
}

void lcul_builder_class (lua_State *L, lcul_class id, lua_CFunction call) {
  static const luaL_Reg methods[] = { { NULL, NULL } };
  static const luaL_Reg getters[] = { { "name", builder_name }, { NULL, NULL } };
  const luaL_Reg metamethods[] = { { "__call", call },
                                   { "__tostring", builder_tostring },
                                   { NULL, NULL } };
  const lcul_classdef def = {
    .id = id, .methods = methods, .getters = getters, .metamethods = metamethods
  };
  lcul_newclass(L, &def);
}


/* ---- kinds ---- */

lcul_kindword lcul_kind_scalar (lua_State *L, int idx) {
  const lcul_typed *typed;
  switch (lua_type(L, idx)) {
    case LUA_TNUMBER:
      return lcul_kind_word(lua_isinteger(L, idx) ? LCUL_KIND_INT : LCUL_KIND_FLOAT, NULL);
    case LUA_TBOOLEAN: return lcul_kind_word(LCUL_KIND_TYPED, &lcu_dtypes[LCU_BOOL]);
    case LUA_TUSERDATA:
      if ((typed = lcul_test(L, idx, LCUL_SCALAR)) != NULL)
        return lcul_kind_word(LCUL_KIND_TYPED, typed->dtype);
      if (lcul_test(L, idx, LCUL_COMPLEX) != NULL) return lcul_kind_word(LCUL_KIND_COMPLEX, NULL);
  }
  return 0;
}

void lcul_kind_push (lua_State *L, lcul_kindword w) {
  switch (lcul_kind_of(w)) {
    case LCUL_KIND_NONE: lua_pushboolean(L, 0); break;
    case LCUL_KIND_ARRAY: lua_pushstring(L, lcul_kind_dtype(w)->name); break;
    case LCUL_KIND_TYPED: lua_pushfstring(L, "=%s", lcul_kind_dtype(w)->name); break;
    case LCUL_KIND_INT: lua_pushliteral(L, "int"); break;
    case LCUL_KIND_FLOAT: lua_pushliteral(L, "float"); break;
    case LCUL_KIND_COMPLEX: lua_pushliteral(L, "complex"); break;
    case LCUL_KIND_FALSE: lua_pushliteral(L, "false"); break;
    case LCUL_KIND_TRUE: lua_pushliteral(L, "true"); break;
  }
}


/* ---- registration ---- */

void lcul_open_builder (lua_State *L) {
  static const luaL_Reg functions[] = { { "builder_state", core_builder_state }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
  lcul_set_integer(L, "most_params", LCUL_MOST_PARAMS);
}
