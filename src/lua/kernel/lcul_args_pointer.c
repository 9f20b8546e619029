/* lcul_args_pointer.c: arguments for pointer parameters: arrays, addresses, wrapped values. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lcul_args.h"
#include "lcul_argument.h"
#include "lcul_array.h"
#include "lcul_call.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_library.h"
#include "lcul_plan.h"
#include "lcul_pointer.h"
#include "lcul_stream.h"
#include "lcul_struct.h"
#include "lcul_uses.h"


/* "float32 array (const float *)" */
static void expected_array (const lcul_conv *v, char *buf, size_t size) {
  const lcu_param *p = v->param;
  if (v->declared == LCUL_DECLARED_ENUM)
    snprintf(buf, size, "%s array (%s)", v->integer ? v->integer->name : "integer", p->type_name);
  else if (p->is_function) snprintf(buf, size, "cuda.ptr (%s)", p->type_name);
  else if (p->type_name == NULL) snprintf(buf, size, "array");
  else if (p->is_char) snprintf(buf, size, "int8 or uint8 array (%s)", p->type_name);
  else if (p->dtype != NULL) snprintf(buf, size, "%s array (%s)", p->dtype->name, p->type_name);
  else if (p->class_name != NULL) snprintf(buf, size, "struct or uint8 array (%s)", p->type_name);
  else snprintf(buf, size, "array (%s)", p->type_name);
}

static int wrong_pointer (lcul_call *c, size_t i, int idx) {
  char want[LCUL_WHAT_SIZE], got[128];
  const char *hint = "";
  expected_array(&c->binding->plan->conv[i], want, sizeof want);
  lcul_describe_type(c->L, idx, got, sizeof got);
  switch (lua_type(c->L, idx)) {
    case LUA_TNIL: hint = " (NULL is cuda.null)"; break;
    case LUA_TNUMBER: hint = " (an address is cuda.ptr(n))"; break;
    case LUA_TTABLE:
      hint = " (wrap it: cuda.input, cuda.output, cuda.inout, or make a cuda.array)";
      break;
    case LUA_TSTRING: hint = " (wrap bytes: cuda.input)"; break;
    default: break;
  }
  return lcul_arg_error(c, i, "expected %s, got %s%s", want, got, hint);
}


/* ---- does the array fit? ---- */

static int64_t last_extent (const lcul_array *a) { return a->ndim > 0 ? a->shape[a->ndim - 1] : 1; }

/* float4 * takes rows of 4, 8, ... float32; float2 * also takes complex64. */
static bool vector_fits (const lcu_param *p, const lcul_array *a) {
  if (p->vector == 2 && a->dtype->kind == LCU_KIND_COMPLEX && p->dtype->kind == LCU_KIND_FLOAT)
    return a->dtype->size == 2 * p->dtype->size;
  return a->dtype == p->dtype;
}

/* A declaration of "S" applies to S and to ns::S. */
static bool is_struct_named (const char *declared, const char *class_name) {
  size_t n = strlen(declared), m = strlen(class_name);
  return n <= m && strcmp(class_name + m - n, declared) == 0 &&
         (n == m || class_name[m - n - 1] == ':');
}

/* Is the element type a struct declared under the name of the parameter's type? The source may
 * define it differently. */
static bool is_namesake (const lcul_conv *v, const lcul_array *a) {
  return v->declared == LCUL_DECLARED_STRUCT && a->dtype->id == LCU_STRUCT &&
         is_struct_named(a->dtype->name, v->type->dtype.name);
}

static bool class_fits (lcul_call *c, lcul_conv *v, const lcul_array *a) {
  const lcu_dtype *t = a->dtype;
  lcul_declared layout = lcul_arg_declared(c, v);
  if (layout == LCUL_DECLARED_ENUM)
    return (t->kind == LCU_KIND_INT || t->kind == LCU_KIND_UINT) &&
           (v->integer == NULL || t->size == v->integer->size);
  if (t->id == LCU_STRUCT)
    return layout != LCUL_DECLARED_STRUCT || t->size == v->type->dtype.size || is_namesake(v, a);
  return t->id == LCU_UINT8;
}

static bool array_fits (lcul_call *c, lcul_conv *v, const lcul_array *a) {
  const lcu_param *p = v->param;
  if (p->is_function) return false;
  if (p->dtype != NULL && p->indirections == 1 && p->vector == 1) {
    if (lcu_likely(a->dtype == p->dtype)) return true;
    return p->is_char && a->dtype->id == LCU_UINT8;
  }
  if (p->dtype != NULL && p->indirections > 1)
    return a->dtype->id == LCU_UINT64 || a->dtype->id == LCU_INT64;
  if (p->dtype != NULL) return vector_fits(p, a);
  return p->class_name == NULL || class_fits(c, v, a);
}

/* An array of the right type may still not hold whole vectors or structs. */
static void check_units (lcul_call *c, size_t i, const lcul_conv *v, const lcul_array *a) {
  const lcu_param *p = v->param;
  if (p->vector > 1 && a->dtype == p->dtype && last_extent(a) % p->vector != 0)
    lcul_arg_error(c, i, "expected %s array (%s) with a last axis divisible by %d, got %" PRId64,
                   p->dtype->name, p->type_name, p->vector, last_extent(a));
  if (v->declared == LCUL_DECLARED_STRUCT && a->dtype->id == LCU_UINT8 &&
      a->size % v->type->dtype.size != 0)
    lcul_arg_error(c, i, "expected whole elements of %u bytes (%s), got %" PRId64 " bytes",
                   v->type->dtype.size, p->type_name, a->size);
}

static void check_struct (lcul_call *c, size_t i, const lcul_conv *v, const lcul_array *a) {
  char text[384];
  if (!is_namesake(v, a) ||
      lcul_struct_difference(lcul_struct_of(a->dtype), v->type, text, sizeof text) == NULL)
    return;
  lcul_arg_error(c, i, "the array's struct %s is not the kernel's: %s", a->dtype->name, text);
}

static void check_alignment (lcul_call *c, size_t i, const lcul_conv *v, uint64_t address) {
  const lcu_param *p = v->param;
  if (lcu_unlikely((address & v->misaligned) != 0))
    lcul_arg_error(c, i, "the array's first element is aligned to %d bytes, %s needs %u",
                   1 << __builtin_ctzll(address), p->type_name, p->element_align);
}


/* ---- conversion ---- */

static inline void store_pointer (lcul_call *c, const lcul_conv *v, uint64_t address) {
  memcpy(c->buffer + v->at, &address, sizeof address);
}

/* Plain bytes need the right alignment only; rows at a pitch are passed as they are. */
static void store_untyped (lcul_call *c, size_t i, lcul_array *a, bool raw) {
  lcul_conv *v = &c->binding->plan->conv[i];
  char what[LCUL_WHAT_SIZE];
  lcul_arg_label(c, i, what, sizeof what);
  uint64_t address =
    lcul_uses_address(c->L, a, &c->uses, !v->param->is_const, raw || lcul_array_has_rows(a), what);
  check_alignment(c, i, v, address);
  store_pointer(c, v, address);
}

void lcul_arg_array (lcul_call *c, size_t i, int idx, lcul_array *a, bool raw) {
  lcul_conv *v = &c->binding->plan->conv[i];
  const lcu_param *p = v->param;
  char what[LCUL_WHAT_SIZE];
  if (lcu_unlikely(a->block == NULL)) lcul_arg_error(c, i, "attempt to use a closed Array");
  if (lcul_array_is_untyped(a) && !p->is_function) {
    store_untyped(c, i, a, raw);
    return;
  }
  if (lcu_unlikely(!array_fits(c, v, a))) wrong_pointer(c, i, idx);
  if (lcu_unlikely(p->vector > 1 || v->declared == LCUL_DECLARED_STRUCT)) {
    check_struct(c, i, v, a);
    check_units(c, i, v, a);
  }
  lcul_arg_label(c, i, what, sizeof what);
  uint64_t address = lcul_uses_address(c->L, a, &c->uses, !p->is_const, raw, what);
  check_alignment(c, i, v, address);
  store_pointer(c, v, address);
}

static void convert_wrapped (lcul_call *c, size_t i, int idx) {
  const lcul_argument *w = lcul_test(c->L, idx, LCUL_ARGUMENT);
  if (w == NULL) wrong_pointer(c, i, idx);
  lua_getiuservalue(c->L, idx, 1);
  lcul_array *a = lcul_array_test(c->L, -1);
  lua_pop(c->L, 1); /* the wrapper on the stack keeps it alive */
  lcul_arg_array(c, i, idx, a, true);
}

/* Everything but arrays. */
void lcul_arg_pointer (lcul_call *c, size_t i, int idx) {
  if (lua_type(c->L, idx) != LUA_TUSERDATA) wrong_pointer(c, i, idx);
  const lcul_pointer *p = lcul_test(c->L, idx, LCUL_POINTER);
  if (p != NULL) store_pointer(c, &c->binding->plan->conv[i], p->address);
  else convert_wrapped(c, i, idx);
}


/* ---- staging ---- */

static void push_wanted_type (lcul_call *c, lcul_conv *v) {
  const lcu_param *p = v->param;
  if (p->dtype != NULL && p->indirections < 2) lua_pushstring(c->L, p->dtype->name);
  else if (p->class_name != NULL && lcul_arg_declared(c, v) == LCUL_DECLARED_STRUCT) {
    lua_getiuservalue(c->L, c->kernel, 2);
    lua_getfield(c->L, -1, p->class_name);
    lua_remove(c->L, -2);
  } else lua_pushnil(c->L);
}

/* cuda.input and so on: leaves the wrapper and an array made for this launch on the stack. */
void lcul_arg_stage (lcul_call *c, size_t i, int idx, const lcul_argument *w) {
  lua_State *L = c->L;
  char what[LCUL_WHAT_SIZE];
  luaL_checkstack(L, 12, "too many arguments");
  lua_pushvalue(L, idx);
  lcul_push_hook(L, "kernel", "stage");
  lua_pushstring(L, lcul_wrap_name(w->kind));
  lua_getiuservalue(L, idx, 1);
  push_wanted_type(c, &c->binding->plan->conv[i]);
  lcul_device_push(L, c->uses.device);
  lcul_stream_push(L, c->config.stream);
  lua_pushstring(L, lcul_arg_label(c, i, what, sizeof what));
  lua_call(L, 6, 1);
  c->staged++;
}
