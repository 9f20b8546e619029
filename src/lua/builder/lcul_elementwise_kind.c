/* lcul_elementwise_kind.c: kinds of arguments: what decides which kernel a call needs. */
#include "lcul_elementwise.h"
#include "lcul_scalar.h"

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
