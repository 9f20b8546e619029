/* lcul_record.c: class Record: one element of an array of structs, in place: b[1].id reads and
 * writes the array. User value 1 is an array without axes over the element, which keeps the memory
 * and the struct type alive. */
#include "lcul_record.h"

#include <stdio.h>
#include <string.h>

#include "lcu_copy.h"
#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_stream.h"
#include "lcul_strides.h"
#include "lcul_struct.h"
#include "lcul_struct_value.h"

enum { SMALL = 64, UV_ARRAY = 1 };

/* Pushes a Record for the array at idx, which has no axes. */
static void push_record (lua_State *L, int idx) {
  idx = lua_absindex(L, idx);
  (void)lcul_newobject(L, LCUL_RECORD, 1, 1);
  lua_pushvalue(L, idx);
  lua_setiuservalue(L, -2, UV_ARRAY);
}

void lcul_record_push (lua_State *L, int idx, int64_t offset) {
  lcul_array *a = lcul_array_alias(L, idx, 0);
  a->offset = offset;
  a->ndim = 0;
  lcul_array_measure(a);
  push_record(L, -1);
  lua_replace(L, -2);
}

/* The array of the record at idx, which keeps it alive; the stack does not change. */
static lcul_array *array_of (lua_State *L, int idx) {
  lua_getiuservalue(L, idx, UV_ARRAY);
  lcul_array *a = lcul_array_check(L, -1);
  lua_pop(L, 1);
  return a;
}

static lcul_array *record_check (lua_State *L, int idx) {
  (void)lcul_check(L, idx, LCUL_RECORD);
  return array_of(L, idx);
}

static lcu_status read_bytes (lua_State *L, const lcul_array *a, uint32_t at, void *p, size_t n) {
  return lcu_copy_out(p, a->block, (size_t)a->offset + at, n,
                      lcul_stream_current(L, a->block->device));
}

const lcu_dtype *lcul_record_dtype (lua_State *L, int idx) {
  return lcul_test(L, idx, LCUL_RECORD) != NULL ? array_of(L, idx)->dtype : NULL;
}

void lcul_record_bytes (lua_State *L, int idx) {
  luaL_Buffer b;
  idx = lua_absindex(L, idx);
  size_t n = array_of(L, idx)->dtype->size;
  char *p = luaL_buffinitsize(L, &b, n);
  lcul_sync_allowed(L, "reading an element");
  lcul_status(L, read_bytes(L, array_of(L, idx), 0, p, n)); /* again: a finalizer may close it */
  luaL_pushresultsize(&b, n);
}

/* core.record_struct(value) -> its struct; nil for any other value */
static int core_record_struct (lua_State *L) {
  if (lcul_record_dtype(L, 1) == NULL) return 0;
  lua_getiuservalue(L, 1, UV_ARRAY);
  lua_getfield(L, -1, "dtype");
  return 1;
}

static bool same_struct_layout (const lcul_struct *s, const lcul_struct *t) {
  if (s == t) return true;
  if (s->dtype.size != t->dtype.size || s->num_fields != t->num_fields) return false;
  for (uint32_t i = 0; i < s->num_fields; i++) {
    const lcul_field *f = &s->fields[i], *g = &t->fields[i];
    bool structs = f->dtype->id == LCU_STRUCT && g->dtype->id == LCU_STRUCT;
    if (strcmp(f->name, g->name) != 0 || f->offset != g->offset || f->count != g->count ||
        f->is_pointer != g->is_pointer)
      return false;
    if (structs ? !same_struct_layout(lcul_struct_of(f->dtype), lcul_struct_of(g->dtype))
                : f->dtype != g->dtype)
      return false;
  }
  return true;
}

/* lcul_classdef.struct_bytes: nothing is allocated in Lua. */
static bool struct_bytes (lua_State *L, int idx, const lcul_struct *s, void *p) {
  const lcul_array *a = array_of(L, idx);
  if (!same_struct_layout(lcul_struct_of(a->dtype), s)) return false;
  lcul_sync_allowed(L, "reading an element");
  lcul_status(L, read_bytes(L, a, 0, p, s->dtype.size));
  return true;
}


/* ---- fields ---- */

static const lcul_field *field_check (lua_State *L, const lcul_array *a) {
  char got[96];
  const lcul_struct *s = lcul_struct_of(a->dtype);
  if (lua_type(L, 2) != LUA_TSTRING)
    lcul_misuse(L, "the fields of %s have names, got %s", s->dtype.name,
                lcul_describe(L, 2, got, sizeof got));
  return lcul_struct_field(L, s, lua_tostring(L, 2), "a[i]");
}

static int record_index (lua_State *L) {
  const lcul_array *a = record_check(L, 1);
  const lcul_field *f = field_check(L, a);
  lua_getiuservalue(L, 1, UV_ARRAY);
  if (f->ndim > 0 || f->dtype->id == LCU_STRUCT) {
    (void)lcul_array_push_field(L, lua_gettop(L), f);
    if (f->ndim == 0) push_record(L, -1);
    return 1;
  }
  _Alignas(16) char p[16];
  lcul_sync_allowed(L, "a[i]");
  lcul_status(L, read_bytes(L, a, f->offset, p, f->dtype->size));
  lcul_field_load(L, f, p);
  return 1;
}

/* Assigns an array to a field of several elements, as to any part of an array. */
static void assign_array (lua_State *L, const lcul_field *f) {
  lua_getiuservalue(L, 1, UV_ARRAY);
  (void)lcul_array_push_field(L, lua_gettop(L), f);
  lua_getfield(L, -1, "set");
  lua_insert(L, -2);
  lua_pushvalue(L, 3);
  lua_call(L, 2, 0);
}

static int record_newindex (lua_State *L) {
  _Alignas(16) char small[SMALL];
  char what[160];
  const lcul_array *a = record_check(L, 1);
  const lcul_field *f = field_check(L, a);
  size_t n = (size_t)f->count * f->dtype->size;
  lcul_array_writable(L, a, "a[i]");
  if (f->ndim > 0 && lcul_array_test(L, 3) != NULL) {
    assign_array(L, f);
    return 0;
  }
  void *p = n <= SMALL ? small : lua_newuserdatauv(L, n, 0);
  memset(p, 0, n);
  snprintf(what, sizeof what, "a[i]: field '%.100s'", f->name);
  lcul_field_store(L, f, 3, p, what);
  a = record_check(L, 1); /* checked again: a finalizer may have closed it */
  lcul_sync_allowed(L, "a[i]");
  lcul_status(L, lcu_copy_in(a->block, (size_t)a->offset + f->offset, p, n,
                             lcul_stream_current(L, a->block->device)));
  return 0;
}


/* ---- as a value ---- */

/* Pushes the element as item() does. */
static void push_record_copy (lua_State *L, int idx) {
  lua_getiuservalue(L, idx, UV_ARRAY);
  lua_getfield(L, -1, "item");
  lua_insert(L, -2);
  lua_call(L, 1, 1);
}

static int record_pairs (lua_State *L) {
  (void)record_check(L, 1);
  lua_pushcfunction(L, lcul_next);
  push_record_copy(L, 1);
  lua_pushnil(L);
  return 3;
}

/* Records are equal when they have the same struct type and equal bytes, as in a:equals(b). */
static int record_eq (lua_State *L) {
  bool both = lcul_test(L, 1, LCUL_RECORD) != NULL && lcul_test(L, 2, LCUL_RECORD) != NULL,
       equal = false;
  if (both && record_check(L, 1)->dtype == record_check(L, 2)->dtype) {
    size_t n = record_check(L, 1)->dtype->size;
    char *p = lua_newuserdatauv(L, 2 * n, 0);
    lcul_sync_allowed(L, "==");
    lcul_status(L, read_bytes(L, record_check(L, 1), 0, p, n));
    lcul_status(L, read_bytes(L, record_check(L, 2), 0, p + n, n));
    equal = memcmp(p, p + n, n) == 0;
  }
  lua_pushboolean(L, equal);
  return 1;
}

/* "luacuda.Record Particle {id = 5, pos = {...}}" */
static int record_tostring (lua_State *L) {
  const lcul_struct *s = lcul_struct_of(record_check(L, 1)->dtype);
  luaL_Buffer b;
  if (lcul_array_push_unread(L, record_check(L, 1))) {
    lua_pushfstring(L, "luacuda.Record %s%s", s->dtype.name, lua_tostring(L, -1));
    return 1;
  }
  push_record_copy(L, 1);
  int copy = lua_gettop(L);
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "luacuda.Record ");
  luaL_addstring(&b, s->dtype.name);
  luaL_addstring(&b, " {");
  for (uint32_t i = 0; i < s->num_fields; i++) {
    luaL_addstring(&b, i > 0 ? ", " : "");
    luaL_addstring(&b, s->fields[i].name);
    luaL_addstring(&b, " = ");
    if (lua_getfield(L, copy, s->fields[i].name) == LUA_TTABLE) lua_pushliteral(L, "{...}");
    else luaL_tolstring(L, -1, NULL);
    lua_remove(L, -2);
    luaL_addvalue(&b);
  }
  luaL_addchar(&b, '}');
  luaL_pushresult(&b);
  return 1;
}

void lcul_open_record (lua_State *L) {
  static const luaL_Reg metamethods[] = { { "__pairs", record_pairs },
                                          { "__eq", record_eq },
                                          { "__tostring", record_tostring },
                                          { NULL, NULL } };
  static const luaL_Reg access[] = { { "__index", record_index },
                                     { "__newindex", record_newindex },
                                     { NULL, NULL } };
  static const lcul_classdef def = { .id = LCUL_RECORD,
                                     .metamethods = metamethods,
                                     .struct_bytes = struct_bytes };
  static const luaL_Reg functions[] = { { "record_struct", core_record_struct }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
  lcul_newclass(L, &def);
  luaL_getmetatable(L, "luacuda.Record");
  /* every name is a field: there are no methods */
  lcul_setfuncs(L, access);
  lua_pop(L, 1);
}
