/* lcul_struct_value.c: values of struct types to and from bytes. */
#include "lcul_struct_value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_dims.h"
#include "lcul_lanes.h"
#include "lcul_list.h"
#include "lcul_pointer.h"
#include "lcul_position.h"
#include "lcul_scalar.h"
#include "lcul_struct.h"

#define WHAT_SIZE 320

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

/* A texture or surface, of which memory holds the handle. */
static bool store_handle (lua_State *L, const lcu_dtype *t, int idx, void *p, const char *what,
                          lcul_uses *uses) {
  if (t->id != LCU_UINT64 || lua_type(L, idx) != LUA_TUSERDATA) return false;
  const lcul_classdef *def = lcul_classdef_of(L, idx);
  if (def == NULL || def->field_handle == NULL) return false;
  if (uses == NULL) {
    char got[128];
    lcul_describe_type(L, idx, got, sizeof got);
    fail(L, what, "a %s can only be passed in an argument of a launch; here use its field handle",
         got);
  }
  uint64_t handle = def->field_handle(L, idx, uses, what);
  memcpy(p, &handle, sizeof handle);
  return true;
}

void lcul_element_store (lua_State *L, const lcu_dtype *t, int idx, void *p, const char *what,
                         lcul_uses *uses) {
  lcu_scalar value;
  char why[256];
  if (t->id == LCU_STRUCT) {
    lcul_struct_store(L, lcul_struct_of(t), idx, p, what, uses);
    return;
  }
  if (store_handle(L, t, idx, p, what, uses)) return;
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

/* One element of a field. */
static void store_item (lua_State *L, const lcul_field *f, int idx, unsigned char *p,
                        const char *what, lcul_uses *uses) {
  if (f->is_pointer) store_pointer(L, f, idx, p, what, uses);
  else lcul_element_store(L, f->dtype, idx, p, what, uses);
}

/* lua_getfield allocates at most the name, and does not run the collector. */
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

/* float3 and the like. */
static void check_lanes (lua_State *L, const lcul_field *f, int idx, const char *what) {
  char type[48], why[160];
  snprintf(type, sizeof type, "a vector of %u %s", f->lanes, f->dtype->name);
  if (!lcul_lanes_fit(L, idx, f->lanes, type, why, sizeof why)) fail(L, what, "%s", why);
}

/* A list of dims[axis] items, which are lists themselves except on the last axis; `bytes` in
 * total. */
static void store_list (lua_State *L, const lcul_field *f, unsigned axis, uint32_t bytes, int idx,
                        unsigned char *p, const char *what, lcul_uses *uses) {
  char got[128], item[WHAT_SIZE];
  if (axis >= LCUL_FIELD_DIMS) return;
  uint32_t n = f->dims[axis], step = bytes / n;
  bool last = axis + 1u == f->ndim, lanes = last && f->lanes > 1;
  if (!lua_istable(L, idx) && lcul_dims_test(L, idx) == NULL)
    fail(L, what, "expected a list of %u values, got %s", n,
         lcul_describe_type(L, idx, got, sizeof got));
  luaL_checkstack(L, 4, NULL);
  lua_Integer len = lcul_list_raw_length(L, idx);
  if (lanes) check_lanes(L, f, idx, what);
  else if (len != n) fail(L, what, "expected a list of %u values, got %d", n, (int)len);
  for (uint32_t k = 0; k < n; k++) {
    snprintf(item, sizeof item, "%.280s[%u]", what, k + 1);
    if (lanes) lcul_lane_push(L, idx, (int)k);
    else lcul_list_raw_item(L, idx, (lua_Integer)k + 1);
    if (last) store_item(L, f, lua_gettop(L), p + (size_t)k * step, item, uses);
    else store_list(L, f, axis + 1, step, lua_gettop(L), p + (size_t)k * step, item, uses);
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
  if (f->ndim == 0) store_item(L, f, idx, p, what, uses);
  else if (lua_type(L, idx) == LUA_TSTRING) store_field_bytes(L, f, idx, p, what);
  else store_list(L, f, 0, f->count * f->dtype->size, idx, p, what, uses);
}

void lcul_field_store (lua_State *L, const lcul_field *f, int idx, void *p, const char *what) {
  store_field(L, f, idx, p, what, NULL);
}

/* The keys are the positions 1 to `len`, or names where len is 0. */
static void check_keys (lua_State *L, const lcul_struct *s, size_t len, int idx, const char *what) {
  lua_pushnil(L);
  while (lua_next(L, idx) != 0) {
    lua_pop(L, 1);
    if (len > 0 && lua_isinteger(L, -1)) continue;
    if (len > 0 || lua_type(L, -1) != LUA_TSTRING)
      fail(L, what, "a table for %s has field names or positions as keys, not both", s->dtype.name);
    (void)lcul_struct_field(L, s, lcul_whole_string(L, -1), what);
  }
}

static void store_table (lua_State *L, const lcul_struct *s, int idx, unsigned char *p,
                         const char *what, lcul_uses *uses) {
  char field[WHAT_SIZE];
  size_t len = lua_rawlen(L, idx);
  if (len > 0 && len != s->num_fields)
    fail(L, what, "expected %u values by position (%s), got %d", s->num_fields, s->dtype.name,
         (int)len);
  check_keys(L, s, len, idx, what);
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

static void load_pointer (lua_State *L, const unsigned char *p) {
  uint64_t address;
  memcpy(&address, p, sizeof address);
  lcul_pointer_push(L, address);
}

/* One element of a field. */
static void load_item (lua_State *L, const lcul_field *f, const unsigned char *p) {
  if (f->is_pointer) load_pointer(L, p);
  else lcul_element_load(L, f->dtype, p);
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
    if (axis + 1u == f->ndim) load_item(L, f, p + (size_t)k * step);
    else load_list(L, f, axis + 1, step, p + (size_t)k * step);
    lua_rawseti(L, -2, (lua_Integer)k + 1);
  }
}

void lcul_field_load (lua_State *L, const lcul_field *f, const void *p) {
  if (f->ndim == 0) load_item(L, f, p);
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
