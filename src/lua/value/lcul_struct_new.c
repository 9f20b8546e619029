/* lcul_struct_new.c: making struct types. struct.lua computes the layouts. */
#include <stdio.h>

#include "lcul_class.h"
#include "lcul_dtype.h"
#include "lcul_set.h"
#include "lcul_struct.h"

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
  if (f->dtype == NULL) luaL_error(L, "struct: a field needs a dtype");
  f->pointee = dtype_field(L, "pointee");
  f->is_pointer = bool_field(L, "pointer");
  f->to_const = bool_field(L, "const");
  f->lanes = (uint8_t)integer_field(L, "lanes", 1, 4);
  f->offset = (uint32_t)integer_field(L, "offset", 0, s->dtype.size);
  read_dims(L, f);
  if ((uint64_t)f->offset + (uint64_t)f->count * f->dtype->size > s->dtype.size)
    luaL_error(L, "struct: field '%s' is outside the struct", name);
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
      return luaL_error(L, "struct: field %d is not a table", (int)i + 1);
    lua_getfield(L, -1, "name");
    const char *field = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    if (field == NULL) return luaL_error(L, "struct: field %d has no name", (int)i + 1);
    lua_pop(L, 1);
    read_field(L, s, &s->fields[i], field);
    s->num_fields = (uint32_t)i + 1;
    lua_pop(L, 1);
  }
  lua_settop(L, 5);
  return 1;
}

void lcul_open_struct_new (lua_State *L) {
  static const luaL_Reg functions[] = { { "struct_new", core_struct_new }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
