/* lcul_struct.c: class Struct, and values of struct types to and from bytes. Layouts are worked out
 * in struct.lua. */
#include "lcul_struct.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lcul_list.h"
#include "lcul_scalar.h"

#define WHAT_SIZE 320

const lcul_struct *lcul_struct_test (lua_State *L, int idx) {
  return lcul_test(L, idx, LCUL_STRUCT);
}
const lcul_struct *lcul_struct_check (lua_State *L, int idx) {
  return lcul_check(L, idx, LCUL_STRUCT);
}

static int fail (lua_State *L, const char *what, const char *fmt, ...) LCU_PRINTF(3, 4);
static int fail (lua_State *L, const char *what, const char *fmt, ...) {
  char text[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return lcul_misuse(L, "%s: %s", what, text);
}


/* ---- Lua to bytes ---- */

void lcul_element_store (lua_State *L, const lcu_dtype *t, int idx, void *p, const char *what,
                         lcul_uses *uses) {
  lcu_scalar value;
  char why[256];
  if (t->id == LCU_STRUCT) {
    lcul_struct_store(L, lcul_struct_of(t), idx, p, what, uses);
    return;
  }
  lcul_fit fit = lcul_scalar_get(L, idx, t, &value);
  if (fit != LCUL_FITS) fail(L, what, "%s", lcul_scalar_why(L, idx, t, fit, why, sizeof why));
  lcu_dtype_store(t, p, &value);
}

static void store_pointer (lua_State *L, const lcul_field *f, int idx, unsigned char *p,
                           const char *what, lcul_uses *uses) {
  char got[128];
  uint64_t address;
  const lcul_pointer *q = lcul_test(L, idx, LCUL_POINTER);
  const lcul_classdef *def = q != NULL ? NULL : lcul_classdef_of(L, idx);
  bool array = def != NULL && def->field_address != NULL;
  if (q == NULL && !array)
    fail(L, what, "expected an array or cuda.ptr, got %s",
         lcul_describe_type(L, idx, got, sizeof got));
  if (array && uses == NULL)
    fail(
      L, what,
      "an array can only be passed in an argument of a launch; here use cuda.ptr(array.pointer)");
  address = array ? def->field_address(L, idx, f, uses, what) : q->address;
  memcpy(p, &address, sizeof address);
}

/* lua_getfield allocates nothing but perhaps the name, and does not ask the collector. */
void lcul_raw_field (lua_State *L, int idx, const char *name) {
  if (!lua_getmetatable(L, idx)) {
    lua_getfield(L, idx, name);
    return;
  }
  lua_pop(L, 1);
  for (lua_pushnil(L); lua_next(L, idx) != 0; lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), name) == 0) {
      lua_remove(L, -2);
      return;
    }
  lua_pushnil(L);
}

/* Lane k of a vector in a table: by name or position. */
static void push_lane (lua_State *L, int idx, uint32_t k) {
  static const char *const lanes[] = { "x", "y", "z", "w" };
  if (lcul_list_raw_item(L, idx, (lua_Integer)k + 1) != LUA_TNIL || k > 3 || !lua_istable(L, idx))
    return;
  lua_pop(L, 1);
  lcul_raw_field(L, idx, lanes[k]);
}

/* A list of dims[axis] items, each a list again up to the last axis; `bytes` in all. */
static void store_list (lua_State *L, const lcul_field *f, unsigned axis, uint32_t bytes, int idx,
                        unsigned char *p, const char *what) {
  char got[128], item[WHAT_SIZE];
  if (axis >= LCUL_FIELD_DIMS) return;
  uint32_t n = f->dims[axis], step = bytes / n;
  bool last = axis + 1u == f->ndim, lanes = last && f->lanes > 1;
  if (!lua_istable(L, idx) && !lcul_dims_test(L, idx))
    fail(L, what, "expected a list of %u values, got %s", n,
         lcul_describe_type(L, idx, got, sizeof got));
  lua_Integer len = lcul_list_raw_length(L, idx);
  if (!lanes && len != n) fail(L, what, "expected a list of %u values, got %d", n, (int)len);
  luaL_checkstack(L, 4, NULL);
  for (uint32_t k = 0; k < n; k++) {
    snprintf(item, sizeof item, "%.280s[%u]", what, k + 1);
    if (lanes) push_lane(L, idx, k);
    else lcul_list_raw_item(L, idx, (lua_Integer)k + 1);
    if (last) lcul_element_store(L, f->dtype, lua_gettop(L), p + (size_t)k * step, item, NULL);
    else store_list(L, f, axis + 1, step, lua_gettop(L), p + (size_t)k * step, item);
    lua_pop(L, 1);
  }
}

/* Bytes for a field of several elements: all of them, or text shorter than a char array. */
static void store_field_bytes (lua_State *L, const lcul_field *f, int idx, unsigned char *p,
                               const char *what) {
  size_t n, room = (size_t)f->count * f->dtype->size;
  const char *bytes = lua_tolstring(L, idx, &n);
  bool text = f->dtype->size == 1;
  if (n > room || (n != room && !text))
    fail(L, what, "expected %d bytes, got %d", (int)room, (int)n);
  memcpy(p, bytes, n);
}

static void store_field (lua_State *L, const lcul_field *f, int idx, unsigned char *p,
                         const char *what, lcul_uses *uses) {
  if (f->is_pointer) store_pointer(L, f, idx, p, what, uses);
  else if (f->ndim == 0) lcul_element_store(L, f->dtype, idx, p, what, uses);
  else if (lua_type(L, idx) == LUA_TSTRING) store_field_bytes(L, f, idx, p, what);
  else store_list(L, f, 0, f->count * f->dtype->size, idx, p, what);
}

void lcul_field_store (lua_State *L, const lcul_field *f, int idx, void *p, const char *what) {
  store_field(L, f, idx, p, what, NULL);
}

static const lcul_field *find_field (const lcul_struct *s, const char *name) {
  for (uint32_t i = 0; i < s->num_fields; i++)
    if (strcmp(s->fields[i].name, name) == 0) return &s->fields[i];
  return NULL;
}

static void unknown_field (lua_State *L, const lcul_struct *s, const char *key, const char *what) {
  const char *names[64];
  char text[256];
  lcu_buf near = { 0 };
  size_t n = 0;
  for (; n < s->num_fields && n < lcu_arraylen(names); n++) names[n] = s->fields[n].name;
  lcul_near(&near, key, names, n);
  snprintf(text, sizeof text, "%s", near.data && !near.failed ? near.data : "");
  lcu_buf_free(&near);
  fail(L, what, "%s has no field '%s'%s", s->dtype.name, key, text);
}

const lcul_field *lcul_struct_field (lua_State *L, const lcul_struct *s, const char *name,
                                     const char *what) {
  const lcul_field *f = find_field(s, name);
  if (f == NULL) unknown_field(L, s, name, what);
  return f;
}

static void check_keys (lua_State *L, const lcul_struct *s, int idx, const char *what) {
  lua_pushnil(L);
  while (lua_next(L, idx) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      fail(L, what, "a table for %s has field names or positions as keys, not both", s->dtype.name);
    if (!find_field(s, lcul_whole_string(L, -1))) unknown_field(L, s, lua_tostring(L, -1), what);
  }
}

static void store_table (lua_State *L, const lcul_struct *s, int idx, unsigned char *p,
                         const char *what, lcul_uses *uses) {
  char field[WHAT_SIZE];
  size_t len = lua_rawlen(L, idx);
  if (len > 0 && len != s->num_fields)
    fail(L, what, "expected %u values by position (%s), got %d", s->num_fields, s->dtype.name,
         (int)len);
  if (len == 0) check_keys(L, s, idx, what);
  for (uint32_t i = 0; i < s->num_fields; i++) {
    const lcul_field *f = &s->fields[i];
    if (len > 0) lua_rawgeti(L, idx, (lua_Integer)i + 1);
    else lcul_raw_field(L, idx, f->name);
    snprintf(field, sizeof field, "%s: field '%s'", what, f->name);
    if (lua_isnil(L, -1)) fail(L, field, "is missing (%s)", s->dtype.name);
    store_field(L, f, lua_gettop(L), p + f->offset, field, uses);
    lua_pop(L, 1);
  }
}

/* The bytes of an object (a Record) that is a struct of this layout. */
static bool store_object (lua_State *L, const lcul_struct *s, int idx, void *p) {
  const lcul_classdef *def = lcul_classdef_of(L, idx);
  return def != NULL && def->struct_bytes != NULL && def->struct_bytes(L, idx, s, p);
}

void lcul_struct_store (lua_State *L, const lcul_struct *s, int idx, void *p, const char *what,
                        lcul_uses *uses) {
  char got[128];
  size_t n;
  idx = lua_absindex(L, idx);
  luaL_checkstack(L, 8, NULL);
  if (lua_type(L, idx) == LUA_TSTRING) {
    const char *bytes = lua_tolstring(L, idx, &n);
    if (n != s->dtype.size)
      fail(L, what, "expected %u bytes (%s), got %d", s->dtype.size, s->dtype.name, (int)n);
    memcpy(p, bytes, n);
  } else if (lua_istable(L, idx)) {
    memset(p, 0, s->dtype.size);
    store_table(L, s, idx, p, what, uses);
  } else if (!store_object(L, s, idx, p))
    fail(L, what, "expected a table or bytes (%s), got %s", s->dtype.name,
         lcul_describe_type(L, idx, got, sizeof got));
}


/* ---- bytes to Lua ---- */

void lcul_element_load (lua_State *L, const lcu_dtype *t, const void *p) {
  if (t->id == LCU_STRUCT) lcul_struct_load(L, lcul_struct_of(t), p);
  else lcul_scalar_push(L, t, p);
}

static void load_list (lua_State *L, const lcul_field *f, unsigned axis, uint32_t bytes,
                       const unsigned char *p) {
  if (axis >= LCUL_FIELD_DIMS) {
    lua_pushnil(L);
    return;
  }
  uint32_t n = f->dims[axis], step = bytes / n;
  luaL_checkstack(L, 4, NULL);
  lua_createtable(L, (int)n, 0);
  for (uint32_t k = 0; k < n; k++) {
    if (axis + 1u == f->ndim) lcul_element_load(L, f->dtype, p + (size_t)k * step);
    else load_list(L, f, axis + 1, step, p + (size_t)k * step);
    lua_rawseti(L, -2, (lua_Integer)k + 1);
  }
}

static void load_pointer (lua_State *L, const unsigned char *p) {
  lcul_pointer *q = lcul_newobject(L, LCUL_POINTER, sizeof *q, 0);
  memcpy(&q->address, p, sizeof q->address);
}

void lcul_field_load (lua_State *L, const lcul_field *f, const void *p) {
  if (f->is_pointer) load_pointer(L, p);
  else if (f->ndim == 0) lcul_element_load(L, f->dtype, p);
  else load_list(L, f, 0, f->count * f->dtype->size, p);
}

void lcul_struct_load (lua_State *L, const lcul_struct *s, const void *p) {
  luaL_checkstack(L, 4, NULL);
  lua_createtable(L, 0, (int)s->num_fields);
  for (uint32_t i = 0; i < s->num_fields; i++) {
    const lcul_field *f = &s->fields[i];
    lcul_field_load(L, f, (const unsigned char *)p + f->offset);
    lua_setfield(L, -2, f->name);
  }
}


/* ---- making them ---- */

static lua_Integer integer_field (lua_State *L, const char *name, lua_Integer lo, lua_Integer hi) {
  int ok;
  lua_getfield(L, -1, name);
  lua_Integer v = lua_isnil(L, -1) ? lo : lua_tointegerx(L, -1, &ok);
  lua_pop(L, 1);
  if (v < lo || v > hi) luaL_error(L, "struct: %s is out of range", name);
  return v;
}

static bool bool_field (lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  bool b = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return b;
}

static const lcu_dtype *dtype_field (lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  const lcu_dtype *t = lua_isnil(L, -1) ? NULL : lcul_dtype_check(L, lua_gettop(L));
  lua_pop(L, 1);
  return t;
}

static void read_dims (lua_State *L, lcul_field *f) {
  f->count = 1;
  lua_getfield(L, -1, "dims");
  if (lua_istable(L, -1)) {
    size_t n = (size_t)lua_rawlen(L, -1);
    if (n > LCUL_FIELD_DIMS)
      luaL_error(L, "struct: a field has at most %d extents", LCUL_FIELD_DIMS);
    f->ndim = (uint8_t)n;
    for (int i = 0; i < LCUL_FIELD_DIMS && i < f->ndim; i++) {
      lua_rawgeti(L, -1, i + 1);
      lua_Integer extent = lua_tointeger(L, -1);
      lua_pop(L, 1);
      if (extent < 1 || extent > INT32_MAX / (lua_Integer)f->count)
        luaL_error(L, "struct: extent %d is out of range", i + 1);
      f->dims[i] = (uint32_t)extent;
      f->count *= (uint32_t)extent;
    }
  }
  lua_pop(L, 1);
}

/* The field described by the table at the top; `name` is anchored by the caller. */
static void read_field (lua_State *L, const lcul_struct *s, lcul_field *f, const char *name) {
  f->name = name;
  f->dtype = dtype_field(L, "dtype");
  if (!f->dtype) luaL_error(L, "struct: a field needs a dtype");
  f->pointee = dtype_field(L, "pointee");
  f->is_pointer = bool_field(L, "pointer");
  f->to_const = bool_field(L, "const");
  f->lanes = (uint8_t)integer_field(L, "lanes", 1, 4);
  f->offset = (uint32_t)integer_field(L, "offset", 0, s->dtype.size);
  read_dims(L, f);
  if ((uint64_t)f->offset + (uint64_t)f->count * f->dtype->size > s->dtype.size)
    luaL_error(L, "struct: field '%s' lies outside", name);
}

/* core.struct_new(name, size, align, { { name, dtype, offset, dims, lanes, pointer, const, pointee
 * }, ... }) -> Struct */
static int core_struct_new (lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_Integer size = luaL_checkinteger(L, 2), align = luaL_checkinteger(L, 3);
  luaL_checktype(L, 4, LUA_TTABLE);
  size_t n = (size_t)lua_rawlen(L, 4);
  luaL_argcheck(L, size > 0 && size <= INT32_MAX, 2, "out of range");
  luaL_argcheck(L, align > 0 && align <= 4096, 3, "out of range");
  lua_settop(L, 4);
  lcul_struct *s = lcul_newobject(L, LCUL_STRUCT, sizeof *s + n * sizeof(lcul_field), 1);
  lua_newtable(L); /* keeps the strings and the types of the fields */
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 5, 1);
  lua_pushvalue(L, 1);
  lua_rawseti(L, 6, 1);
  lua_pushvalue(L, 4);
  lua_rawseti(L, 6, 2);
  s->dtype = (lcu_dtype){ .id = LCU_STRUCT,
                          .kind = LCU_KIND_STRUCT,
                          .size = (uint32_t)size,
                          .align = (uint32_t)align,
                          .name = name,
                          .short_name = name,
                          .cuda = name,
                          .header = "",
                          .pack = "",
                          .ptx = "" };
  for (size_t i = 0; i < n; i++) {
    if (lua_rawgeti(L, 4, (lua_Integer)i + 1) != LUA_TTABLE)
      return luaL_error(L, "struct: field %d is no table", (int)i + 1);
    lua_getfield(L, -1, "name");
    const char *field = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    if (!field) return luaL_error(L, "struct: field %d has no name", (int)i + 1);
    lua_pop(L, 1);
    read_field(L, s, &s->fields[i], field);
    s->num_fields = (uint32_t)i + 1;
    lua_pop(L, 1);
  }
  lua_settop(L, 5);
  return 1;
}

static uint32_t field_end (const lcul_field *f) { return f->offset + f->count * f->dtype->size; }

const char *lcul_struct_difference (const lcul_struct *declared, const lcul_struct *compiled,
                                    char *buf, size_t size) {
  uint32_t n = declared->num_fields, m = compiled->num_fields;
  for (uint32_t i = 0; i < n && i < m; i++) {
    const lcul_field *a = &declared->fields[i], *b = &compiled->fields[i];
    if (a->offset == b->offset && field_end(a) == field_end(b)) continue;
    snprintf(buf, size,
             "field '%.100s' is declared at bytes %u to %u, the compiler has '%.100s' at %u to %u",
             a->name, a->offset, field_end(a) - 1, b->name, b->offset, field_end(b) - 1);
    return buf;
  }
  if (n != m) snprintf(buf, size, "%u fields are declared, the compiler has %u", n, m);
  else if (declared->dtype.size != compiled->dtype.size)
    snprintf(buf, size, "%u bytes are declared, the compiler has %u", declared->dtype.size,
             compiled->dtype.size);
  else return NULL;
  return buf;
}

/* core.struct_difference(declared, compiled) -> how they differ, or nil */
static int core_struct_difference (lua_State *L) {
  char text[384];
  lua_pushstring(
    L, lcul_struct_difference(lcul_struct_check(L, 1), lcul_struct_check(L, 2), text, sizeof text));
  return 1;
}

/* core.type_info("_Z11luacuda_sigIA3_A4_fEvv") -> { kind, dtype, class, lanes, dims, size, align,
 * const, type }: the type that name carries, as data; nothing when it cannot be read. */
static int core_type_info (lua_State *L) {
  lcu_param p;
  int64_t dims[8];
  int ndim;
  if (lcu_type_parse(luaL_checkstring(L, 1), &p, dims, &ndim) != LCU_OK) return 0;
  lua_createtable(L, 0, 9);
  lcul_set_string(L, "kind",
                  p.kind == LCU_PARAM_POINTER ? "pointer"
                  : p.dtype                   ? "number"
                                              : "class");
  lcul_set_string(L, "dtype", p.dtype ? p.dtype->name : NULL);
  lcul_set_string(L, "class", p.class_name);
  lcul_set_string(L, "type", p.type_name);
  lcul_set_integer(L, "lanes", p.vector);
  lcul_set_integer(L, "size", p.size);
  lcul_set_integer(L, "align", p.align);
  lcul_set_integer(L, "indirections", p.indirections);
  lcul_set_boolean(L, "const", p.is_const);
  lcu_param_free(&p);
  lua_createtable(L, ndim, 0);
  for (int i = 0; i < ndim; i++) {
    lua_pushinteger(L, dims[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "dims");
  return 1;
}


/* ---- the class ---- */

static int struct_name (lua_State *L) {
  lua_pushstring(L, lcul_struct_check(L, 1)->dtype.name);
  return 1;
}
static int struct_size (lua_State *L) {
  lua_pushinteger(L, lcul_struct_check(L, 1)->dtype.size);
  return 1;
}
static int struct_align (lua_State *L) {
  lua_pushinteger(L, lcul_struct_check(L, 1)->dtype.align);
  return 1;
}

static int struct_fields (lua_State *L) {
  const lcul_struct *s = lcul_struct_check(L, 1);
  lua_createtable(L, (int)s->num_fields, 0);
  for (uint32_t i = 0; i < s->num_fields; i++) {
    const lcul_field *f = &s->fields[i];
    lua_createtable(L, 0, 5);
    lcul_set_string(L, "name", f->name);
    lcul_set_string(L, "dtype", f->is_pointer ? "pointer" : f->dtype->name);
    lcul_set_integer(L, "offset", f->offset);
    lcul_set_integer(L, "count", f->count);
    lcul_set_integer(L, "size", (lua_Integer)f->count * f->dtype->size);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* struct:pack(value) -> bytes as C lays them out */
static int struct_pack (lua_State *L) {
  const lcul_struct *s = lcul_struct_check(L, 1);
  lua_settop(L, 2);
  void *p = lua_newuserdatauv(L, s->dtype.size, 0);
  lcul_struct_store(L, s, 2, p, s->dtype.name, NULL);
  lua_pushlstring(L, p, s->dtype.size);
  return 1;
}

/* struct:unpack(bytes [, position]) -> table, position behind it */
static int struct_unpack (lua_State *L) {
  const lcul_struct *s = lcul_struct_check(L, 1);
  size_t n;
  if (lua_type(L, 2) != LUA_TSTRING) {
    char got[96];
    return lcul_misuse(L, "%s:unpack: expected bytes (a string), got %s", s->dtype.name,
                       lcul_describe(L, 2, got, sizeof got));
  }
  const char *bytes = lua_tolstring(L, 2, &n);
  lua_Integer at = luaL_optinteger(L, 3, 1);
  if (at < 1 || (uint64_t)at - 1 + s->dtype.size > n)
    return lcul_misuse(L, "%s:unpack: expected %d bytes from position %d, got %d in all",
                       s->dtype.name, (int)s->dtype.size, (int)at, (int)n);
  lcul_struct_load(L, s, bytes + at - 1);
  lua_pushinteger(L, at + (lua_Integer)s->dtype.size);
  return 2;
}

static int struct_tostring (lua_State *L) {
  const lcul_struct *s = lcul_struct_check(L, 1);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "luacuda.Struct ");
  luaL_addstring(&b, s->dtype.name);
  luaL_addstring(&b, " {");
  for (uint32_t i = 0; i < s->num_fields; i++) {
    const lcul_field *f = &s->fields[i];
    char text[160];
    snprintf(text, sizeof text, "%s%.60s %.60s", i > 0 ? ", " : "",
             f->is_pointer ? "pointer" : f->dtype->name, f->name);
    luaL_addstring(&b, text);
    for (int k = 0; k < f->ndim; k++) {
      snprintf(text, sizeof text, "[%u]", f->dims[k]);
      luaL_addstring(&b, text);
    }
  }
  luaL_addstring(&b, "}");
  luaL_pushresult(&b);
  return 1;
}

void lcul_open_struct (lua_State *L) {
  static const luaL_Reg functions[] = { { "struct_new", core_struct_new },
                                        { "type_info", core_type_info },
                                        { "struct_difference", core_struct_difference },
                                        { NULL, NULL } };
  static const luaL_Reg methods[] = { { "pack", struct_pack },
                                      { "unpack", struct_unpack },
                                      { NULL, NULL } };
  static const luaL_Reg getters[] = { { "name", struct_name },
                                      { "size", struct_size },
                                      { "align", struct_align },
                                      { "fields", struct_fields },
                                      { NULL, NULL } };
  static const luaL_Reg metamethods[] = { { "__tostring", struct_tostring }, { NULL, NULL } };
  static const lcul_classdef def = { .id = LCUL_STRUCT,
                                     .name = "Struct",
                                     .methods = methods,
                                     .getters = getters,
                                     .metamethods = metamethods };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
}
