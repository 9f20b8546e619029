/* lcul_args.c: Lua values to kernel parameters: counts, numbers, plain arrays. Other pointers:
 * lcul_args_pointer.c; structs and vectors: lcul_args_value.c. */
#include "lcul_args.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lcul_argument.h"
#include "lcul_array.h"
#include "lcul_call.h"
#include "lcul_class.h"
#include "lcul_plan.h"
#include "lcul_pointer.h"
#include "lcul_position.h"
#include "lcul_scalar.h"
#include "lcul_stream.h"
#include "lcul_texture.h"


/* ---- plain values; false: the value needs the slow path ---- */

/* convert_number accepts floats without a fraction. */
static inline bool plain_int (lua_State *L, const lcul_conv *v, int idx, void *p) {
  if (lcu_unlikely(!lua_isinteger(L, idx))) return false;
  lua_Integer n = lua_tointeger(L, idx);
  if (lcu_unlikely(n < v->lo || n > v->hi)) return false;
  switch (v->bytes) { /* the low bytes come first */
    case 4: memcpy(p, &n, 4); break;
    case 8: memcpy(p, &n, 8); break;
    case 2: memcpy(p, &n, 2); break;
    default: memcpy(p, &n, 1); break;
  }
  return true;
}

/* Rare cases take the slow path: large integers must not be rounded twice, nor large floats become
 * infinite. */
static inline bool plain_float (lua_State *L, const lcul_conv *v, int idx, void *p) {
  if (lcu_unlikely(lua_type(L, idx) != LUA_TNUMBER)) return false;
  lua_Number d = lua_tonumber(L, idx);
  if (v->op == LCUL_OP_F64) memcpy(p, &d, 8);
  else if (lcu_unlikely(!(fabs(d) <= 0x1p53))) return false;
  else {
    float f = (float)d;
    memcpy(p, &f, 4);
  }
  return true;
}

/* The common case: a contiguous array of a dtype that fits in any case, on this device. False:
 * lcul_arg_array decides. */
static inline bool plain_array (const lcul_conv *v, const lcul_array *a, const lcu_device *d,
                                lcu_use *use, void *place) {
  lcu_block *b = a->block;
  if ((a->dtype != v->exact && !v->any) || b == NULL || !a->contiguous || b->device != d ||
      b->size == 0 || (b->readonly && v->write))
    return false;
  uint64_t address = b->address + (uint64_t)a->offset;
  if ((address & v->misaligned) != 0) return false;
  use->block = b;
  use->write = v->write;
  memcpy(place, &address, sizeof address);
  return true;
}

/* An array, which is a use, or an address. NULL: the slow path decides. */
static inline lcu_use *plain_pointer (lua_State *L, const lcul_conv *v, int idx,
                                      const lcu_device *d, lcu_use *use) {
  const lcul_array *a = lcul_test(L, idx, LCUL_ARRAY);
  if (lcu_likely(a != NULL)) return plain_array(v, a, d, use, v->place) ? use + 1 : NULL;
  const lcul_pointer *p = lcul_test(L, idx, LCUL_POINTER);
  if (p == NULL) return NULL;
  memcpy(v->place, &p->address, sizeof p->address);
  return use;
}

/* The bytes of a struct. */
static inline bool plain_bytes (lua_State *L, const lcul_conv *v, int idx) {
  size_t n;
  if (lua_type(L, idx) != LUA_TSTRING) return false;
  const char *bytes = lua_tolstring(L, idx, &n);
  if (n != v->param->size) return false;
  memcpy(v->place, bytes, n);
  return true;
}

/* Adds two uses; NULL: the slow path decides. */
static inline lcu_use *plain_texture (lua_State *L, const lcul_conv *v, int idx,
                                      const lcu_device *d, lcu_use *use) {
  bool surface;
  const lcul_texture *t = lcul_texture_test(L, idx, &surface);
  if (t == NULL || t->block == NULL || t->block->device != d ||
      surface != (v->handle == LCUL_HANDLE_SURFACE))
    return NULL;
  uint64_t handle = lcu_texture_handle(t->block);
  memcpy(v->place, &handle, sizeof handle);
  use[0] = (lcu_use){ t->block, false };
  use[1] = (lcu_use){ lcu_texture_source(t->block), surface };
  return use + 2;
}

int lcul_args_plain (lua_State *L, const lcul_plan *plan, const lcu_device *d, int first,
                     int nargs) {
  lcu_use *use = plan->uses;
  int idx = first;
  if (lcu_unlikely((size_t)nargs != plan->num || !plan->known)) return -1;
  for (const lcul_conv *v = plan->conv, *end = v + plan->num; v < end; v++, idx++) {
    switch (v->op) {
      case LCUL_OP_POINTER:
        use = plain_pointer(L, v, idx, d, use);
        if (lcu_unlikely(use == NULL)) return -1;
        break;
      case LCUL_OP_INT:
      case LCUL_OP_UINT:
        if (lcu_unlikely(!plain_int(L, v, idx, v->place))) return -1;
        break;
      case LCUL_OP_F32:
      case LCUL_OP_F64:
        if (lcu_unlikely(!plain_float(L, v, idx, v->place))) return -1;
        break;
      case LCUL_OP_TEXTURE:
        use = plain_texture(L, v, idx, d, use);
        if (lcu_unlikely(use == NULL)) return -1;
        break;
      case LCUL_OP_VALUE:
        if (lcu_unlikely(!plain_bytes(L, v, idx))) return -1;
        break;
      default: return -1;
    }
  }
  return (int)(use - plan->uses);
}


/* ---- all values ---- */

/* Values that are not plain: typed scalars, and all errors. */
static void convert_number (lcul_call *c, size_t i, int idx) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  const lcu_dtype *t = v->param->dtype;
  lcu_scalar value;
  char why[LCUL_WHAT_SIZE];
  if (lua_isnoneornil(c->L, idx))
    lcul_arg_error(c, i, "expected %s, got nil",
                   v->param->type_name != NULL ? v->param->type_name : t->name);
  lcul_fit fit = lcul_scalar_get(c->L, idx, t, &value);
  if (fit != LCUL_FITS)
    lcul_arg_error(c, i, "%s", lcul_scalar_why(c->L, idx, t, fit, why, sizeof why));
  lcu_dtype_store(t, c->buffer + v->at, &value);
}

/* A declaration by another name, or without source, may stand for a texture or surface. */
static void convert_integer (lcul_call *c, size_t i, int idx) {
  bool surface;
  const lcul_conv *v = &c->binding->plan->conv[i];
  if (v->handle == LCUL_HANDLE_UNKNOWN && lcul_texture_test(c->L, idx, &surface) != NULL)
    lcul_arg_texture(c, i);
  else convert_number(c, i, idx);
}

static void wrong_count (const lcul_call *c, int nargs) {
  size_t n = c->binding->plan->num;
  lcul_misuse(c->L, "%s: expected %d argument%s%s, got %d", c->binding->function->name, (int)n,
              n == 1 ? "" : "s", c->prepared ? "" : " after the launch table", nargs);
}

static void convert_value (lcul_call *c, size_t i) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  int idx = c->first + (int)i;
  c->params[i] = c->buffer + v->at;
  switch (v->op) {
    case LCUL_OP_POINTER: break;
    case LCUL_OP_INT:
    case LCUL_OP_UINT:
      if (!plain_int(c->L, v, idx, c->params[i])) convert_integer(c, i, idx);
      break;
    case LCUL_OP_F32:
    case LCUL_OP_F64:
      if (!plain_float(c->L, v, idx, c->params[i])) convert_number(c, i, idx);
      break;
    case LCUL_OP_NUMBER: convert_number(c, i, idx); break;
    case LCUL_OP_VALUE: lcul_arg_value(c, i); break;
    case LCUL_OP_TEXTURE: lcul_arg_texture(c, i); break;
    default: lcul_arg_opaque(c, i); break;
  }
}

static void convert_values (lcul_call *c) {
  for (size_t i = 0; i < c->binding->plan->num; i++) convert_value(c, i);
}


/* ---- arguments that run Lua code ---- */

static const lcul_argument *staged_wrapper (lua_State *L, int idx) {
  const lcul_argument *w =
    lua_type(L, idx) == LUA_TUSERDATA ? lcul_test(L, idx, LCUL_ARGUMENT) : NULL;
  return w != NULL && w->kind != LCUL_RAW ? w : NULL;
}

/* Is the declaration of the parameter's class needed, and not known yet? */
static bool must_ask (const lcul_call *c, size_t i) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  if (v->declared != LCUL_DECLARED_UNASKED || v->param->class_name == NULL ||
      v->param->dtype != NULL)
    return false;
  if (v->op == LCUL_OP_POINTER) return !v->param->is_function;
  return v->op == LCUL_OP_VALUE && lcul_arg_value_asks(c->L, v, c->first + (int)i);
}

static bool is_staged (const lcul_call *c, size_t i) {
  return c->binding->plan->conv[i].op == LCUL_OP_POINTER &&
         staged_wrapper(c->L, c->first + (int)i) != NULL;
}

static bool runs_lua (const lcul_call *c) {
  for (size_t i = 0; i < c->binding->plan->num; i++)
    if (is_staged(c, i) || (c->binding->plan->asks && must_ask(c, i))) return true;
  return false;
}

/* Runs everything that may run Lua code: finding declarations, and making arrays for this
 * launch. */
static void prepare_arguments (lcul_call *c) {
  const lcul_plan *plan = c->binding->plan;
  lcul_stream_hold(c->L, c->config.stream);
  c->held = lua_gettop(c->L);
  c->pairs = c->held + 1;
  for (size_t i = 0; i < plan->num; i++) {
    if (must_ask(c, i)) lcul_arg_declared(c, &c->binding->plan->conv[i]);
    if (is_staged(c, i))
      lcul_arg_stage(c, i, c->first + (int)i, staged_wrapper(c->L, c->first + (int)i));
  }
}


/* ---- all together ---- */

static void convert_pointer (lcul_call *c, size_t i, int idx) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  lcul_array *a = lcul_test(c->L, idx, LCUL_ARRAY);
  if (lcu_likely(a != NULL && c->uses.n < c->uses.max &&
                 plain_array(v, a, c->uses.device, &c->uses.uses[c->uses.n], c->params[i]))) {
    c->uses.n++;
    return;
  }
  if (a != NULL) lcul_arg_array(c, i, idx, a, false);
  else lcul_arg_pointer(c, i, idx);
}

static void convert_pointers (lcul_call *c) {
  const lcul_plan *plan = c->binding->plan;
  int staged = c->pairs + 1;
  for (size_t i = 0; i < plan->num; i++) {
    int idx = c->first + (int)i;
    if (plan->conv[i].op != LCUL_OP_POINTER) continue;
    if (is_staged(c, i)) {
      idx = staged;
      staged += 2;
    }
    convert_pointer(c, i, idx);
  }
}

void lcul_args_check (lcul_call *c, size_t i) {
  lcul_conv *v = &c->binding->plan->conv[i];
  if (is_staged(c, i)) return;
  if (c->binding->plan->asks && must_ask(c, i)) lcul_arg_declared(c, v);
  convert_value(c, i);
  if (v->op == LCUL_OP_POINTER) convert_pointer(c, i, c->first + (int)i);
}

/* Lua code runs first: between reading the blocks of arrays and the launch it could close them. */
void lcul_args_convert (lcul_call *c, int nargs) {
  if ((size_t)nargs != c->binding->plan->num) wrong_count(c, nargs);
  if (!c->binding->plan->known)
    lcul_misuse(c->L, "%s: its parameters are not known", c->binding->function->name);
  if (lcu_unlikely(runs_lua(c))) prepare_arguments(c);
  convert_values(c);
  convert_pointers(c);
}
