/* lcul_complex.c: class Complex: an immutable value with re and im. */
#include "lcul_complex.h"

#include <math.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_position.h"
#include "lcul_scalar.h"
#include "lcul_set.h"

static lcul_complex *complex_check (lua_State *L, int idx) {
  return lcul_check(L, idx, LCUL_COMPLEX);
}

/* Operand of an arithmetic operator: complex, typed scalar or number. */
static lcul_complex operand (lua_State *L, int idx, const char *op) {
  lcu_scalar v;
  lcul_fit fit = lcul_scalar_get(L, idx, &lcu_dtypes[LCU_COMPLEX128], &v);
  if (fit != LCUL_FITS) {
    char text[160];
    lcul_misuse(L, "complex %s: %s", op,
                lcul_scalar_why(L, idx, &lcu_dtypes[LCU_COMPLEX128], fit, text, sizeof text));
  }
  return (lcul_complex){ v.d, v.im };
}

/* With an array, or a table with operators, on the right of a complex value, the right operand's
 * operator is called, as for numbers. */
static int array_operator (lua_State *L, const char *event) {
  if ((lcul_test(L, 2, LCUL_ARRAY) == NULL && !lua_istable(L, 2)) ||
      luaL_getmetafield(L, 2, event) == LUA_TNIL)
    return 0;
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

static int complex_add (lua_State *L) {
  if (array_operator(L, "__add")) return 1;
  lcul_complex a = operand(L, 1, "+"), b = operand(L, 2, "+");
  lcul_complex_push(L, a.re + b.re, a.im + b.im);
  return 1;
}

static int complex_sub (lua_State *L) {
  if (array_operator(L, "__sub")) return 1;
  lcul_complex a = operand(L, 1, "-"), b = operand(L, 2, "-");
  lcul_complex_push(L, a.re - b.re, a.im - b.im);
  return 1;
}

static int complex_mul (lua_State *L) {
  if (array_operator(L, "__mul")) return 1;
  lcul_complex a = operand(L, 1, "*"), b = operand(L, 2, "*");
  lcul_complex_push(L, a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  return 1;
}

/* Scaled by the larger part of the divisor, so that no square overflows. Zeros have no sign, as in
   NumPy and in kernels. */
static int complex_div (lua_State *L) {
  if (array_operator(L, "__div")) return 1;
  lcul_complex a = operand(L, 1, "/"), b = operand(L, 2, "/");
  if (b.re == 0 && b.im == 0) {
    lcul_complex_push(L, a.re / 0.0, a.im / 0.0);
  } else if (fabs(b.re) >= fabs(b.im)) {
    double ratio = b.im / b.re, den = b.re + b.im * ratio;
    lcul_complex_push(L, (a.re + a.im * ratio) / den, (a.im - a.re * ratio) / den);
  } else {
    double ratio = b.re / b.im, den = b.re * ratio + b.im;
    lcul_complex_push(L, (a.re * ratio + a.im) / den, (a.im * ratio - a.re) / den);
  }
  return 1;
}

static int complex_unm (lua_State *L) {
  const lcul_complex *a = complex_check(L, 1);
  lcul_complex_push(L, -a->re, -a->im);
  return 1;
}

static int complex_eq (lua_State *L) {
  const lcul_complex *a = lcul_test(L, 1, LCUL_COMPLEX), *b = lcul_test(L, 2, LCUL_COMPLEX);
  lua_pushboolean(L, a != NULL && b != NULL && a->re == b->re && a->im == b->im);
  return 1;
}

static void complex_describe (lua_State *L, int idx, char *buf, size_t size) {
  lcul_scalar_text(&lcu_dtypes[LCU_COMPLEX128], complex_check(L, idx), buf, size);
}

static int complex_tostring (lua_State *L) {
  char text[96];
  complex_describe(L, 1, text, sizeof text);
  lua_pushstring(L, text);
  return 1;
}

static int complex_re (lua_State *L) {
  lua_pushnumber(L, complex_check(L, 1)->re);
  return 1;
}

static int complex_im (lua_State *L) {
  lua_pushnumber(L, complex_check(L, 1)->im);
  return 1;
}

static int complex_abs (lua_State *L) {
  lcul_check_most(L, 1);
  const lcul_complex *a = complex_check(L, 1);
  lua_pushnumber(L, hypot(a->re, a->im));
  return 1;
}

static int complex_conj (lua_State *L) {
  lcul_check_most(L, 1);
  const lcul_complex *a = complex_check(L, 1);
  lcul_complex_push(L, a->re, -a->im);
  return 1;
}

double lcul_part_arg (lua_State *L, int idx, const char *fn, const char *name, bool optional) {
  if (optional && lua_isnoneornil(L, idx)) return 0;
  char text[96];
  if (lua_type(L, idx) != LUA_TNUMBER)
    lcul_fail_arg(L, fn, idx, name, "expected a number, got %s",
                  lcul_describe(L, idx, text, sizeof text));
  return lua_tonumber(L, idx);
}

/* cuda.complex(re [, im]) */
static int core_complex (lua_State *L) {
  lcul_check_most(L, 2);
  double re = lcul_part_arg(L, 1, "complex", "re", false),
         im = lcul_part_arg(L, 2, "complex", "im", true);
  lcul_complex_push(L, re, im);
  return 1;
}

static const lcul_classdef complex_class = {
  .id = LCUL_COMPLEX,
  .methods = (const luaL_Reg[]){ { "abs", complex_abs }, { "conj", complex_conj }, { NULL, NULL } },
  .getters = (const luaL_Reg[]){ { "re", complex_re }, { "im", complex_im }, { NULL, NULL } },
  .metamethods = (const luaL_Reg[]){ { "__add", complex_add },
                                     { "__sub", complex_sub },
                                     { "__mul", complex_mul },
                                     { "__div", complex_div },
                                     { "__unm", complex_unm },
                                     { "__eq", complex_eq },
                                     { "__tostring", complex_tostring },
                                     { NULL, NULL } },
  .describe = complex_describe,
};

void lcul_open_complex (lua_State *L) {
  static const luaL_Reg functions[] = { { "complex", core_complex }, { NULL, NULL } };
  lcul_newclass(L, &complex_class);
  lcul_setfuncs(L, functions);
}
