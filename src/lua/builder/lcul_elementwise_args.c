/* lcul_elementwise_args.c: the arguments of an elementwise call: kinds, options, dtypes, the common
 * shape. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lcul_args.h"
#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_builder.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_elementwise.h"
#include "lcul_foreign.h"
#include "lcul_library.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_shape.h"
#include "lcul_stream.h"
#include "lcul_struct.h"
#include "lcul_texture.h"


/* ---- messages ---- */

int lcul_ew_error (lcul_ewcall *c, int param, const char *fmt, ...) {
  char text[2 * LCUL_EW_TEXT];
  va_list args;
  lua_State *L = c->L;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  lua_getiuservalue(L, c->self, LCUL_EW_STATE);
  const char *name = "";
  if (lua_getfield(L, -1, "params") == LUA_TTABLE && lua_geti(L, -1, param + 1) == LUA_TTABLE &&
      lua_getfield(L, -1, "name") == LUA_TSTRING)
    name = lua_tostring(L, -1);
  if (*name) return lcul_misuse(L, "%s: argument %d '%s': %s", c->e->name, param + 1, name, text);
  return lcul_misuse(L, "%s: argument %d: %s", c->e->name, param + 1, text);
}

/* Where the reason begins that a number is out of the range of integers; NULL: it is another. */
static const char *integer_range (const char *why) {
  const char *range = strstr(why, " is out of range for int");
  return range != NULL ? range : strstr(why, " is out of range for uint");
}

int lcul_ew_misfit (lcul_ewcall *c, int param, const char *why) {
  lua_State *L = c->L;
  const char *range = integer_range(why);
  lua_getiuservalue(L, c->self, LCUL_EW_STATE);
  if (range != NULL && lua_getfield(L, -1, "params") == LUA_TTABLE &&
      lua_geti(L, -1, param + 1) == LUA_TTABLE && lua_getfield(L, -1, "misfit") == LUA_TSTRING)
    return lcul_ew_error(c, param, "%.*s %s", (int)(range - why), why, lua_tostring(L, -1));
  return lcul_ew_error(c, param, "%s", why);
}

static const char *wanted_value (const lcul_elementwise *e, int param) {
  if (e->handles[param] != '\0')
    return e->handles[param] == 't' ? "a texture (cudaTextureObject_t)"
                                    : "a surface (cudaSurfaceObject_t)";
  return param >= e->inputs ? "an array" : "an array or a number";
}

static const char *hint_for (lcul_ewcall *c, int param) {
  bool surface;
  if (c->e->handles[param] != '\0' || param >= c->e->inputs) return "";
  if (lcul_texture_test(c->L, c->first + param, &surface) == NULL) return "";
  return surface ? "; declare the parameter with the type cudaSurfaceObject_t"
                 : "; declare the parameter with the type cudaTextureObject_t";
}

static int wrong_ew_value (lcul_ewcall *c, int param) {
  char got[LCUL_EW_TEXT];
  const char *wanted = wanted_value(c->e, param);
  lcul_describe_type(c->L, c->first + param, got, sizeof got);
  return lcul_ew_error(c, param, "expected %s, got %s%s", wanted, got, hint_for(c, param));
}


/* ---- kinds ---- */

/* A texture or surface does not select dtypes. */
static void read_handle (lcul_ewcall *c, int param) {
  bool surface;
  const lcul_texture *t = lcul_texture_test(c->L, c->first + param, &surface);
  if (t == NULL || surface != (c->e->handles[param] == 's')) wrong_ew_value(c, param);
  if (t->block == NULL)
    lcul_ew_error(c, param, "attempt to use a closed %s", surface ? "Surface" : "Texture");
  c->arrays[param] = NULL;
  c->kinds[param] = lcul_kind_word(LCUL_KIND_INT, NULL);
}

/* "U tex", as CuPy declares a texture: if the first call passes one, hooks.adopt(state, k, type)
 * gives the parameter that type. */
static LCU_COLD bool adopt_handle (lcul_ewcall *c, int param) {
  lua_State *L = c->L;
  bool surface;
  if (c->e->raw[param] || lcul_texture_test(L, c->first + param, &surface) == NULL) return false;
  lcul_push_hook(L, "elementwise", "adopt");
  lua_getiuservalue(L, c->self, LCUL_EW_STATE);
  lua_pushinteger(L, param + 1);
  lua_pushstring(L, surface ? "cudaSurfaceObject_t" : "cudaTextureObject_t");
  lua_call(L, 3, 1);
  bool adopted = lua_toboolean(L, -1);
  lua_pop(L, 1);
  c->asked = true;
  if (adopted) c->e->handles[param] = surface ? 's' : 't';
  return adopted;
}

/* Values that are neither arrays nor numbers. */
static LCU_COLD void read_other (lcul_ewcall *c, int param) {
  if (!adopt_handle(c, param)) wrong_ew_value(c, param);
  read_handle(c, param);
}

static void read_param (lcul_ewcall *c, int param) {
  lua_State *L = c->L;
  int idx = c->first + param;
  if (lcu_unlikely(c->e->handles[param] != '\0')) {
    read_handle(c, param);
    return;
  }
  lcul_array *a = lcul_test(L, idx, LCUL_ARRAY);
  c->arrays[param] = a;
  if (a != NULL) {
    if (lcu_unlikely(a->block == NULL)) lcul_ew_error(c, param, "attempt to use a closed Array");
    if (lcu_unlikely(a->dtype->kind == LCU_KIND_STRUCT && !c->e->raw[param] && !c->e->structs))
      lcul_ew_error(c, param, "arrays of %s can only be passed to raw parameters", a->dtype->name);
    if (param >= c->e->inputs) lcul_array_writable(L, a, c->e->name);
    c->kinds[param] = lcul_kind_word(LCUL_KIND_ARRAY, a->dtype);
    return;
  }
  if (param >= c->e->inputs && lua_isnil(L, idx)) {
    if (c->e->raw[param] && c->size < 0)
      lcul_ew_error(c, param,
                    "a raw output must be given, or { size = n } where every array is raw");
    c->kinds[param] = lcul_kind_word(LCUL_KIND_NONE, NULL);
    return;
  }
  if (param >= c->e->inputs) wrong_ew_value(c, param);
  c->kinds[param] = lcul_kind_scalar(L, idx);
  if (lcu_unlikely(c->kinds[param] == 0)) read_other(c, param);
}


/* ---- options ---- */

void lcul_ew_out (lcul_ewcall *c, int opts) {
  lua_State *L = c->L;
  int type = lua_getfield(L, opts, "out");
  if (type != LUA_TNIL && lcul_foreign_replace(L, -1)) type = LUA_TUSERDATA;
  if (type == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  for (int k = 0; k < c->e->outputs; k++) {
    int idx = c->first + c->e->inputs + k;
    if (!lua_isnil(L, idx))
      lcul_misuse(L, "%s: outputs are given both as arguments and as 'out'", c->e->name);
    if (type == LUA_TTABLE) lua_rawgeti(L, -1, k + 1);
    else if (k == 0) lua_pushvalue(L, -1);
    else lua_pushnil(L);
    (void)lcul_foreign_replace(L, -1);
    lua_replace(L, idx);
  }
  lua_pop(L, 1);
}

int64_t lcul_ew_size (const lcul_ewcall *c, int opts) {
  lua_State *L = c->L;
  char got[LCUL_EW_TEXT];
  lua_Integer n = -1;
  if (lua_getfield(L, opts, "size") != LUA_TNIL && (!lcul_to_integer(L, -1, &n) || n < 0))
    lcul_misuse(L, "%s: option 'size': expected an integer, 0 or more, got %s", c->e->name,
                lcul_describe_value(L, -1, got, sizeof got));
  lua_pop(L, 1);
  return n;
}

void lcul_ew_stream (lcul_ewcall *c, int opts) {
  lua_State *L = c->L;
  if (lua_getfield(L, opts, "stream") != LUA_TNIL) {
    char got[LCUL_EW_TEXT];
    if (lcul_test(L, -1, LCUL_STREAM) == NULL)
      lcul_misuse(L, "%s: option 'stream': expected a Stream, got %s", c->e->name,
                  lcul_describe(L, -1, got, sizeof got));
    c->stream = lcul_stream_check(L, -1);
  }
  lua_pop(L, 1);
}

/* Reads the trailing table; puts outputs given there in their places. */
static void read_ew_options (lcul_ewcall *c, int opts) {
  static const char *const names[] = { "device", "out", "size", "stream", NULL };
  lua_State *L = c->L;
  lcul_options(L, opts, c->e->name, names);
  lcul_ew_out(c, opts);
  if (lua_getfield(L, opts, "device") != LUA_TNIL) c->device = lcul_opt_device(L, opts);
  lua_pop(L, 1);
  c->size = lcul_ew_size(c, opts);
  lcul_ew_stream(c, opts);
}

static int wrong_count (lcul_ewcall *c, int nargs) {
  const lcul_elementwise *e = c->e;
  if (nargs < e->inputs)
    return lcul_misuse(c->L, "%s: expected %d input%s, got %d", e->name, e->inputs,
                       e->inputs == 1 ? "" : "s", nargs);
  return lcul_misuse(c->L, "%s: expected %d input%s and at most %d output%s, got %d arguments",
                     e->name, e->inputs, e->inputs == 1 ? "" : "s", e->outputs,
                     e->outputs == 1 ? "" : "s", nargs);
}

static const lcu_block *block_of (const lcul_ewcall *c, int i) {
  bool surface;
  if (c->arrays[i] != NULL) return c->arrays[i]->block;
  if (lcu_likely(c->e->handles[i] == '\0')) return NULL;
  return lcul_texture_test(c->L, c->first + i, &surface)->block;
}

/* The device of all arrays and textures. In the usual case all are in the memory of one device. */
static lcu_device *common_device (const lcul_ewcall *c) {
  lcu_device *d = NULL;
  for (int i = 0; i < c->e->num; i++) {
    const lcu_block *b = block_of(c, i);
    if (b == NULL) continue;
    if (lcu_unlikely(!lcul_args_decide(b) || (d != NULL && b->device != d)))
      return lcul_operands_device(c->L, c->e->name, c->first, c->e->num);
    d = b->device;
  }
  return d;
}

/* The device of the arrays; if they leave it open, the requested or the current one. */
static void choose_device (lcul_ewcall *c) {
  lcu_device *d = common_device(c);
  lcu_device *asked = c->stream != NULL ? c->stream->device : c->device;
  if (asked != NULL && d != NULL && d != asked)
    lcul_misuse(c->L, "%s: the arrays are on %s, %s is on %s", c->e->name, d->label,
                c->stream != NULL ? "the stream" : "option 'device'", asked->label);
  c->device = d != NULL ? d : asked != NULL ? asked : lcul_device_current(c->L);
  if (c->stream == NULL) c->stream = lcul_stream_current(c->L, c->device);
}

void lcul_ew_find_stream (lcul_ewcall *c) {
  lua_State *L = c->L;
  c->stream = NULL;
  if (c->options != 0 && lua_istable(L, c->options)) {
    if (lua_getfield(L, c->options, "stream") != LUA_TNIL) c->stream = lcul_stream_check(L, -1);
    lua_pop(L, 1);
  }
  if (c->stream == NULL || c->stream->device != c->device)
    c->stream = lcul_stream_current(L, c->device);
}

void lcul_ew_read (lcul_ewcall *c, int nargs) {
  lua_State *L = c->L;
  const lcul_elementwise *e = c->e;
  int last = c->first + nargs - 1;
  bool has_options = nargs > e->inputs && lua_istable(L, last);
  if (lcu_unlikely(nargs - has_options < e->inputs || nargs - has_options > e->num))
    wrong_count(c, nargs - has_options);
  luaL_checkstack(L, e->num + 16, e->name);
  if (has_options) { /* moved after the places of all parameters */
    int opts = c->first + e->num;
    lua_settop(L, opts);
    if (last < opts) {
      lua_pushvalue(L, last);
      lua_replace(L, opts);
      lua_pushnil(L);
      lua_replace(L, last);
    }
    c->options = opts;
    read_ew_options(c, opts);
  } else lua_settop(L, c->first + e->num - 1);
  for (int i = 0; i < e->num; i++) read_param(c, i);
  choose_device(c);
}


/* ---- dtypes ---- */

/* Pushes the kind of an argument; an array of structs has its Struct. */
static void push_kind (lcul_ewcall *c, int i) {
  const lcul_array *a = c->arrays[i];
  if (a != NULL && c->e->structs && a->dtype->kind == LCU_KIND_STRUCT)
    lua_getiuservalue(c->L, c->first + i, LCUL_UV_DTYPE);
  else lcul_kind_push(c->L, c->kinds[i]);
}

/* The type at the top of the stack, a name or a Struct; NULL: no dtype has the name. */
static const lcu_dtype *type_named (lcul_ewcall *c, int param, const char **name) {
  lua_State *L = c->L;
  size_t len;
  const lcul_struct *s = lcul_struct_test(L, -1);
  if (s != NULL) {
    *name = s->dtype.name;
    return &s->dtype;
  }
  *name = lua_tolstring(L, -1, &len);
  if (*name == NULL)
    luaL_error(L, "%s: resolve gave no dtype for parameter %d", c->e->name, param + 1);
  return lcu_dtype_find(*name, len);
}

/* The dtype of one parameter, as the hook gave it; an array has its own. */
static const lcu_dtype *resolved (lcul_ewcall *c, int param, int list) {
  lua_State *L = c->L;
  const char *name;
  lua_rawgeti(L, list, param + 1);
  const lcu_dtype *t = type_named(c, param, &name);
  if (lcul_kind_of(c->kinds[param]) == LCUL_KIND_ARRAY) {
    const lcu_dtype *own = lcul_kind_dtype(c->kinds[param]);
    if (own->kind != LCU_KIND_STRUCT && t != own)
      lcul_ew_error(c, param, "expected %s array, got %s array", name, own->name);
    t = own;
  }
  if (t == NULL && c->kinds[param] == LCUL_KIND_NONE)
    lcul_ew_error(c, param, "an output of structs (%s) must be given", name);
  if (t == NULL)
    luaL_error(L, "%s: resolve gave '%s' for parameter %d", c->e->name, name, param + 1);
  lua_pop(L, 1);
  return t;
}

static void anchor_structs (lcul_ewcall *c, int record) {
  lua_State *L = c->L;
  lua_newtable(L);
  for (int i = 0; i < c->e->num; i++) {
    if (c->arrays[i] == NULL || c->arrays[i]->dtype->kind != LCU_KIND_STRUCT) continue;
    lua_getiuservalue(L, c->first + i, LCUL_UV_DTYPE);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setiuservalue(L, record, 1);
}

/* Calls hooks.resolve and keeps the result under `key`, which is at the top of the stack; pops
 * it. */
static void ask_types (lcul_ewcall *c, int table) {
  lua_State *L = c->L;
  int key = lua_gettop(L);
  lcul_push_hook(L, "elementwise", "resolve");
  lua_getiuservalue(L, c->self, LCUL_EW_STATE);
  lua_createtable(L, c->e->num, 0);
  for (int i = 0; i < c->e->num; i++) {
    push_kind(c, i);
    lua_rawseti(L, -2, i + 1);
  }
  lua_call(L, 2, 1);
  luaL_checktype(L, -1, LUA_TTABLE);
  lcul_types *t = lua_newuserdatauv(L, sizeof *t, 1);
  memset(t, 0, sizeof *t);
  t->id = ++c->e->next_id;
  for (int i = 0; i < c->e->num; i++) {
    t->kinds[i] = c->kinds[i];
    t->dtypes[i] = resolved(c, i, key + 1);
  }
  anchor_structs(c, key + 2);
  lua_pushvalue(L, key);
  lua_pushvalue(L, key + 2);
  lua_rawset(L, table);
  c->types = c->e->types = t;
  lua_settop(L, key - 1);
}

void lcul_ew_resolve (lcul_ewcall *c) {
  lua_State *L = c->L;
  lcul_elementwise *e = c->e;
  size_t bytes = (size_t)e->num * sizeof c->kinds[0];
  c->types = e->types;
  if (lcu_likely(c->types != NULL && memcmp(c->types->kinds, c->kinds, bytes) == 0)) return;
  lua_getiuservalue(L, c->self, LCUL_EW_TYPES);
  int table = lua_gettop(L);
  lua_pushlstring(L, (const char *)c->kinds, bytes);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, table) == LUA_TUSERDATA) c->types = e->types = lua_touserdata(L, -1);
  else {
    lua_pop(L, 1);
    ask_types(c, table);
    lcul_ew_find_stream(c);
  }
  lua_settop(L, table - 1);
}


/* ---- the common shape ---- */

static void misfit (lcul_ewcall *c, int param, const lcul_array *a) {
  char have[LCUL_EW_TEXT], want[LCUL_EW_TEXT];
  lcul_shape_text(a->shape, a->ndim, have, sizeof have);
  lcul_shape_text(c->shape, c->ndim, want, sizeof want);
  lcul_ew_error(c, param, "shape %s does not broadcast with %s", have, want);
}

/* Merges the shape of one array; axes are aligned at the end. */
static void merge_shape (lcul_ewcall *c, int param, const lcul_array *a) {
  int more = a->ndim - c->ndim;
  if (lcu_likely(more == 0 && lcul_same_dims(a->shape, c->shape, c->ndim))) return;
  if (more > 0) {
    memmove(c->shape + more, c->shape, (size_t)c->ndim * sizeof c->shape[0]);
    for (int d = 0; d < more; d++) c->shape[d] = 1;
    c->ndim = a->ndim;
  }
  for (int d = a->ndim - 1, at = c->ndim - 1; d >= 0; d--, at--) {
    int64_t n = a->shape[d];
    if (n == c->shape[at] || n == 1) continue;
    if (c->shape[at] != 1) misfit(c, param, a);
    c->shape[at] = n;
  }
}

/* Outputs are not broadcast. */
static void check_ew_output (lcul_ewcall *c, int param, const lcul_array *a) {
  char have[LCUL_EW_TEXT], want[LCUL_EW_TEXT];
  if (a->ndim == c->ndim && lcul_same_dims(a->shape, c->shape, c->ndim)) return;
  lcul_shape_text(a->shape, a->ndim, have, sizeof have);
  lcul_shape_text(c->shape, c->ndim, want, sizeof want);
  lcul_ew_error(c, param, "an output has shape %s, the result %s", have, want);
}

/* Numbers alone have the shape of an array without axes. */
static bool is_numbers (const lcul_ewcall *c) {
  for (int i = 0; i < c->e->num; i++)
    if (c->e->raw[i] || c->e->handles[i] != '\0') return false;
  return c->e->inputs > 0;
}

static void shape_from_size (lcul_ewcall *c, bool any) {
  if (any && c->size >= 0)
    lcul_misuse(c->L, "%s: size is only allowed where every array argument is raw", c->e->name);
  if (any) return;
  if (c->size < 0 && is_numbers(c)) return;
  if (c->size < 0)
    lcul_misuse(
      c->L,
      "%s: there is no array to take the shape from: pass one that is not raw, or { size = n }",
      c->e->name);
  c->ndim = 1;
  c->shape[0] = c->size;
}

void lcul_ew_shape (lcul_ewcall *c) {
  bool any = false;
  c->ndim = 0;
  for (int i = 0; i < c->e->num; i++) {
    if (c->arrays[i] == NULL || c->e->raw[i]) continue;
    merge_shape(c, i, c->arrays[i]);
    any = true;
  }
  if (lcu_unlikely(!any || c->size >= 0)) shape_from_size(c, any);
  for (int i = c->e->inputs; i < c->e->num; i++)
    if (c->arrays[i] != NULL && !c->e->raw[i]) check_ew_output(c, i, c->arrays[i]);
}
