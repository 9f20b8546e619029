/* lcul_args.c: Lua values to kernel parameters: counts, numbers and pointers. Structs and vectors:
 * lcul_args_value.c. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lcul_kernel.h"
#include "lcul_scalar.h"

#define WHAT_SIZE 256

/* ---- plans ---- */

static lcul_op number_op (const lcu_dtype *t) {
  if (t->kind == LCU_KIND_INT) return LCUL_OP_INT;
  if (t->kind == LCU_KIND_UINT) return LCUL_OP_UINT;
  if (t->id == LCU_FLOAT32) return LCUL_OP_F32;
  return t->id == LCU_FLOAT64 ? LCUL_OP_F64 : LCUL_OP_NUMBER;
}

static void plan_number (lcul_conv *v, const lcu_dtype *t) {
  unsigned bits = t->size * 8;
  v->op = (uint8_t)number_op(t);
  v->bytes = (uint8_t)t->size;
  v->lo = INT64_MIN;
  v->hi = INT64_MAX;
  if (bits == 64) return;
  if (t->kind == LCU_KIND_INT) {
    v->hi = (int64_t)1 << (bits - 1);
    v->lo = -v->hi;
    v->hi--;
  } else if (t->kind == LCU_KIND_UINT) {
    v->lo = 0;
    v->hi = ((int64_t)1 << bits) - 1;
  }
}

static void plan_pointer (lcul_conv *v, const lcu_param *p) {
  v->op = LCUL_OP_POINTER;
  v->write = !p->is_const;
  if (!p->is_function && p->indirections == 1 && p->vector == 1) v->exact = p->dtype;
  if (p->element_align > 1) v->misaligned = p->element_align - 1; /* a power of two */
}

static void plan_param (lcul_conv *v, const lcu_param *p) {
  v->param = p;
  switch (p->kind) {
    case LCU_PARAM_SCALAR: plan_number(v, p->dtype); break;
    case LCU_PARAM_POINTER: plan_pointer(v, p); break;
    case LCU_PARAM_CLASS: v->op = LCUL_OP_VALUE; break;
    default: v->op = LCUL_OP_OPAQUE; break;
  }
}

static uint32_t room_of (const lcu_param *p) { return p->size ? (p->size + 15) / 16 * 16 : 4096; }

lcul_plan *lcul_plan_new (const lcu_function *f, const char *const *names, size_t num_names) {
  const lcu_signature *s = &f->signature;
  size_t text = 0, head = sizeof(lcul_plan) + s->num_params * sizeof(lcul_conv), bytes = 0;
  bool named = num_names == s->num_params;
  for (size_t i = 0; named && i < num_names; i++) text += strlen(names[i]) + 1;
  for (size_t i = 0; i < s->num_params; i++) bytes += room_of(&s->params[i]);
  size_t room = (head + 15) / 16 * 16, pointers = s->num_params * sizeof(void *),
         uses = s->num_params * sizeof(lcu_use);
  lcul_plan *plan = lcu_calloc(1, room + bytes + pointers + uses + text + 1);
  if (!plan) return NULL;
  char *at = (char *)plan + room + bytes;
  plan->params = (void **)(void *)at;
  plan->uses = (lcu_use *)(void *)(at + pointers);
  at += pointers + uses;
  plan->num = s->num_params;
  plan->known = s->known || s->num_params == 0;
  for (size_t i = 0; i < plan->num; i++) {
    lcul_conv *v = &plan->conv[i];
    plan_param(v, &s->params[i]);
    plan->asks = plan->asks || (s->params[i].class_name && !s->params[i].dtype);
    v->at = plan->bytes;
    v->room = room_of(&s->params[i]);
    v->place = plan->params[i] = (char *)plan + room + v->at;
    plan->bytes += v->room;
    v->name = "";
    if (!named) continue;
    size_t n = strlen(names[i]) + 1;
    v->name = memcpy(at, names[i], n);
    at += n;
  }
  return plan;
}


/* ---- messages ---- */

static void arg_label (const lcul_call *c, size_t i, char *buf, size_t size) {
  const lcul_binding *b = c->binding;
  const char *name = i < b->plan->num ? b->plan->conv[i].name : "";
  if (*name) snprintf(buf, size, "%s: argument %d '%s'", b->function->name, (int)i + 1, name);
  else snprintf(buf, size, "%s: argument %d", b->function->name, (int)i + 1);
}

int lcul_arg_error (lcul_call *c, size_t i, const char *fmt, ...) {
  char label[WHAT_SIZE], text[1024];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  arg_label(c, i, label, sizeof label);
  return lcul_misuse(c->L, "%s: %s", label, text);
}

/* "float32 array (const float *)" */
static void expected_array (const lcu_param *p, char *buf, size_t size) {
  if (p->is_function) snprintf(buf, size, "cuda.ptr (%s)", p->type_name);
  else if (!p->type_name) snprintf(buf, size, "array");
  else if (p->is_char) snprintf(buf, size, "int8 or uint8 array (%s)", p->type_name);
  else if (p->dtype) snprintf(buf, size, "%s array (%s)", p->dtype->name, p->type_name);
  else if (p->class_name) snprintf(buf, size, "struct or uint8 array (%s)", p->type_name);
  else snprintf(buf, size, "array (%s)", p->type_name);
}

static int wrong_pointer (lcul_call *c, size_t i, int idx) {
  char want[WHAT_SIZE], got[128];
  const char *hint = "";
  expected_array(c->binding->plan->conv[i].param, want, sizeof want);
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


/* ---- numbers ---- */

/* Everything that is not a Lua number that fits: typed scalars, and all errors. */
static void convert_number (lcul_call *c, size_t i, int idx) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  const lcu_dtype *t = v->param->dtype;
  lcu_scalar value;
  char why[WHAT_SIZE];
  if (lua_isnoneornil(c->L, idx))
    lcul_arg_error(c, i, "expected %s, got nil",
                   v->param->type_name ? v->param->type_name : t->name);
  lcul_fit fit = lcul_scalar_get(c->L, idx, t, &value);
  if (fit != LCUL_FITS)
    lcul_arg_error(c, i, "%s", lcul_scalar_why(c->L, idx, t, fit, why, sizeof why));
  lcu_dtype_store(t, c->buffer + v->at, &value);
}

/* Lua numbers that are what the parameter wants; false: convert_number decides. */

/* Floats without a fraction are for convert_number, which knows them. */
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

/* Large integers must not be rounded twice, large floats not become infinite: both are rare. */
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


/* ---- pointers ---- */

static int64_t last_extent (const lcul_array *a) { return a->ndim > 0 ? a->shape[a->ndim - 1] : 1; }

/* float4 * takes rows of 4, 8, ... float32; float2 * complex64 as well. */
static bool vector_fits (const lcu_param *p, const lcul_array *a) {
  if (p->vector == 2 && a->dtype->kind == LCU_KIND_COMPLEX && p->dtype->kind == LCU_KIND_FLOAT)
    return a->dtype->size == 2 * p->dtype->size;
  return a->dtype == p->dtype;
}

/* "S" is declared for S and for ns::S. */
static bool is_struct_named (const char *declared, const char *class_name) {
  size_t n = strlen(declared), m = strlen(class_name);
  return n <= m && strcmp(class_name + m - n, declared) == 0 &&
         (n == m || class_name[m - n - 1] == ':');
}

/* Elements of a struct type declared under the name of the parameter's, which the source may define
 * otherwise. */
static bool is_namesake (const lcul_conv *v, const lcul_array *a) {
  return v->layout == LCUL_LAYOUT_STRUCT && a->dtype->id == LCU_STRUCT &&
         is_struct_named(a->dtype->name, v->type->dtype.name);
}

static bool class_fits (lcul_call *c, lcul_conv *v, const lcul_array *a) {
  const lcu_dtype *t = a->dtype;
  lcul_layout layout = lcul_arg_layout(c, v);
  if (layout == LCUL_LAYOUT_ENUM) return t->kind == LCU_KIND_INT || t->kind == LCU_KIND_UINT;
  if (t->id == LCU_STRUCT)
    return layout != LCUL_LAYOUT_STRUCT || t->size == v->type->dtype.size || is_namesake(v, a);
  return t->id == LCU_UINT8;
}

static bool array_fits (lcul_call *c, lcul_conv *v, const lcul_array *a) {
  const lcu_param *p = v->param;
  if (p->is_function) return false;
  if (p->dtype && p->indirections == 1 && p->vector == 1) {
    if (lcu_likely(a->dtype == p->dtype)) return true;
    return p->is_char && a->dtype->id == LCU_UINT8;
  }
  if (p->dtype && p->indirections > 1)
    return a->dtype->id == LCU_UINT64 || a->dtype->id == LCU_INT64;
  if (p->dtype) return vector_fits(p, a);
  return !p->class_name || class_fits(c, v, a);
}

/* What fits in type may still not be whole vectors or structs, or lie at an address the kernel
 * cannot load from. */
static void check_units (lcul_call *c, size_t i, const lcul_conv *v, const lcul_array *a) {
  const lcu_param *p = v->param;
  if (p->vector > 1 && a->dtype == p->dtype && last_extent(a) % p->vector != 0)
    lcul_arg_error(c, i, "expected %s array (%s) with a last axis divisible by %d, got %" PRId64,
                   p->dtype->name, p->type_name, p->vector, last_extent(a));
  if (v->layout == LCUL_LAYOUT_STRUCT && a->dtype->id == LCU_UINT8 &&
      a->size % v->type->dtype.size != 0)
    lcul_arg_error(c, i, "expected whole elements of %u bytes (%s), got %" PRId64 " bytes",
                   v->type->dtype.size, p->type_name, a->size);
}

static void check_struct (lcul_call *c, size_t i, const lcul_conv *v, const lcul_array *a) {
  char text[384];
  if (!is_namesake(v, a) ||
      !lcul_struct_difference(lcul_struct_of(a->dtype), v->type, text, sizeof text))
    return;
  lcul_arg_error(c, i, "the array's struct %s is not the kernel's: %s", a->dtype->name, text);
}

static void check_alignment (lcul_call *c, size_t i, const lcul_conv *v, uint64_t address) {
  const lcu_param *p = v->param;
  if (lcu_unlikely((address & v->misaligned) != 0))
    lcul_arg_error(c, i, "the array's first element lies at a multiple of %d bytes, %s needs %u",
                   1 << __builtin_ctzll(address), p->type_name, p->element_align);
}

static inline void store_pointer (lcul_call *c, const lcul_conv *v, uint64_t address) {
  memcpy(c->buffer + v->at, &address, sizeof address);
}

/* The common case: an array of exactly the parameter's dtype, whole and in reach. False:
 * convert_array decides. */
static inline bool plain_array (const lcul_conv *v, const lcul_array *a, const lcu_device *d,
                                lcu_use *use, void *place) {
  lcu_block *b = a->block;
  if (a->dtype != v->exact || !b || !a->contiguous || b->device != d || b->size == 0) return false;
  uint64_t address = b->address + (uint64_t)a->offset;
  if ((address & v->misaligned) != 0) return false;
  use->block = b;
  use->write = v->write;
  memcpy(place, &address, sizeof address);
  return true;
}

static void convert_array (lcul_call *c, size_t i, int idx, lcul_array *a, bool raw) {
  lcul_conv *v = &c->binding->plan->conv[i];
  const lcu_param *p = v->param;
  char what[WHAT_SIZE];
  if (lcu_unlikely(!a->block)) lcul_arg_error(c, i, "attempt to use a closed Array");
  if (lcu_unlikely(!array_fits(c, v, a))) wrong_pointer(c, i, idx);
  if (lcu_unlikely(p->vector > 1 || v->layout == LCUL_LAYOUT_STRUCT)) {
    check_struct(c, i, v, a);
    check_units(c, i, v, a);
  }
  arg_label(c, i, what, sizeof what);
  uint64_t address = lcul_uses_address(c->L, a, &c->uses, !p->is_const, raw, what);
  check_alignment(c, i, v, address);
  store_pointer(c, v, address);
}

static void push_wanted_type (lcul_call *c, lcul_conv *v) {
  const lcu_param *p = v->param;
  if (p->dtype && p->indirections < 2) lua_pushstring(c->L, p->dtype->name);
  else if (p->class_name && lcul_arg_layout(c, v) == LCUL_LAYOUT_STRUCT) {
    lua_getiuservalue(c->L, c->kernel, 2);
    lua_getfield(c->L, -1, p->class_name);
    lua_remove(c->L, -2);
  } else lua_pushnil(c->L);
}

/* cuda.input and so on: leaves the wrapper and an array made for this launch on the stack. */
static void stage (lcul_call *c, size_t i, int idx, const lcul_argument *w) {
  lua_State *L = c->L;
  char what[WHAT_SIZE];
  luaL_checkstack(L, 12, "too many arguments");
  lua_pushvalue(L, idx);
  lcul_push_hook(L, "kernel", "stage");
  lua_pushstring(L, lcul_wrap_name(w->kind));
  lua_getiuservalue(L, idx, 1);
  push_wanted_type(c, &c->binding->plan->conv[i]);
  lcul_device_push(L, c->uses.device);
  lcul_stream_push(L, c->config.stream);
  arg_label(c, i, what, sizeof what);
  lua_pushstring(L, what);
  lua_call(L, 6, 1);
  c->staged++;
}

static void convert_wrapped (lcul_call *c, size_t i, int idx) {
  const lcul_argument *w = lcul_test(c->L, idx, LCUL_ARGUMENT);
  if (!w) wrong_pointer(c, i, idx);
  lua_getiuservalue(c->L, idx, 1);
  lcul_array *a = lcul_array_test(c->L, -1);
  lua_pop(c->L, 1); /* the wrapper on the stack keeps it */
  convert_array(c, i, idx, a, true);
}

/* Everything but arrays. */
static void convert_pointer (lcul_call *c, size_t i, int idx) {
  if (lua_type(c->L, idx) != LUA_TUSERDATA) wrong_pointer(c, i, idx);
  const lcul_pointer *p = lcul_test(c->L, idx, LCUL_POINTER);
  if (p) store_pointer(c, &c->binding->plan->conv[i], p->address);
  else convert_wrapped(c, i, idx);
}


/* ---- all of them ---- */

static void wrong_count (const lcul_call *c, int nargs) {
  size_t n = c->binding->plan->num;
  lcul_misuse(c->L, "%s: expected %d argument%s%s, got %d", c->binding->function->name, (int)n,
              n == 1 ? "" : "s", c->prepared ? "" : " after the launch table", nargs);
}

int lcul_args_plain (lua_State *L, const lcul_plan *plan, const lcu_device *d, int first,
                     int nargs) {
  lcu_use *use = plan->uses;
  int idx = first;
  if (lcu_unlikely((size_t)nargs != plan->num || !plan->known)) return -1;
  for (const lcul_conv *v = plan->conv, *end = v + plan->num; v < end; v++, idx++) {
    const lcul_array *a;
    switch (v->op) {
      case LCUL_OP_POINTER:
        a = lcul_test(L, idx, LCUL_ARRAY);
        if (lcu_unlikely(a == NULL || !plain_array(v, a, d, use, v->place))) return -1;
        use++;
        break;
      case LCUL_OP_INT:
      case LCUL_OP_UINT:
        if (lcu_unlikely(!plain_int(L, v, idx, v->place))) return -1;
        break;
      case LCUL_OP_F32:
      case LCUL_OP_F64:
        if (lcu_unlikely(!plain_float(L, v, idx, v->place))) return -1;
        break;
      default: return -1;
    }
  }
  return (int)(use - plan->uses);
}

static void convert_values (lcul_call *c) {
  const lcul_plan *plan = c->binding->plan;
  for (size_t i = 0; i < plan->num; i++) {
    const lcul_conv *v = &plan->conv[i];
    int idx = c->first + (int)i;
    c->params[i] = c->buffer + v->at;
    switch (v->op) {
      case LCUL_OP_POINTER: break;
      case LCUL_OP_INT:
      case LCUL_OP_UINT:
        if (!plain_int(c->L, v, idx, c->params[i])) convert_number(c, i, idx);
        break;
      case LCUL_OP_F32:
      case LCUL_OP_F64:
        if (!plain_float(c->L, v, idx, c->params[i])) convert_number(c, i, idx);
        break;
      case LCUL_OP_NUMBER: convert_number(c, i, idx); break;
      case LCUL_OP_VALUE: lcul_arg_value(c, i); break;
      default: lcul_arg_opaque(c, i); break;
    }
  }
}

static const lcul_argument *staged_wrapper (lua_State *L, int idx) {
  const lcul_argument *w =
    lua_type(L, idx) == LUA_TUSERDATA ? lcul_test(L, idx, LCUL_ARGUMENT) : NULL;
  return w && w->kind != LCUL_RAW ? w : NULL;
}

/* Is the layout of the parameter's class needed, and not asked for yet? */
static bool must_ask (const lcul_call *c, size_t i) {
  const lcul_conv *v = &c->binding->plan->conv[i];
  if (v->layout != LCUL_LAYOUT_UNASKED || !v->param->class_name || v->param->dtype) return false;
  if (v->op == LCUL_OP_POINTER) return !v->param->is_function;
  return v->op == LCUL_OP_VALUE && lcul_arg_value_asks(v, lcul_arg_type(c->L, c->first + (int)i));
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

/* What may run Lua code: asking for layouts, and arrays made for this launch. */
static void prepare_arguments (lcul_call *c) {
  const lcul_plan *plan = c->binding->plan;
  lcul_stream_hold(c->L, c->config.stream);
  c->held = lua_gettop(c->L);
  c->pairs = c->held + 1;
  for (size_t i = 0; i < plan->num; i++) {
    if (must_ask(c, i)) lcul_arg_layout(c, &c->binding->plan->conv[i]);
    if (is_staged(c, i)) stage(c, i, c->first + (int)i, staged_wrapper(c->L, c->first + (int)i));
  }
}

static void convert_pointers (lcul_call *c) {
  const lcul_plan *plan = c->binding->plan;
  int staged = c->pairs + 1;
  for (size_t i = 0; i < plan->num; i++) {
    const lcul_conv *v = &plan->conv[i];
    int idx = c->first + (int)i;
    if (v->op != LCUL_OP_POINTER) continue;
    if (is_staged(c, i)) {
      idx = staged;
      staged += 2;
    }
    lcul_array *a = lcul_test(c->L, idx, LCUL_ARRAY);
    if (lcu_likely(a != NULL && c->uses.n < c->uses.max &&
                   plain_array(v, a, c->uses.device, &c->uses.uses[c->uses.n], c->params[i]))) {
      c->uses.n++;
      continue;
    }
    if (a) convert_array(c, i, idx, a, false);
    else convert_pointer(c, i, idx);
  }
}

/* What may run Lua code comes first: none may run between reading the blocks of arrays and the
 * launch, which could close them. */
void lcul_args_convert (lcul_call *c, int nargs) {
  if ((size_t)nargs != c->binding->plan->num) wrong_count(c, nargs);
  if (!c->binding->plan->known)
    lcul_misuse(c->L, "%s: its parameters are not known", c->binding->function->name);
  if (lcu_unlikely(runs_lua(c))) prepare_arguments(c);
  convert_values(c);
  convert_pointers(c);
}


/* ---- which device ---- */

/* The array an argument is or wraps (cuda.raw); borrowed from the stack. */
static lcul_array *array_of (lua_State *L, int idx) {
  lcul_array *a = lcul_array_test(L, idx);
  if (!a && lua_type(L, idx) != LUA_TUSERDATA) return NULL;
  const lcul_argument *w = a ? NULL : lcul_test(L, idx, LCUL_ARGUMENT);
  if (w && w->kind == LCUL_RAW) {
    lua_getiuservalue(L, idx, 1);
    a = lcul_array_test(L, -1);
    lua_pop(L, 1);
  }
  return a && a->block ? a : NULL;
}

static bool reaches_all (lua_State *L, lcu_device *d, int first, int nargs) {
  for (int i = 0; i < nargs; i++) {
    lcul_array *a = array_of(L, first + i);
    cu_deviceptr p;
    if (a && !lcul_uses_reach(L, a->block, d, &p)) return false;
  }
  return true;
}

/* The device that the arguments' memory wants. *host: that of memory without a say, when there is
 * nothing else. */
static lcu_device *wanted_device (lua_State *L, const char *kernel, int first, int nargs,
                                  lcu_device **host) {
  lcu_device *found = NULL;
  int by = 0;
  for (int i = 0; i < nargs; i++) {
    lcul_array *a = array_of(L, first + i);
    if (!a) continue;
    lcu_device *d = a->block->device;
    if (!lcul_args_decide(a->block)) {
      *host = *host ? *host : d;
      continue;
    }
    if (found && d != found)
      lcul_misuse(L,
                  "%s: argument %d lies on %s, argument %d on %s; one launch needs them on one "
                  "device (:to())",
                  kernel, by + 1, found->label, i + 1, d->label);
    if (!found) {
      found = d;
      by = i;
    }
  }
  return found;
}

lcu_device *lcul_args_device (lua_State *L, const char *kernel, int first, int nargs) {
  lcu_device *host = NULL, *found = wanted_device(L, kernel, first, nargs, &host);
  if (found || !host) return found;
  lcu_device *current = lcul_device_current(L);
  return reaches_all(L, current, first, nargs) ? current : host;
}

lcu_device *lcul_operands_device (lua_State *L, const char *what, int first, int nargs) {
  lcu_device *host = NULL, *found = wanted_device(L, what, first, nargs, &host);
  return found ? found : host;
}
