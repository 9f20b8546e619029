/* lcul_element.c: one element, of any dtype. */
#include "lcul_element.h"

#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_scalar.h"
#include "lcul_struct_value.h"

void lcul_element_arg (lua_State *L, int idx, const lcu_dtype *t, void *p, const char *fn, int arg,
                       const char *param) {
  char what[96], why[224];
  if (t->kind == LCU_KIND_STRUCT) {
    snprintf(what, sizeof what, "%s: argument %d '%s'", fn, arg, param);
    lcul_element_store(L, t, idx, p, what, NULL);
    return;
  }
  lcu_scalar v;
  lcul_fit fit = lcul_scalar_get(L, idx, t, &v);
  if (lcu_unlikely(fit != LCUL_FITS))
    lcul_fail_arg(L, fn, arg, param, "%s", lcul_scalar_why(L, idx, t, fit, why, sizeof why));
  lcu_dtype_store(t, p, &v);
}

/* Handles common dtypes without a general conversion, for the speed of a[i]. */
void lcul_element_push (lua_State *L, const lcu_dtype *t, const void *p) {
  switch (t->id) {
    case LCU_FLOAT32: {
      float x;
      memcpy(&x, p, sizeof x);
      lua_pushnumber(L, (double)x);
      break;
    }
    case LCU_FLOAT64: {
      double x;
      memcpy(&x, p, sizeof x);
      lua_pushnumber(L, x);
      break;
    }
    case LCU_INT32: {
      int32_t x;
      memcpy(&x, p, sizeof x);
      lua_pushinteger(L, x);
      break;
    }
    case LCU_INT64: {
      int64_t x;
      memcpy(&x, p, sizeof x);
      lua_pushinteger(L, x);
      break;
    }
    case LCU_UINT8: lua_pushinteger(L, *(const uint8_t *)p); break;
    case LCU_STRUCT: lcul_element_load(L, t, p); break;
    default: lcul_scalar_push(L, t, p); break;
  }
}
