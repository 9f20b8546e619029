/* lcul_lanes.c: vectors such as float3 from tables. */
#include "lcul_lanes.h"

#include <stdio.h>
#include <string.h>

#include "lcul_list.h"
#include "lcul_struct_value.h"

static const char *const LANES[] = { "x", "y", "z", "w" };

static bool is_lane (lua_State *L, int idx, int n) {
  if (lua_type(L, idx) != LUA_TSTRING) return false;
  for (int k = 0; k < n; k++)
    if (strcmp(lua_tostring(L, idx), LANES[k]) == 0) return true;
  return false;
}

static bool is_position (lua_State *L, int idx, int n) {
  return lua_isinteger(L, idx) && lua_tointeger(L, idx) >= 1 && lua_tointeger(L, idx) <= n;
}

/* The keys of a table are positions, or names of components. */
static bool keys_fit (lua_State *L, int idx, int n, bool named, const char *type, char *why,
                      size_t size) {
  for (lua_pushnil(L); lua_next(L, idx) != 0; lua_pop(L, 1)) {
    if (named ? is_lane(L, -2, n) : is_position(L, -2, n)) continue;
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (key != NULL && named) snprintf(why, size, "%s has no component '%.40s'", type, key);
    else snprintf(why, size, "a table for %s has names or positions as keys, not both", type);
    lua_pop(L, 2);
    return false;
  }
  return true;
}

/* The first component that is nil; n: none. */
static int missing_lane (lua_State *L, int idx, int n) {
  for (int k = 0; k < n; k++) {
    lcul_lane_push(L, idx, k);
    bool missing = lua_isnil(L, -1);
    lua_pop(L, 1);
    if (missing) return k;
  }
  return n;
}

/* Does the table name its components? A table with positions does not. */
static bool is_named (lua_State *L, int idx) {
  if (!lua_istable(L, idx) || lcul_list_raw_length(L, idx) > 0) return false;
  lua_pushnil(L);
  if (lua_next(L, idx) == 0) return false;
  bool named = lua_type(L, -2) == LUA_TSTRING;
  lua_pop(L, 2);
  return named;
}

bool lcul_lanes_fit (lua_State *L, int idx, int n, const char *type, char *why, size_t size) {
  bool named = is_named(L, idx);
  lua_Integer len = lcul_list_raw_length(L, idx);
  if (!named && len != n) {
    snprintf(why, size, "expected %d values (%s), got %d", n, type, (int)len);
    return false;
  }
  if (lua_istable(L, idx) && !keys_fit(L, idx, n, named, type, why, size)) return false;
  int k = missing_lane(L, idx, n);
  if (k < n) snprintf(why, size, "component %s is missing (%s)", LANES[k], type);
  return k == n;
}

void lcul_lane_push (lua_State *L, int idx, int k) {
  if (lcul_list_raw_length(L, idx) > 0) lcul_list_raw_item(L, idx, k + 1);
  else lcul_raw_field(L, idx, LANES[k]);
}
