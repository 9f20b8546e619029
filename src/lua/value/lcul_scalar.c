/* lcul_scalar.c: how a Lua value becomes an element, and an element a Lua value. */
#include "lcul_scalar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lcul_class.h"
#include "lcul_complex.h"
#include "lcul_describe.h"
#include "lcul_typed.h"


/* ---- from Lua ---- */

static int64_t int_most (const lcu_dtype *t) { return INT64_MAX >> (64 - 8 * t->size); }

static uint64_t uint_most (const lcu_dtype *t) { return UINT64_MAX >> (64 - 8 * t->size); }

static lcul_fit fit_integer (const lcu_dtype *t, int64_t i, lcu_scalar *out) {
  out->i = i;
  if (t->size == 8) return LCUL_FITS; /* uint64: the same bits */
  if (t->kind == LCU_KIND_UINT)
    return i >= 0 && (uint64_t)i <= uint_most(t) ? LCUL_FITS : LCUL_FIT_RANGE;
  return i >= -int_most(t) - 1 && i <= int_most(t) ? LCUL_FITS : LCUL_FIT_RANGE;
}

static lcul_fit fit_integer_from_float (const lcu_dtype *t, double d, lcu_scalar *out) {
  if (floor(d) != d || isinf(d)) return LCUL_FIT_FRACTION;
  if (d >= -0x1p63 && d < 0x1p63) {
    /* only integers are taken as bits */
    if (t->id == LCU_UINT64 && d < 0) return LCUL_FIT_RANGE;
    return fit_integer(t, (int64_t)d, out);
  }
  if (t->id != LCU_UINT64 || d < 0 || d >= 0x1p64) return LCUL_FIT_RANGE;
  out->i = (int64_t)(uint64_t)d;
  return LCUL_FITS;
}

/* Would a finite value overflow to infinity, or to NaN, in t or in one part of a complex t? */
static bool overflows (const lcu_dtype *t, double d) {
  uint64_t bits = (uint64_t)(t->exponent + 1023) << 52;
  double power; /* 2^exponent */
  memcpy(&power, &bits, sizeof power);
  return fabs(d) >= power && isfinite(d) && !isfinite(lcu_dtype_rounded(t, d));
}

/* Integers that a double cannot hold are rounded to odd, so that only the conversion to the
 * narrower type rounds. */
static double integer_value (const lcu_dtype *t, int64_t i) {
  double d = (double)i;
  if (t->id == LCU_FLOAT64 || t->id == LCU_COMPLEX128 ||
      (i < (int64_t)1 << 53 && i > -((int64_t)1 << 53)))
    return d;
  uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
  d = (double)((u >> 11) | ((u & 0x7ffu) != 0)) * 2048.0;
  return i < 0 ? -d : d;
}

static lcul_fit fit_float (const lcu_dtype *t, double d, lcu_scalar *out) {
  out->d = d;
  return overflows(t, d) ? LCUL_FIT_RANGE : LCUL_FITS;
}

static bool is_real (const lcu_dtype *t) {
  return t->kind == LCU_KIND_FLOAT || t->kind == LCU_KIND_COMPLEX;
}

static lcul_fit fit_number (lua_State *L, int idx, const lcu_dtype *t, lcu_scalar *out) {
  if (t->kind == LCU_KIND_BOOL) return LCUL_FIT_TYPE;
  if (lua_isinteger(L, idx)) {
    int64_t i = lua_tointeger(L, idx);
    return is_real(t) ? fit_float(t, integer_value(t, i), out) : fit_integer(t, i, out);
  }
  double d = lua_tonumber(L, idx);
  return is_real(t) ? fit_float(t, d, out) : fit_integer_from_float(t, d, out);
}

static lcul_fit fit_complex (const lcul_complex *z, const lcu_dtype *t, lcu_scalar *out) {
  if (t->kind != LCU_KIND_COMPLEX) return LCUL_FIT_TYPE;
  out->d = z->re;
  out->im = z->im;
  return overflows(t, z->re) || overflows(t, z->im) ? LCUL_FIT_RANGE : LCUL_FITS;
}

static lcul_fit fit_typed (const lcul_typed *v, const lcu_dtype *t, lcu_scalar *out) {
  const lcu_dtype *from = v->dtype;
  if ((from->kind == LCU_KIND_BOOL) != (t->kind == LCU_KIND_BOOL)) return LCUL_FIT_TYPE;
  if (from->id == t->id || t->kind == LCU_KIND_BOOL) {
    *out = v->value;
    return LCUL_FITS;
  }
  if (from->kind == LCU_KIND_COMPLEX)
    return fit_complex(&(lcul_complex){ v->value.d, v->value.im }, t, out);
  if (from->kind == LCU_KIND_FLOAT)
    return is_real(t) ? fit_float(t, v->value.d, out) : fit_integer_from_float(t, v->value.d, out);
  if (from->id == LCU_UINT64 && v->value.i < 0) { /* too large for int64 */
    if (is_real(t)) return fit_float(t, (double)(uint64_t)v->value.i, out);
    return LCUL_FIT_RANGE;
  }
  return is_real(t) ? fit_float(t, integer_value(t, v->value.i), out)
                    : fit_integer(t, v->value.i, out);
}

static lcul_fit fit_object (lua_State *L, int idx, const lcu_dtype *t, lcu_scalar *out) {
  const lcul_complex *z = lcul_test(L, idx, LCUL_COMPLEX);
  if (z != NULL) return fit_complex(z, t, out);
  const lcul_typed *v = lcul_test(L, idx, LCUL_SCALAR);
  return v != NULL ? fit_typed(v, t, out) : LCUL_FIT_TYPE;
}

lcul_fit lcul_scalar_get (lua_State *L, int idx, const lcu_dtype *t, lcu_scalar *out) {
  *out = (lcu_scalar){ 0 };
  switch (lua_type(L, idx)) {
    case LUA_TNUMBER: return fit_number(L, idx, t, out);
    case LUA_TBOOLEAN:
      out->i = lua_toboolean(L, idx);
      return t->kind == LCU_KIND_BOOL ? LCUL_FITS : LCUL_FIT_TYPE;
    case LUA_TUSERDATA: return fit_object(L, idx, t, out);
    default: return LCUL_FIT_TYPE;
  }
}


/* ---- messages ---- */

static const char *kind_words (const lcu_dtype *t) {
  switch (t->kind) {
    case LCU_KIND_BOOL: return "a boolean";
    case LCU_KIND_INT:
    case LCU_KIND_UINT: return "an integer";
    case LCU_KIND_COMPLEX: return "a number or complex value";
    default: return "a number";
  }
}

static void range_words (const lcu_dtype *t, char *buf, size_t size) {
  if (t->kind == LCU_KIND_INT)
    snprintf(buf, size, " (%" PRId64 " to %" PRId64 ")", -int_most(t) - 1, int_most(t));
  else if (t->kind == LCU_KIND_UINT) snprintf(buf, size, " (0 to %" PRIu64 ")", uint_most(t));
  else buf[0] = 0;
}

const char *lcul_scalar_why (lua_State *L, int idx, const lcu_dtype *t, lcul_fit fit, char *buf,
                             size_t size) {
  char value[96], range[64];
  lcul_describe_value(L, idx, value, sizeof value);
  range_words(t, range, sizeof range);
  if (fit == LCUL_FIT_RANGE)
    snprintf(buf, size, "%s is out of range for %s%s", value, t->name, range);
  else snprintf(buf, size, "expected %s (%s), got %s", kind_words(t), t->name, value);
  return buf;
}


/* ---- to Lua ---- */

void lcul_scalar_push_value (lua_State *L, const lcu_dtype *t, const lcu_scalar *v) {
  switch (t->kind) {
    case LCU_KIND_BOOL: lua_pushboolean(L, v->i != 0); break;
    case LCU_KIND_INT:
    case LCU_KIND_UINT: lua_pushinteger(L, v->i); break;
    case LCU_KIND_FLOAT: lua_pushnumber(L, v->d); break;
    default: lcul_complex_push(L, v->d, v->im); break;
  }
}

void lcul_scalar_push (lua_State *L, const lcu_dtype *t, const void *p) {
  lcu_scalar v;
  lcu_dtype_load(t, p, &v);
  lcul_scalar_push_value(L, t, &v);
}
