/* lcul_typed.c: class Scalar: a number with a dtype. */
#include "lcul_typed.h"

#include <stdio.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_complex.h"
#include "lcul_dtype.h"
#include "lcul_scalar.h"
#include "lcul_set.h"

static lcul_typed *typed_check (lua_State *L, int idx) { return lcul_check(L, idx, LCUL_SCALAR); }

static void typed_push (lua_State *L, const lcu_dtype *t, const lcu_scalar *v) {
  lcul_typed *s = lcul_newobject(L, LCUL_SCALAR, sizeof *s, 0);
  char element[16];
  s->dtype = t;
  lcu_dtype_store(t, element, v); /* round to what the dtype holds */
  lcu_dtype_load(t, element, &s->value);
}

/* cuda.float32(2), cuda.complex64(1, 2) */
static int make_typed (lua_State *L, const lcu_dtype *t) {
  lcu_scalar v;
  lcul_check_most(L, t->kind == LCU_KIND_COMPLEX ? 2 : 1);
  if (t->kind == LCU_KIND_COMPLEX && !lua_isnoneornil(L, 2)) {
    double re = lcul_part_arg(L, 1, t->name, "re", false),
           im = lcul_part_arg(L, 2, t->name, "im", false);
    lua_settop(L, 0);
    lcul_complex_push(L, re, im);
  }
  lcul_fit fit = lcul_scalar_get(L, 1, t, &v);
  if (fit != LCUL_FITS) {
    char text[160];
    return lcul_fail_arg(L, t->name, 1, "value", "%s",
                         lcul_scalar_why(L, 1, t, fit, text, sizeof text));
  }
  typed_push(L, t, &v);
  return 1;
}

#define LCU_DTYPE(ID, ...) \
  static int core_##ID(lua_State *L) { return make_typed(L, &lcu_dtypes[LCU_##ID]); }
#include "dtype.def"
#undef LCU_DTYPE

/* core.misfit(value, dtype) -> why the dtype does not hold the value; nil if it does */
static int core_misfit (lua_State *L) {
  const lcu_dtype *t = lcul_dtype_check(L, 2);
  lcu_scalar v;
  char why[224];
  lcul_fit fit = lcul_scalar_get(L, 1, t, &v);
  if (fit == LCUL_FITS) lua_pushnil(L);
  else lua_pushstring(L, lcul_scalar_why(L, 1, t, fit, why, sizeof why));
  return 1;
}

static int typed_dtype (lua_State *L) {
  lua_pushstring(L, typed_check(L, 1)->dtype->name);
  return 1;
}

static int typed_value (lua_State *L) {
  const lcul_typed *s = typed_check(L, 1);
  lcul_scalar_push_value(L, s->dtype, &s->value);
  return 1;
}

static void typed_describe (lua_State *L, int idx, char *buf, size_t size) {
  const lcul_typed *s = typed_check(L, idx);
  char text[96];
  lcul_scalar_value_text(s->dtype, &s->value, text, sizeof text);
  snprintf(buf, size, "%s(%s)", s->dtype->name, text);
}

static int typed_tostring (lua_State *L) {
  char text[128];
  typed_describe(L, 1, text, sizeof text);
  lua_pushstring(L, text);
  return 1;
}

static int typed_eq (lua_State *L) {
  const lcul_typed *a = lcul_test(L, 1, LCUL_SCALAR), *b = lcul_test(L, 2, LCUL_SCALAR);
  lua_pushboolean(L, a != NULL && b != NULL && a->dtype == b->dtype && a->value.i == b->value.i &&
                       a->value.d == b->value.d && a->value.im == b->value.im);
  return 1;
}

static const lcul_classdef typed_class = {
  .id = LCUL_SCALAR,
  .getters =
    (const luaL_Reg[]){ { "dtype", typed_dtype }, { "value", typed_value }, { NULL, NULL } },
  .metamethods =
    (const luaL_Reg[]){ { "__eq", typed_eq }, { "__tostring", typed_tostring }, { NULL, NULL } },
  .describe = typed_describe,
};

static const luaL_Reg functions[] = {
  { "misfit", core_misfit },
#define LCU_DTYPE(ID, kind, size, storage, name, ...) { name, core_##ID },
#include "dtype.def"
#undef LCU_DTYPE
  { NULL, NULL },
};

void lcul_open_typed (lua_State *L) {
  lcul_newclass(L, &typed_class);
  lcul_setfuncs(L, functions);
}
