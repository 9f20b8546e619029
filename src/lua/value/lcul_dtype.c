/* lcul_dtype.c: dtypes by name, and their table for Lua. */
#include "lcul_dtype.h"

#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_near.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_state.h"
#include "lcul_struct.h"

static int unknown_dtype (lua_State *L, const char *name) {
  const char *names[2 * LCU_DTYPE_COUNT]; /* and then the short names */
  char text[LCUL_HINT_SIZE];
  for (int i = 0; i < LCU_DTYPE_COUNT; i++) {
    names[i] = lcu_dtypes[i].name;
    names[LCU_DTYPE_COUNT + i] = lcu_dtypes[i].short_name;
  }
  lcul_hint(L, "dtype", name, names, lcu_arraylen(names), NULL, text, sizeof text);
  if (text[0] == '\0') lcul_near(name, names, LCU_DTYPE_COUNT, "dtypes are", text, sizeof text);
  return lcul_misuse(L, "%s: unknown dtype '%s'%s", lcul_callee(L), name, text);
}

/* Programs mostly name the same dtype repeatedly. */
static const lcu_dtype *find_dtype (lua_State *L, int idx) {
  lcul_state *st = lcul_getstate(L);
  size_t len;
  const char *name = lua_tolstring(L, idx, &len);
  if (st->dtype != NULL && len == st->dtype_len && memcmp(name, st->dtype->name, len) == 0)
    return st->dtype;
  const lcu_dtype *t = lcu_dtype_find(name, len);
  if (t == NULL) unknown_dtype(L, name);
  st->dtype = t;
  st->dtype_len = strlen(t->name);
  return t;
}

const char *lcul_dtype_expected (lua_State *L, int idx, const char *otherwise, char *buf,
                                 size_t size) {
  snprintf(buf, size, "%s", otherwise);
  if (lua_type(L, idx) != LUA_TFUNCTION) return buf;
  idx = lua_absindex(L, idx);
  lua_getfield(L, LUA_REGISTRYINDEX, LCUL_CORE);
  for (int i = 0; i < LCU_DTYPE_COUNT; i++) {
    lua_getfield(L, -1, lcu_dtypes[i].name);
    if (lua_rawequal(L, -1, idx)) snprintf(buf, size, "the string \"%s\"", lcu_dtypes[i].name);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return buf;
}

const lcu_dtype *lcul_dtype_check (lua_State *L, int idx) {
  char expected[64];
  if (lcu_likely(lua_type(L, idx) == LUA_TSTRING)) return find_dtype(L, idx);
  const lcul_struct *s = lcul_struct_test(L, idx);
  if (s == NULL)
    lcul_wrong_type(L, idx, lcul_dtype_expected(L, idx, "a dtype", expected, sizeof expected));
  return &s->dtype;
}

static void push_dtype_row (lua_State *L, const lcu_dtype *t) {
  static const char *const kinds[] = { "bool", "int", "uint", "float", "complex", "struct" };
  lua_createtable(L, 0, 12);
  lcul_set_string(L, "name", t->name);
  lcul_set_string(L, "short", t->short_name);
  lcul_set_string(L, "kind", kinds[t->kind]);
  lcul_set_string(L, "cuda", t->cuda);
  lcul_set_string(L, "header", t->header);
  lcul_set_string(L, "pack", t->pack);
  lcul_set_string(L, "ptx", t->ptx);
  lcul_set_integer(L, "size", t->size);
  lcul_set_integer(L, "align", t->align);
  if (t->mantissa == 0) return;
  lcul_set_integer(L, "mantissa", t->mantissa);
  lcul_set_integer(L, "exponent", t->exponent);
  lua_pushboolean(L, t->finite);
  lua_setfield(L, -2, "finite");
}

/* core.dtypes() -> { { name, short, kind, size, align, cuda, header, pack, ptx, mantissa, exponent,
 * finite }, ... } */
static int core_dtypes (lua_State *L) {
  lcul_check_most(L, 0);
  lua_createtable(L, LCU_DTYPE_COUNT, 0);
  for (int i = 0; i < LCU_DTYPE_COUNT; i++) {
    push_dtype_row(L, &lcu_dtypes[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

void lcul_open_dtype (lua_State *L) {
  static const luaL_Reg functions[] = { { "dtypes", core_dtypes }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
