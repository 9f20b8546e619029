/* lcul_args_value.c: arguments that are more than one number: complex values, vectors, structs,
 * enumerations, and parameters of loaded binaries, whose size alone is known. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lcul_args.h"
#include "lcul_argument.h"
#include "lcul_array.h"
#include "lcul_call.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_dims.h"
#include "lcul_lanes.h"
#include "lcul_library.h"
#include "lcul_plan.h"
#include "lcul_pointer.h"
#include "lcul_scalar.h"
#include "lcul_struct.h"
#include "lcul_struct_value.h"
#include "lcul_texture.h"
#include "lcul_typed.h"
#include "lcul_uses.h"

/* Keeps the last two results of hooks.layout, which describe an enumeration. */
static void keep_enum (lua_State *L, lcul_conv *v) {
  size_t n = 0;
  const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &n) : NULL;
  v->integer = name != NULL ? lcu_dtype_find(name, n) : NULL;
  v->chosen = lua_toboolean(L, -1);
}

/* hooks.layout(kernel's table, class, is_enum) -> Struct, "enum" or nil. The answer is kept with
 * the kernel. */
lcul_declared lcul_arg_declared (lcul_call *c, lcul_conv *v) {
  lua_State *L = c->L;
  if (v->declared != LCUL_DECLARED_UNASKED) return v->declared;
  luaL_checkstack(L, 8, NULL);
  lcul_push_hook(L, "kernel", "layout");
  lua_getiuservalue(L, c->kernel, 1);
  lua_pushstring(L, v->param->class_name);
  lua_pushboolean(L, v->param->is_enum);
  lua_call(L, 3, 3);
  keep_enum(L, v);
  lua_pop(L, 2);
  const lcul_struct *s = lcul_struct_test(L, -1);
  if (s != NULL) {
    lua_getiuservalue(L, c->kernel, 2);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, v->param->class_name);
    lua_pop(L, 1);
    v->type = s;
  }
  v->declared = s != NULL                        ? LCUL_DECLARED_STRUCT
                : lua_type(L, -1) == LUA_TSTRING ? LCUL_DECLARED_ENUM
                                                 : LCUL_DECLARED_NONE;
  lua_pop(L, 1);
  return v->declared;
}

/* A string holds the bytes of the value. */
static void store_bytes (lcul_call *c, size_t i, int idx) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  size_t n, want = v->param->size;
  const char *bytes = lua_tolstring(c->L, idx, &n);
  if (want == 0 && v->declared == LCUL_DECLARED_STRUCT) want = v->type->dtype.size;
  if (want != 0 ? n != want : n > v->room)
    lcul_arg_error(c, i, "expected %d bytes (%s), got %d", (int)(want ? want : v->room),
                   lcul_arg_type_name(v), (int)n);
  memcpy(c->buffer + v->at, bytes, n);
}


/* ---- vectors and complex ---- */

static void store_lane (lcul_call *c, size_t i, int idx, unsigned char *p, char lane) {
  const lcu_dtype *t = c->binding->plan->conv[i].param->dtype;
  lcu_scalar value;
  char why[256];
  lcul_fit fit = lcul_scalar_get(c->L, idx, t, &value);
  if (fit != LCUL_FITS)
    lcul_arg_error(c, i, "component %c: %s", lane,
                   lcul_scalar_why(c->L, idx, t, fit, why, sizeof why));
  lcu_dtype_store(t, p, &value);
}

/* { 1, 2, 3, 4 } or { x = 1, y = 2, z = 3, w = 4 }. */
static void store_vector (lcul_call *c, size_t i, int idx) {
  lua_State *L = c->L;
  const lcul_conv *v = &c->binding->plan->conv[i];
  const lcu_param *p = v->param;
  char why[160];
  if (!lcul_lanes_fit(L, idx, p->vector, lcul_arg_type_name(v), why, sizeof why))
    lcul_arg_error(c, i, "%s", why);
  for (int k = 0; k < p->vector; k++) {
    lcul_lane_push(L, idx, k);
    store_lane(c, i, lua_gettop(L), c->buffer + v->at + (uint32_t)k * p->dtype->size, "xyzw"[k]);
    lua_pop(L, 1);
  }
}

/* A complex value or typed complex scalar is also a float2 or double2. */
static bool store_complex_pair (lcul_call *c, const lcul_conv *v, int idx) {
  const lcu_param *p = v->param;
  const lcul_typed *t = lcul_test(c->L, idx, LCUL_SCALAR);
  bool is_complex =
    t != NULL ? t->dtype->kind == LCU_KIND_COMPLEX : lcul_test(c->L, idx, LCUL_COMPLEX) != NULL;
  if (!is_complex || p->vector != 2 || p->dtype->kind != LCU_KIND_FLOAT || p->dtype->size < 4)
    return false;
  const lcu_dtype *pair = &lcu_dtypes[p->dtype->size == 4 ? LCU_COMPLEX64 : LCU_COMPLEX128];
  lcu_scalar value;
  if (lcul_scalar_get(c->L, idx, pair, &value) != LCUL_FITS) return false;
  lcu_dtype_store(pair, c->buffer + v->at, &value);
  return true;
}

static void store_numbers (lcul_call *c, size_t i, int idx) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  const lcu_param *p = v->param;
  char why[256];
  lcu_scalar value;
  if (p->vector > 1 || (p->dtype->kind != LCU_KIND_COMPLEX && lua_istable(c->L, idx))) {
    if (lua_istable(c->L, idx) || lcul_dims_test(c->L, idx) != NULL) store_vector(c, i, idx);
    else if (!store_complex_pair(c, v, idx))
      lcul_arg_error(c, i, "expected a table of %d values (%s), got %s", p->vector,
                     lcul_arg_type_name(v), lcul_describe_type(c->L, idx, why, sizeof why));
    return;
  }
  lcul_fit fit = lcul_scalar_get(c->L, idx, p->dtype, &value);
  if (fit != LCUL_FITS)
    lcul_arg_error(c, i, "%s", lcul_scalar_why(c->L, idx, p->dtype, fit, why, sizeof why));
  lcu_dtype_store(p->dtype, c->buffer + v->at, &value);
}


/* ---- integers of the parameter's size ---- */

static bool integer_at (lua_State *L, int idx, lua_Integer *out) {
  lcu_scalar value;
  if (lcul_test(L, idx, LCUL_SCALAR) == NULL) return lcul_to_integer(L, idx, out);
  if (lcul_scalar_get(L, idx, &lcu_dtypes[LCU_INT64], &value) != LCUL_FITS) return false;
  *out = value.i;
  return true;
}

/* The range of a signed and an unsigned integer of `size` bytes, together. */
static bool has_room (lua_Integer n, uint32_t size) {
  return size >= 8 ||
         (n >= -((lua_Integer)1 << (size * 8 - 1)) && n < (lua_Integer)1 << (size * 8));
}

static void store_sized_integer (lcul_call *c, size_t i, int idx, uint32_t size, const char *what) {
  char got[128];
  lua_Integer n = 0;
  if (!integer_at(c->L, idx, &n))
    lcul_arg_error(c, i, "expected an integer (%s), got %s", what,
                   lcul_describe_value(c->L, idx, got, sizeof got));
  if (!has_room(n, size))
    lcul_arg_error(c, i, "%" PRId64 " does not fit %u bytes (%s)", (int64_t)n, size, what);
  unsigned char *p = c->buffer + c->binding->plan->conv[i].at;
  uint64_t bits = (uint64_t)n;
  for (uint32_t k = 0; k < size; k++)
    p[k] = (unsigned char)(k < 8 ? bits >> (8 * k) : n < 0 ? 0xff : 0);
}

/* An enumeration whose type the source gives takes the values of that type. */
static void store_enum (lcul_call *c, size_t i, int idx) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  lcu_scalar value;
  char why[256];
  lcul_fit fit = LCUL_FITS;
  if (v->integer != NULL && v->chosen) fit = lcul_scalar_get(c->L, idx, v->integer, &value);
  if (fit == LCUL_FIT_RANGE)
    lcul_arg_error(c, i, "%s (%s)", lcul_scalar_why(c->L, idx, v->integer, fit, why, sizeof why),
                   lcul_arg_type_name(v));
  store_sized_integer(c, i, idx, v->param->size, lcul_arg_type_name(v));
}


/* ---- classes ---- */

static bool is_known_integer (const lcu_param *p) {
  return p->is_enum || strstr(p->class_name, "__int128") != NULL;
}
static bool has_integer_size (const lcu_param *p) {
  return p->size == 1 || p->size == 2 || p->size == 4 || p->size == 8;
}

/* Only the compiler can distinguish an enumeration from a struct of the same size. */
static bool is_integer_class (lcul_call *c, lcul_conv *v) {
  if (is_known_integer(v->param)) return true;
  return has_integer_size(v->param) && lcul_arg_declared(c, v) == LCUL_DECLARED_ENUM;
}

int lcul_arg_type (lua_State *L, int idx) {
  return lcul_test(L, idx, LCUL_RECORD) != NULL ? LUA_TTABLE : lua_type(L, idx);
}

/* Values that are the same in signed and in unsigned integers need no question. */
static bool depends_on_sign (lua_State *L, int idx, uint32_t size) {
  lua_Integer n = 0;
  return size < 8 && integer_at(L, idx, &n) && (n < 0 || n >> (size * 8 - 1) != 0);
}

bool lcul_arg_value_asks (lua_State *L, const lcul_conv *v, int idx) {
  const lcu_param *p = v->param;
  int type = lcul_arg_type(L, idx);
  if (p->dtype != NULL || type == LUA_TNIL || type == LUA_TSTRING) return false;
  if (type == LUA_TTABLE) return true;
  if (is_known_integer(p)) return p->is_enum && depends_on_sign(L, idx, p->size);
  return has_integer_size(p);
}

static void store_struct (lcul_call *c, size_t i, int idx) {
  lcul_conv *v = &c->binding->plan->conv[i];
  char what[256], got[128];
  if (lcul_arg_type(c->L, idx) != LUA_TTABLE)
    lcul_arg_error(c, i, "expected a table or bytes (%s), got %s", lcul_arg_type_name(v),
                   lcul_describe_type(c->L, idx, got, sizeof got));
  if (lcul_arg_declared(c, v) != LCUL_DECLARED_STRUCT) {
    v->declared = LCUL_DECLARED_UNASKED; /* the next launch finds a declaration made by then */
    lcul_arg_error(c, i,
                   "the fields of %s are not known: declare them with cuda.struct(\"%s\", { ... "
                   "}), or pass %u bytes",
                   lcul_arg_type_name(v), v->param->class_name, v->param->size);
  }
  const lcul_struct *s = v->type;
  if (v->param->size != 0 && s->dtype.size != v->param->size)
    lcul_arg_error(c, i, "%s has %u bytes, its declaration by cuda.struct %u",
                   lcul_arg_type_name(v), v->param->size, s->dtype.size);
  if (s->dtype.size > v->room) lcul_arg_error(c, i, "%s is too large", lcul_arg_type_name(v));
  lcul_arg_label(c, i, what, sizeof what);
  lcul_struct_store(c->L, s, idx, c->buffer + v->at, what, &c->uses);
}

void lcul_arg_value (lcul_call *c, size_t i) {
  lcul_conv *v = &c->binding->plan->conv[i];
  int idx = c->first + (int)i, type = lcul_arg_type(c->L, idx);
  if (type == LUA_TNIL) lcul_arg_error(c, i, "expected %s, got nil", lcul_arg_type_name(v));
  if (type == LUA_TSTRING) store_bytes(c, i, idx);
  else if (v->param->dtype != NULL) store_numbers(c, i, idx);
  else if (type != LUA_TTABLE && is_integer_class(c, v)) store_enum(c, i, idx);
  else store_struct(c, i, idx);
}


/* ---- textures and surfaces ---- */

static int wrong_texture (lcul_call *c, size_t i, int idx) {
  char got[128];
  bool surface = c->binding->plan->conv[i].handle == LCUL_HANDLE_SURFACE;
  lcul_describe_type(c->L, idx, got, sizeof got);
  return lcul_arg_error(c, i, "expected a %s, got %s; %s",
                        surface ? "surface (cudaSurfaceObject_t)" : "texture (cudaTextureObject_t)",
                        got,
                        surface ? "cuda.surface makes one of a CUDA array"
                                : "cuda.texture makes one of an array or a CUDA array");
}

void lcul_arg_texture (lcul_call *c, size_t i) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  int idx = c->first + (int)i;
  bool surface;
  char what[256];
  const lcul_texture *t = lcul_texture_test(c->L, idx, &surface);
  bool fits = v->handle == LCUL_HANDLE_UNKNOWN || surface == (v->handle == LCUL_HANDLE_SURFACE);
  if (t == NULL || !fits) wrong_texture(c, i, idx);
  lcul_arg_label(c, i, what, sizeof what);
  uint64_t handle = lcul_texture_use(c->L, t, surface, &c->uses, what);
  memcpy(c->buffer + v->at, &handle, sizeof handle);
}


/* ---- loaded binaries ---- */

static void store_opaque_address (lcul_call *c, size_t i, int idx) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  char what[256];
  uint64_t address;
  lcul_array *a = lcul_array_test(c->L, idx);
  const lcul_pointer *p = a != NULL ? NULL : lcul_test(c->L, idx, LCUL_POINTER);
  const lcul_argument *w = a != NULL || p != NULL ? NULL : lcul_test(c->L, idx, LCUL_ARGUMENT);
  bool raw = w != NULL && w->kind == LCUL_RAW;
  if (raw) {
    lua_getiuservalue(c->L, idx, 1);
    a = lcul_array_test(c->L, -1);
    lua_pop(c->L, 1);
  }
  if (a == NULL && p == NULL)
    lcul_arg_error(
      c, i,
      "the binary does not contain its type: pass an array, cuda.ptr, a typed scalar or bytes");
  if (v->param->size != 8) lcul_arg_error(c, i, "expected %u bytes, got a pointer", v->param->size);
  lcul_arg_label(c, i, what, sizeof what);
  address = a != NULL ? lcul_uses_address(c->L, a, &c->uses, true, raw, what) : p->address;
  memcpy(c->buffer + v->at, &address, sizeof address);
}

/* PTX distinguishes integers from floats. Machine code has only the size: a number could be
 * either. */
void lcul_arg_opaque (lcul_call *c, size_t i) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  int idx = c->first + (int)i, type = lua_type(c->L, idx);
  bool surface;
  if (v->handle != LCUL_HANDLE_NONE && lcul_texture_test(c->L, idx, &surface) != NULL) {
    lcul_arg_texture(c, i);
    return;
  }
  const lcul_typed *t = type == LUA_TUSERDATA ? lcul_test(c->L, idx, LCUL_SCALAR) : NULL;
  if (type == LUA_TSTRING) store_bytes(c, i, idx);
  else if (t != NULL) {
    if (t->dtype->size != v->param->size)
      lcul_arg_error(c, i, "expected %u bytes, got %s (%u bytes)", v->param->size, t->dtype->name,
                     t->dtype->size);
    lcu_dtype_store(t->dtype, c->buffer + v->at, &t->value);
  } else if (type == LUA_TUSERDATA) store_opaque_address(c, i, idx);
  else if (type == LUA_TNUMBER && v->param->indirections > 0)
    lcul_arg_error(c, i, "expected an array, cuda.ptr or bytes (%s), got a number",
                   lcul_arg_type_name(v));
  else if (type == LUA_TNUMBER && v->param->dtype != NULL)
    store_sized_integer(c, i, idx, v->param->size, "according to the PTX");
  else if (type == LUA_TNUMBER)
    lcul_arg_error(c, i,
                   "machine code does not show whether this is an integer or a float: pass a typed "
                   "scalar such as cuda.int32(n)");
  else {
    char got[128];
    lcul_arg_error(c, i, "expected a value of %u bytes, got %s", v->param->size,
                   lcul_describe_type(c->L, idx, got, sizeof got));
  }
}
