/* lcul_newclass.c: making classes, and reading and writing members of their objects.
 *
 * Upvalues of the accessors: 1 the state, 2 methods, 3 getters or setters, 4 the lcul_class_entry
 * in the state.
 * Getters and the class's own index and newindex are called as C functions inside these closures,
 * so they also find the state as their upvalue 1. */
#include <string.h>

#include "lcul_class.h"
#include "lcul_near.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_state.h"

enum { UP_METHODS = 2, UP_FIELDS = 3, UP_ENTRY = 4 };

static lcul_class_entry *upvalue_entry (lua_State *L) {
  return lua_touserdata(L, lua_upvalueindex(UP_ENTRY));
}

static const lcul_classdef *upvalue_def (lua_State *L) { return &upvalue_entry(L)->def; }

static bool add_methods (lua_State *L) {
  return lcul_add_methods(L, upvalue_entry(L), lua_upvalueindex(UP_METHODS));
}


/* ---- members ---- */

/* Appends the string keys of the table at idx to a list of candidates; the strings stay alive in
 * their table. */
static size_t collect_names (lua_State *L, int idx, const char **list, size_t n, size_t max) {
  idx = lua_absindex(L, idx);
  lua_pushnil(L);
  while (lua_next(L, idx) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING && n < max) list[n++] = lua_tostring(L, -1);
  }
  return n;
}

static int unknown_field (lua_State *L, const lcul_classdef *def, const char *what) {
  char text[LCUL_HINT_SIZE];
  const char *list[400], *key = lua_tostring(L, 2);
  add_methods(L);
  size_t n = collect_names(L, lua_upvalueindex(UP_METHODS), list, 0, lcu_arraylen(list));
  n = collect_names(L, lua_upvalueindex(UP_FIELDS), list, n, lcu_arraylen(list));
  if (def->names != NULL) n += def->names(list + n, lcu_arraylen(list) - n);
  lcul_hint(L, lcul_class_name(def->id), key, list, n, NULL, text, sizeof text);
  return lcul_misuse(L, "%s has no %s '%s'%s", lcul_class_name(def->id), what, key, text);
}

static int call_getter (lua_State *L) {
  lua_CFunction f = lua_tocfunction(L, -1);
  if (lcu_likely(f != NULL)) {
    lua_settop(L, 1);
    return f(L);
  }
  lua_pushvalue(L, 1); /* a getter added from Lua */
  lua_call(L, 1, 1);
  return 1;
}

static int index_other (lua_State *L) {
  const lcul_classdef *def = upvalue_def(L);
  if (def->index != NULL) return def->index(L);
  return lcul_misuse(L, "a %s cannot be indexed with a %s", lcul_class_name(def->id),
                     luaL_typename(L, 2));
}

static int class_index (lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return index_other(L);
  lua_pushvalue(L, 2);
  if (lcu_likely(lua_rawget(L, lua_upvalueindex(UP_METHODS)) != LUA_TNIL)) return 1;
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(UP_FIELDS)) != LUA_TNIL) return call_getter(L);
  lua_settop(L, 2);
  if (add_methods(L)) return class_index(L);
  const lcul_classdef *def = upvalue_def(L);
  if (def->fallback != NULL && def->fallback(L) != 0) return 1;
  lua_settop(L, 2);
  return unknown_field(L, def, "field or method");
}

static int class_newindex (lua_State *L) {
  const lcul_classdef *def = upvalue_def(L);
  if (lua_type(L, 2) != LUA_TSTRING) {
    if (def->newindex != NULL) return def->newindex(L);
    return lcul_misuse(L, "a %s cannot be written with a %s as index", lcul_class_name(def->id),
                       luaL_typename(L, 2));
  }
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(UP_FIELDS)) == LUA_TNIL) {
    lua_settop(L, 3);
    if (def->new_fallback != NULL && def->new_fallback(L) != 0) return 0;
    return unknown_field(L, def, "settable field");
  }
  lua_insert(L, 1); /* setter(object, value, name) */
  lua_rotate(L, 3, 1);
  lua_call(L, 3, 0);
  return 0;
}

/* For consoles: the names of all methods and fields. */
static int class_complete (lua_State *L) {
  const char *list[256];
  add_methods(L);
  size_t n = collect_names(L, lua_upvalueindex(UP_METHODS), list, 0, lcu_arraylen(list));
  n = collect_names(L, lua_upvalueindex(UP_FIELDS), list, n, lcu_arraylen(list));
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushstring(L, list[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}


/* ---- classes ---- */

static void push_functions (lua_State *L, const luaL_Reg *funcs) {
  lua_newtable(L);
  lcul_setfuncs(L, funcs);
}

/* [metatable, methods, fields] -> the same; sets metatable[name] to a closure over methods, fields
 * and the entry. */
static void set_accessor (lua_State *L, const char *name, lua_CFunction f, int methods, int fields,
                          lcul_class_entry *entry) {
  lcul_push_state(L);
  lua_pushvalue(L, methods);
  lua_pushvalue(L, fields);
  lua_pushlightuserdata(L, entry);
  lua_pushcclosure(L, f, 4);
  lua_setfield(L, -2, name);
}

void lcul_newclass (lua_State *L, const lcul_classdef *def) {
  luaL_checkstack(L, 12, NULL);
  int base = lua_gettop(L);
  const int methods = base + 1, getters = base + 2, setters = base + 3, meta = base + 4;
  push_functions(L, def->methods);
  push_functions(L, def->getters);
  push_functions(L, def->setters);
  push_functions(L, def->metamethods);
  lcul_push_state(L);
  lcul_class_entry *entry = &((lcul_state *)lua_touserdata(L, -1))->classes[def->id];
  lua_pop(L, 1);
  entry->def = *def;
  set_accessor(L, "__index", class_index, methods, getters, entry);
  set_accessor(L, "__newindex", class_newindex, methods, setters, entry);
  set_accessor(L, "__complete", class_complete, methods, getters, entry);
  lua_pushfstring(L, "luacuda.%s", lcul_class_name(def->id));
  lua_pushvalue(L, -1);
  lua_setfield(L, meta, "__name");
  lua_pushvalue(L, meta);
  lua_settable(L, LUA_REGISTRYINDEX);
  lua_pushvalue(L, meta);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lcul_marks[def->id]);
  entry->metatable = lua_topointer(L, meta);
  lua_pushvalue(L, meta);
  entry->ref = luaL_ref(L, LUA_REGISTRYINDEX);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LCUL_CLASSES);
  lua_createtable(L, 4, 0);
  const int parts[] = { [LCUL_METHODS] = methods,
                        [LCUL_GETTERS] = getters,
                        [LCUL_METATABLE] = meta,
                        [LCUL_SETTERS] = setters };
  for (int part = LCUL_METHODS; part <= LCUL_SETTERS; part++) {
    lua_pushvalue(L, parts[part]);
    lua_rawseti(L, -2, part);
  }
  lua_setfield(L, -2, lcul_class_name(def->id));
  lua_settop(L, base);
}

void lcul_extend (lua_State *L, lcul_class id, lcul_part part, const luaL_Reg *funcs) {
  luaL_checkstack(L, 6, NULL);
  lua_getfield(L, LUA_REGISTRYINDEX, LCUL_CLASSES);
  lua_getfield(L, -1, lcul_class_name(id));
  lua_rawgeti(L, -1, part);
  lcul_setfuncs(L, funcs);
  lua_pop(L, 3);
}
