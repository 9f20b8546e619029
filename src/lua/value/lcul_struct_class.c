/* lcul_struct_class.c: class Struct. */
#include <stdio.h>
#include <string.h>

#include "lcu_signature.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_struct.h"
#include "lcul_struct_value.h"

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
  lcul_check_most(L, 2);
  const lcul_struct *s = lcul_struct_check(L, 1);
  lua_settop(L, 2);
  void *p = lua_newuserdatauv(L, s->dtype.size, 0);
  lcul_struct_store(L, s, 2, p, s->dtype.name, NULL);
  lua_pushlstring(L, p, s->dtype.size);
  return 1;
}

/* struct:unpack(bytes [, position]) -> table, position after it */
static int struct_unpack (lua_State *L) {
  lcul_check_most(L, 3);
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
    return lcul_misuse(L, "%s:unpack: expected %d bytes from position %d, got a string of %d bytes",
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

/* core.struct_difference(declared, compiled) -> how they differ, or nil */
static int core_struct_difference (lua_State *L) {
  char text[384];
  lua_pushstring(
    L, lcul_struct_difference(lcul_struct_check(L, 1), lcul_struct_check(L, 2), text, sizeof text));
  return 1;
}

/* core.type_info("_Z11luacuda_sigIA3_A4_fEvv") -> { kind, dtype, class, lanes, dims, size, align,
 * const, type }: the type that the name encodes, as data; nothing when it cannot be parsed. */
static int core_type_info (lua_State *L) {
  lcu_param p;
  int64_t dims[8];
  int ndim;
  if (lcu_type_parse(luaL_checkstring(L, 1), &p, dims, &ndim) != LCU_OK) return 0;
  lua_createtable(L, 0, 9);
  lcul_set_string(L, "kind",
                  p.kind == LCU_PARAM_POINTER ? "pointer"
                  : p.dtype != NULL           ? "number"
                                              : "class");
  lcul_set_string(L, "dtype", p.dtype != NULL ? p.dtype->name : NULL);
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

void lcul_open_struct (lua_State *L) {
  static const luaL_Reg functions[] = { { "type_info", core_type_info },
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
  static const lcul_classdef def = {
    .id = LCUL_STRUCT, .methods = methods, .getters = getters, .metamethods = metamethods
  };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
}
