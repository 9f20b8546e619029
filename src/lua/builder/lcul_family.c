/* lcul_family.c: finds the kernel of a Lua function for the arguments of a call. */
#include "lcul_family.h"

#include <lauxlib.h>
#include <string.h>

#include "lcul_guards.h"
#include "lcul_position.h"

lcul_family *lcul_family_new (lua_State *L, const void *mark, size_t bytes, size_t more) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_getfield(L, 2, "count");
  lua_getfield(L, 2, "name");
  lua_Integer count = luaL_checkinteger(L, -2);
  const char *name = luaL_checkstring(L, -1);
  luaL_argcheck(L, count >= 0 && count <= LCUL_FAMILY_PARAMS, 2, "too many parameters");
  bytes = bytes * (size_t)count + more;
  lcul_family *f = lua_newuserdatauv(L, sizeof *f + bytes, LCUL_FAMILY_LATEST);
  *f = (lcul_family){ .count = (int)count, .name = name, .bytes = bytes };
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, LCUL_FAMILY_STATE);
  lua_newtable(L);
  lua_setiuservalue(L, -2, LCUL_FAMILY_MEMBERS);
  lua_rawsetp(L, 1, mark);
  return f;
}

lcul_family *lcul_family_push (lua_State *L, int idx, const void *mark, const char *class_name) {
  lcul_family *f = NULL;
  if (lcu_likely(lua_istable(L, idx))) {
    lua_rawgetp(L, idx, mark);
    f = lua_touserdata(L, -1);
  }
  if (lcu_unlikely(f == NULL)) lcul_misuse(L, "expected a %s before the ':'", class_name);
  return f;
}

int lcul_family_state (lua_State *L, const void *mark) {
  luaL_checkany(L, 1);
  if (!lua_istable(L, 1) || lua_rawgetp(L, 1, mark) == LUA_TNIL) {
    lua_pushnil(L);
    return 1;
  }
  lua_getiuservalue(L, -1, LCUL_FAMILY_STATE);
  return 1;
}

void *lcul_member_new (lua_State *L, size_t size, int own) {
  luaL_checktype(L, -1, LUA_TTABLE);
  int table = lua_gettop(L);
  lcul_member *m = lua_newuserdatauv(L, size, LCUL_MEMBER_GUARDS + own);
  memset(m, 0, size);
  lua_getfield(L, table, "guards");
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_getfield(L, -1, "n");
  m->guards = (int)luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  lua_setiuservalue(L, -2, LCUL_MEMBER_GUARDS);
  lua_pushvalue(L, table);
  lua_setiuservalue(L, -2, LCUL_MEMBER_TABLE);
  lua_replace(L, table);
  return m;
}

/* The member at the top of the stack. */
static bool member_holds (lua_State *L, const lcul_family_ops *ops) {
  const lcul_member *m = lua_touserdata(L, -1);
  bool same = true;
  if (m->guards > 0) {
    lua_getiuservalue(L, -1, LCUL_MEMBER_GUARDS);
    same = lcul_guards_hold(L, lua_gettop(L), m->guards);
    lua_pop(L, 1);
  }
  return same && (ops->fits == NULL || ops->fits(L));
}

/* Pushes the list of members for the key. */
static void push_list (lua_State *L, int family, const unsigned char *key, size_t bytes) {
  lua_getiuservalue(L, family, LCUL_FAMILY_MEMBERS);
  lua_pushlstring(L, (const char *)key, bytes);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, -3) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -5);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* Pushes the member of the list at the top whose guards hold; false: there is none. */
static bool push_known (lua_State *L, const lcul_family_ops *ops) {
  int list = lua_gettop(L);
  for (lua_Integer i = 1; lua_rawgeti(L, list, i) != LUA_TNIL; i++) {
    if (member_holds(L, ops)) return true;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return false;
}

static void search (lua_State *L, int family, int first, const unsigned char *key,
                    const lcul_family_ops *ops) {
  lcul_family *f = lua_touserdata(L, family);
  push_list(L, family, key, f->bytes);
  int list = lua_gettop(L);
  if (!push_known(L, ops)) {
    ops->make(L, family, first, key);
    lua_pushvalue(L, -1);
    lua_rawseti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
  }
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, family, LCUL_FAMILY_LATEST);
  memcpy(f->key, key, f->bytes);
  f->called = true;
  lua_replace(L, list);
  lua_settop(L, list);
}

void *lcul_family_find (lua_State *L, int family, int first, const unsigned char *key,
                        const lcul_family_ops *ops) {
  const lcul_family *f = lua_touserdata(L, family);
  if (lcu_likely(f->called && memcmp(key, f->key, f->bytes) == 0)) {
    lua_getiuservalue(L, family, LCUL_FAMILY_LATEST);
    if (lcu_likely(member_holds(L, ops))) return lua_touserdata(L, -1);
    lua_pop(L, 1);
  }
  search(L, family, first, key, ops);
  return lua_touserdata(L, -1);
}
