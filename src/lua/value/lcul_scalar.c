/* lcul_scalar.c: single values: complex numbers, typed scalars, addresses, and how a Lua value
 * becomes an element. */
#include "lcul_scalar.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lcu_half.h"
#include "lcul_struct.h"

/* Integer dtypes: the range of values. */

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
    /* bits are taken from integers only */
    if (t->id == LCU_UINT64 && d < 0) return LCUL_FIT_RANGE;
    return fit_integer(t, (int64_t)d, out);
  }
  if (t->id != LCU_UINT64 || d < 0 || d >= 0x1p64) return LCUL_FIT_RANGE;
  out->i = (int64_t)(uint64_t)d;
  return LCUL_FITS;
}

/* Would a finite value become infinite in one part of t? */
static bool overflows (const lcu_dtype *t, double d) {
  if (!isfinite(d)) return false;
  switch (t->id) {
    case LCU_FLOAT16: return (lcu_double_to_half(d) & 0x7fffu) == 0x7c00u;
    case LCU_BFLOAT16: return (lcu_double_to_bf16(d) & 0x7fffu) == 0x7f80u;
    case LCU_FLOAT32:
    case LCU_COMPLEX64: return fabs(d) > (double)FLT_MAX && isinf((float)d);
    default: return false;
  }
}

/* An integer that a double does not hold, rounded to odd, so that the rounding to a narrower type
 * is the only one. */
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
  if (from->id == LCU_UINT64 && v->value.i < 0) { /* beyond what int64 holds */
    if (is_real(t)) return fit_float(t, (double)(uint64_t)v->value.i, out);
    return LCUL_FIT_RANGE;
  }
  return is_real(t) ? fit_float(t, integer_value(t, v->value.i), out)
                    : fit_integer(t, v->value.i, out);
}

static lcul_fit fit_object (lua_State *L, int idx, const lcu_dtype *t, lcu_scalar *out) {
  const lcul_complex *z = lcul_test(L, idx, LCUL_COMPLEX);
  if (z) return fit_complex(z, t, out);
  const lcul_typed *v = lcul_test(L, idx, LCUL_SCALAR);
  return v ? fit_typed(v, t, out) : LCUL_FIT_TYPE;
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


/* Words. */

static const char *value_text (lua_State *L, int idx, char *buf, size_t size) {
  if (lua_type(L, idx) != LUA_TNUMBER) return lcul_describe(L, idx, buf, size);
  if (lua_isinteger(L, idx)) snprintf(buf, size, "%" PRId64, (int64_t)lua_tointeger(L, idx));
  else if (isnan(lua_tonumber(L, idx))) snprintf(buf, size, "nan");
  else snprintf(buf, size, "%.14g", lua_tonumber(L, idx));
  return buf;
}

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
  value_text(L, idx, value, sizeof value);
  range_words(t, range, sizeof range);
  if (fit == LCUL_FIT_RANGE)
    snprintf(buf, size, "%s is out of range for %s%s", value, t->name, range);
  else snprintf(buf, size, "expected %s (%s), got %s", kind_words(t), t->name, value);
  return buf;
}


/* Reading and printing elements. */

void lcul_complex_push (lua_State *L, double re, double im) {
  lcul_complex *z = lcul_newobject(L, LCUL_COMPLEX, sizeof *z, 0);
  z->re = re;
  z->im = im;
}

static void push_value (lua_State *L, const lcu_dtype *t, const lcu_scalar *v) {
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
  push_value(L, t, &v);
}

/* Is `text` enough to get the same element back? */
static bool reads_back (const lcu_dtype *t, const char *text, double d) {
  double back = strtod(text, NULL);
  switch (t->id) {
    case LCU_FLOAT16: return lcu_double_to_half(back) == lcu_double_to_half(d);
    case LCU_BFLOAT16: return lcu_double_to_bf16(back) == lcu_double_to_bf16(d);
    case LCU_FLOAT32:
    case LCU_COMPLEX64: return (float)back == (float)d;
    default: return back == d;
  }
}

/* Digits from which to try: what an element of the dtype holds for certain. */
static int sure_digits (const lcu_dtype *t) {
  switch (t->id) {
    case LCU_FLOAT16: return 3;
    case LCU_BFLOAT16: return 2;
    case LCU_FLOAT32:
    case LCU_COMPLEX64: return 6;
    default: return 15;
  }
}

static int float_text (const lcu_dtype *t, double d, char *buf, size_t size) {
  if (isnan(d)) return snprintf(buf, size, "nan");
  if (isinf(d)) return snprintf(buf, size, d < 0 ? "-inf" : "inf");
  if (d == floor(d) && fabs(d) < 1e7) return snprintf(buf, size, "%.0f", d);
  int n = 0;
  for (int digits = sure_digits(t); digits <= 17; digits++) {
    n = snprintf(buf, size, "%.*g", digits, d);
    if (reads_back(t, buf, d)) break;
  }
  return n;
}

static int complex_text (const lcu_dtype *t, double re, double im, char *buf, size_t size) {
  char r[40], i[40];
  float_text(t, re, r, sizeof r);
  float_text(t, im, i, sizeof i);
  return snprintf(buf, size, "%s%s%si", r, i[0] == '-' ? "" : "+", i);
}

static int value_to_text (const lcu_dtype *t, const lcu_scalar *v, char *buf, size_t size) {
  switch (t->kind) {
    case LCU_KIND_BOOL: return snprintf(buf, size, v->i ? "true" : "false");
    case LCU_KIND_INT: return snprintf(buf, size, "%" PRId64, v->i);
    case LCU_KIND_UINT: return snprintf(buf, size, "%" PRIu64, (uint64_t)v->i);
    case LCU_KIND_FLOAT: return float_text(t, v->d, buf, size);
    default: return complex_text(t, v->d, v->im, buf, size);
  }
}

int lcul_scalar_text (const lcu_dtype *t, const void *p, char *buf, size_t size) {
  lcu_scalar v;
  if (t->kind == LCU_KIND_STRUCT) return snprintf(buf, size, "{...}");
  lcu_dtype_load(t, p, &v);
  return value_to_text(t, &v, buf, size);
}


/* luacuda.Complex: an immutable value with re and im. */

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

/* A complex value on the left of an array, or of a table with operators: the operator is that
 * one's, as it is for numbers. */
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

/* Scaled by the larger part of the divisor, so that no square overflows. */
static int complex_div (lua_State *L) {
  if (array_operator(L, "__div")) return 1;
  lcul_complex a = operand(L, 1, "/"), b = operand(L, 2, "/");
  if (fabs(b.re) >= fabs(b.im)) {
    double ratio = b.re == 0 ? 0 : b.im / b.re, den = b.re + b.im * ratio;
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
  lua_pushboolean(L, a && b && a->re == b->re && a->im == b->im);
  return 1;
}

static int complex_tostring (lua_State *L) {
  const lcul_complex *a = complex_check(L, 1);
  char text[96];
  int n = complex_text(&lcu_dtypes[LCU_COMPLEX128], a->re, a->im, text, sizeof text);
  lua_pushlstring(L, text, (size_t)n);
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
  const lcul_complex *a = complex_check(L, 1);
  lua_pushnumber(L, hypot(a->re, a->im));
  return 1;
}

static int complex_conj (lua_State *L) {
  const lcul_complex *a = complex_check(L, 1);
  lcul_complex_push(L, a->re, -a->im);
  return 1;
}

static double part_arg (lua_State *L, int idx, const char *fn, const char *name, bool optional) {
  if (optional && lua_isnoneornil(L, idx)) return 0;
  char text[96];
  if (lua_type(L, idx) != LUA_TNUMBER)
    lcul_misuse(L, "%s: argument %d '%s': expected a number, got %s", fn, idx, name,
                lcul_describe(L, idx, text, sizeof text));
  return lua_tonumber(L, idx);
}

/* cuda.complex(re [, im]) */
static int core_complex (lua_State *L) {
  double re = part_arg(L, 1, "complex", "re", false), im = part_arg(L, 2, "complex", "im", true);
  lcul_complex_push(L, re, im);
  return 1;
}

static const lcul_classdef complex_class = {
  .id = LCUL_COMPLEX,
  .name = "Complex",
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
};


/* luacuda.Scalar: a number with a dtype. */

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
  if (t->kind == LCU_KIND_COMPLEX && !lua_isnoneornil(L, 2)) {
    double re = part_arg(L, 1, t->name, "re", false), im = part_arg(L, 2, t->name, "im", false);
    lua_settop(L, 0);
    lcul_complex_push(L, re, im);
  }
  lcul_fit fit = lcul_scalar_get(L, 1, t, &v);
  if (fit != LCUL_FITS) {
    char text[160];
    return lcul_misuse(L, "%s: argument 1 'value': %s", t->name,
                       lcul_scalar_why(L, 1, t, fit, text, sizeof text));
  }
  typed_push(L, t, &v);
  return 1;
}

#define LCU_DTYPE(ID, name, short_name, kind, size, storage, cuda, header, pack, ptx) \
  static int core_##ID(lua_State *L) { return make_typed(L, &lcu_dtypes[LCU_##ID]); }
#include "dtype.def"
#undef LCU_DTYPE

static int typed_dtype (lua_State *L) {
  lua_pushstring(L, typed_check(L, 1)->dtype->name);
  return 1;
}

static int typed_value (lua_State *L) {
  const lcul_typed *s = typed_check(L, 1);
  push_value(L, s->dtype, &s->value);
  return 1;
}

static int typed_tostring (lua_State *L) {
  const lcul_typed *s = typed_check(L, 1);
  char text[96];
  value_to_text(s->dtype, &s->value, text, sizeof text);
  lua_pushfstring(L, "%s(%s)", s->dtype->name, text);
  return 1;
}

static int typed_eq (lua_State *L) {
  const lcul_typed *a = lcul_test(L, 1, LCUL_SCALAR), *b = lcul_test(L, 2, LCUL_SCALAR);
  lua_pushboolean(L, a && b && a->dtype == b->dtype && a->value.i == b->value.i &&
                       a->value.d == b->value.d && a->value.im == b->value.im);
  return 1;
}

static const lcul_classdef typed_class = {
  .id = LCUL_SCALAR,
  .name = "Scalar",
  .getters =
    (const luaL_Reg[]){ { "dtype", typed_dtype }, { "value", typed_value }, { NULL, NULL } },
  .metamethods =
    (const luaL_Reg[]){ { "__eq", typed_eq }, { "__tostring", typed_tostring }, { NULL, NULL } },
};


/* luacuda.Pointer: an address for a pointer parameter. */

static lcul_pointer *pointer_check (lua_State *L, int idx) {
  return lcul_check(L, idx, LCUL_POINTER);
}

static void pointer_push (lua_State *L, uint64_t address) {
  lcul_pointer *p = lcul_newobject(L, LCUL_POINTER, sizeof *p, 0);
  p->address = address;
}

/* cuda.ptr(n): any integer, its bits. */
static int core_ptr (lua_State *L) {
  lcu_scalar v;
  lcul_fit fit = lcul_scalar_get(L, 1, &lcu_dtypes[LCU_UINT64], &v);
  if (fit != LCUL_FITS) {
    char text[160];
    return lcul_misuse(L, "ptr: argument 1 'address': %s",
                       lcul_scalar_why(L, 1, &lcu_dtypes[LCU_UINT64], fit, text, sizeof text));
  }
  pointer_push(L, (uint64_t)v.i);
  return 1;
}

static int pointer_address (lua_State *L) {
  lua_pushinteger(L, (lua_Integer)pointer_check(L, 1)->address);
  return 1;
}

static int pointer_tostring (lua_State *L) {
  char text[40];
  uint64_t address = pointer_check(L, 1)->address;
  if (address) snprintf(text, sizeof text, "luacuda.Pointer 0x%" PRIx64, address);
  else snprintf(text, sizeof text, "luacuda.null");
  lua_pushstring(L, text);
  return 1;
}

static int pointer_eq (lua_State *L) {
  const lcul_pointer *a = lcul_test(L, 1, LCUL_POINTER), *b = lcul_test(L, 2, LCUL_POINTER);
  lua_pushboolean(L, a && b && a->address == b->address);
  return 1;
}

static const lcul_classdef pointer_class = {
  .id = LCUL_POINTER,
  .name = "Pointer",
  .getters = (const luaL_Reg[]){ { "address", pointer_address }, { NULL, NULL } },
  .metamethods = (const luaL_Reg[]){ { "__eq", pointer_eq },
                                     { "__tostring", pointer_tostring },
                                     { NULL, NULL } },
};


/* dtypes by name. */

static int unknown_dtype (lua_State *L, const char *name) {
  const char *names[2 * LCU_DTYPE_COUNT];
  lcu_buf near = { 0 };
  char text[256];
  for (int i = 0; i < LCU_DTYPE_COUNT; i++) {
    names[2 * i] = lcu_dtypes[i].name;
    names[2 * i + 1] = lcu_dtypes[i].short_name;
  }
  lcul_near(&near, name, names, lcu_arraylen(names));
  bool all = near.len == 0;
  for (int i = 0; all && i < LCU_DTYPE_COUNT; i++)
    lcu_buf_addf(&near, "%s%s", i == 0 ? "; dtypes are " : ", ", lcu_dtypes[i].name);
  snprintf(text, sizeof text, "%s", near.data && !near.failed ? near.data : "");
  lcu_buf_free(&near);
  return lcul_misuse(L, "%s: unknown dtype '%s'%s", lcul_callee(L), name, text);
}

/* Programs mostly name one dtype again and again. */
static const lcu_dtype *find_dtype (lua_State *L, int idx) {
  lcul_state *st = lcul_getstate(L);
  size_t len;
  const char *name = lua_tolstring(L, idx, &len);
  if (st->dtype != NULL && len == st->dtype_len && memcmp(name, st->dtype->name, len) == 0)
    return st->dtype;
  const lcu_dtype *t = lcu_dtype_find(name, len);
  if (!t) unknown_dtype(L, name);
  st->dtype = t;
  st->dtype_len = strlen(t->name);
  return t;
}

const lcu_dtype *lcul_dtype_check (lua_State *L, int idx) {
  if (lcu_likely(lua_type(L, idx) == LUA_TSTRING)) return find_dtype(L, idx);
  const lcul_struct *s = lcul_struct_test(L, idx);
  if (!s) lcul_wrong_type(L, idx, "a dtype");
  return &s->dtype;
}


/* core.dtypes() -> { { name, short, kind, size, align, cuda, header, pack, ptx }, ... } */

static void push_dtype_row (lua_State *L, const lcu_dtype *t) {
  static const char *const kinds[] = { "bool", "int", "uint", "float", "complex", "struct" };
  lua_createtable(L, 0, 9);
  lcul_set_string(L, "name", t->name);
  lcul_set_string(L, "short", t->short_name);
  lcul_set_string(L, "kind", kinds[t->kind]);
  lcul_set_string(L, "cuda", t->cuda);
  lcul_set_string(L, "header", t->header);
  lcul_set_string(L, "pack", t->pack);
  lcul_set_string(L, "ptx", t->ptx);
  lcul_set_integer(L, "size", t->size);
  lcul_set_integer(L, "align", t->align);
}

static int core_dtypes (lua_State *L) {
  lua_createtable(L, LCU_DTYPE_COUNT, 0);
  for (int i = 0; i < LCU_DTYPE_COUNT; i++) {
    push_dtype_row(L, &lcu_dtypes[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static const luaL_Reg scalar_functions[] = {
  { "complex", core_complex },
  { "ptr", core_ptr },
  { "dtypes", core_dtypes },
#define LCU_DTYPE(ID, name, short_name, kind, size, storage, cuda, header, pack, ptx) \
  { name, core_##ID },
#include "dtype.def"
#undef LCU_DTYPE
  { NULL, NULL },
};

void lcul_open_scalar (lua_State *L) {
  lcul_newclass(L, &complex_class);
  lcul_newclass(L, &typed_class);
  lcul_newclass(L, &pointer_class);
  lcul_setfuncs(L, scalar_functions);
  pointer_push(L, 0);
  lua_setfield(L, -2, "null");
}
