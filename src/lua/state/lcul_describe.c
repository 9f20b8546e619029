/* lcul_describe.c: what a value is, for messages. */
#include "lcul_describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lcul_class.h"

static bool describe_named (lua_State *L, int idx, char *buf, size_t size) {
  if (luaL_getmetafield(L, idx, "__name") == LUA_TNIL) return false;
  const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  if (name != NULL) snprintf(buf, size, "%s", strncmp(name, "luacuda.", 8) == 0 ? name + 8 : name);
  lua_pop(L, 1);
  return name != NULL;
}

const char *lcul_describe (lua_State *L, int idx, char *buf, size_t size) {
  const lcul_classdef *def = lcul_classdef_of(L, idx);
  if (def != NULL && def->describe != NULL) def->describe(L, idx, buf, size);
  else if (lua_type(L, idx) == LUA_TNUMBER)
    snprintf(buf, size, "%s", lua_isinteger(L, idx) ? "integer" : "number");
  else if (lua_type(L, idx) == LUA_TNONE) snprintf(buf, size, "nothing");
  else if (!describe_named(L, idx, buf, size)) snprintf(buf, size, "%s", luaL_typename(L, idx));
  return buf;
}

const char *lcul_describe_type (lua_State *L, int idx, char *buf, size_t size) {
  const lcul_classdef *def = lcul_classdef_of(L, idx);
  if (def == NULL || def->describe_type == NULL) return lcul_describe(L, idx, buf, size);
  def->describe_type(L, idx, buf, size);
  return buf;
}

const char *lcul_describe_value (lua_State *L, int idx, char *buf, size_t size) {
  if (lua_type(L, idx) != LUA_TNUMBER) return lcul_describe(L, idx, buf, size);
  if (lua_isinteger(L, idx)) snprintf(buf, size, "%" PRId64, (int64_t)lua_tointeger(L, idx));
  else if (isnan(lua_tonumber(L, idx))) snprintf(buf, size, "nan");
  else snprintf(buf, size, "%.14g", lua_tonumber(L, idx));
  return buf;
}
