/* lcul_aux.c: classes: metatables with methods, getters and setters; boxes; what a value is
 * called. */
#include "lcul_aux.h"

#include <stdio.h>
#include <string.h>

/* Addresses are the marks of objects and the registry's keys of the class metatables; the bytes
 * mean nothing. */
const char lcul_marks[LCUL_CLASS_COUNT] = { 0 };

static const char *const class_names[LCUL_CLASS_COUNT] = {
  [LCUL_DEVICE] = "Device",
  [LCUL_STREAM] = "Stream",
  [LCUL_EVENT] = "Event",
  [LCUL_ARRAY] = "Array",
  [LCUL_MODULE] = "Module",
  [LCUL_KERNEL] = "Kernel",
  [LCUL_PREPARED] = "Prepared",
  [LCUL_SCALAR] = "Scalar",
  [LCUL_POINTER] = "Pointer",
  [LCUL_ARGUMENT] = "Argument",
  [LCUL_STRUCT] = "Struct",
  [LCUL_COMPLEX] = "Complex",
  [LCUL_ELEMENTWISE] = "Elementwise",
  [LCUL_REDUCTION] = "Reduction",
  [LCUL_FUSED] = "Fused",
  [LCUL_SHAPE] = "Shape",
  [LCUL_RECORD] = "Record",
};

const char *lcul_class_name (lcul_class id) { return class_names[id]; }


/* ---- functions with the state record ---- */

static void push_state (lua_State *L) { lua_getfield(L, LUA_REGISTRYINDEX, "luacuda.state"); }

static void push_closure (lua_State *L, lua_CFunction f) {
  push_state(L);
  lua_pushcclosure(L, f, 1);
}

void lcul_setfuncs (lua_State *L, const luaL_Reg *funcs) {
  luaL_checkstack(L, 3, NULL);
  for (; funcs != NULL && funcs->name != NULL; funcs++) {
    if (funcs->func != NULL) push_closure(L, funcs->func);
    else lua_pushboolean(L, 0);
    lua_setfield(L, -2, funcs->name);
  }
}


void lcul_set_string (lua_State *L, const char *name, const char *value) {
  if (value == NULL) return;
  lua_pushstring(L, value);
  lua_setfield(L, -2, name);
}

void lcul_set_integer (lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

void lcul_set_boolean (lua_State *L, const char *name, bool value) {
  lua_pushboolean(L, value);
  lua_setfield(L, -2, name);
}

static int buffer_gc (lua_State *L) {
  lcu_buf_free(lua_touserdata(L, 1));
  return 0;
}

lcu_buf *lcul_newbuffer (lua_State *L) {
  lcu_buf *b = lua_newuserdatauv(L, sizeof *b, 0);
  memset(b, 0, sizeof *b);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, buffer_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return b;
}

void lcul_push_names (lua_State *L, const lcu_buf *names) {
  lua_Integer i = 0;
  lua_newtable(L);
  for (size_t at = 0; at < names->len; at += strlen(names->data + at) + 1) {
    lua_pushstring(L, names->data + at);
    lua_rawseti(L, -2, ++i);
  }
}


/* ---- reading and writing fields of objects ---- Upvalues: 1 state, 2 methods, 3 getters or
 * setters, 4 a copy of the classdef. Getters and the class's own index and newindex are called as C
 * functions inside our closure, so they find the state as their upvalue 1, too. */

enum { UP_METHODS = 2, UP_FIELDS = 3, UP_DEF = 4 };

static const lcul_classdef *upvalue_def (lua_State *L) {
  return lua_touserdata(L, lua_upvalueindex(UP_DEF));
}

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

/* The words go to Lua before the buffer, which no raise would free, is given up. */
static void push_near (lua_State *L, const char *key, const char *const *list, size_t n) {
  lcu_buf b = { 0 };
  char text[256];
  lcul_near(&b, key, list, n);
  snprintf(text, sizeof text, "%s", b.data != NULL && !b.failed ? b.data : "");
  lcu_buf_free(&b);
  lua_pushstring(L, text);
}

static int unknown_field (lua_State *L, const lcul_classdef *def, const char *what) {
  const char *list[400], *key = lua_tostring(L, 2);
  size_t n = collect_names(L, lua_upvalueindex(UP_METHODS), list, 0, lcu_arraylen(list));
  n = collect_names(L, lua_upvalueindex(UP_FIELDS), list, n, lcu_arraylen(list));
  if (def->names != NULL) n += def->names(list + n, lcu_arraylen(list) - n);
  push_near(L, key, list, n);
  return lcul_misuse(L, "%s has no %s '%s'%s", def->name, what, key, lua_tostring(L, -1));
}

static int call_getter (lua_State *L) {
  lua_CFunction f = lua_tocfunction(L, -1);
  if (lcu_likely(f != NULL)) {
    lua_settop(L, 1);
    return f(L);
  }
  lua_pushvalue(L, 1); /* added from Lua */
  lua_call(L, 1, 1);
  return 1;
}

static int index_other (lua_State *L) {
  const lcul_classdef *def = upvalue_def(L);
  if (def->index != NULL) return def->index(L);
  return lcul_misuse(L, "a %s cannot be indexed with a %s", def->name, luaL_typename(L, 2));
}

static int class_index (lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return index_other(L);
  lua_pushvalue(L, 2);
  if (lcu_likely(lua_rawget(L, lua_upvalueindex(UP_METHODS)) != LUA_TNIL)) return 1;
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(UP_FIELDS)) != LUA_TNIL) return call_getter(L);
  lua_settop(L, 2);
  const lcul_classdef *def = upvalue_def(L);
  if (def->fallback != NULL && def->fallback(L) != 0) return 1;
  lua_settop(L, 2);
  return unknown_field(L, def, "field or method");
}

static int class_newindex (lua_State *L) {
  const lcul_classdef *def = upvalue_def(L);
  if (lua_type(L, 2) != LUA_TSTRING) {
    if (def->newindex != NULL) return def->newindex(L);
    return lcul_misuse(L, "a %s cannot be written with a %s as index", def->name,
                       luaL_typename(L, 2));
  }
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(UP_FIELDS)) == LUA_TNIL) {
    lua_settop(L, 3);
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
  size_t n = collect_names(L, lua_upvalueindex(UP_METHODS), list, 0, lcu_arraylen(list));
  n = collect_names(L, lua_upvalueindex(UP_FIELDS), list, n, lcu_arraylen(list));
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushstring(L, list[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}


/* ---- making classes ---- */

static void push_functions (lua_State *L, const luaL_Reg *funcs) {
  lua_newtable(L);
  lcul_setfuncs(L, funcs);
}

/* [metatable, methods, fields] -> the same; sets metatable[name] to a closure over methods, fields
 * and def. */
static void set_accessor (lua_State *L, const char *name, lua_CFunction f, int methods, int fields,
                          int def) {
  push_state(L);
  lua_pushvalue(L, methods);
  lua_pushvalue(L, fields);
  lua_pushvalue(L, def);
  lua_pushcclosure(L, f, 4);
  lua_setfield(L, -2, name);
}

void lcul_newclass (lua_State *L, const lcul_classdef *def) {
  luaL_checkstack(L, 12, NULL);
  int base = lua_gettop(L);
  const int methods = base + 1, getters = base + 2, setters = base + 3, copy = base + 4,
            meta = base + 5;
  push_functions(L, def->methods);
  push_functions(L, def->getters);
  push_functions(L, def->setters);
  const lcul_classdef *kept = memcpy(lua_newuserdatauv(L, sizeof *def, 0), def, sizeof *def);
  push_functions(L, def->metamethods);
  set_accessor(L, "__index", class_index, methods, getters, copy);
  set_accessor(L, "__newindex", class_newindex, methods, setters, copy);
  set_accessor(L, "__complete", class_complete, methods, getters, copy);
  lua_pushfstring(L, "luacuda.%s", def->name);
  lua_pushvalue(L, -1);
  lua_setfield(L, meta, "__name");
  lua_pushvalue(L, meta);
  lua_settable(L, LUA_REGISTRYINDEX);
  lua_pushvalue(L, meta);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lcul_marks[def->id]);
  push_state(L);
  lcul_class_entry *entry = &((lcul_state *)lua_touserdata(L, -1))->classes[def->id];
  entry->def = kept;
  entry->metatable = lua_topointer(L, meta);
  lua_pushvalue(L, meta);
  entry->ref = luaL_ref(L, LUA_REGISTRYINDEX);
  /* what core.class hands out: { methods, getters, metatable, setters } under the class's name */
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "luacuda.classes");
  lua_createtable(L, 4, 0);
  static const int order[] = { 1, 2, 5, 3 };
  for (int i = 0; i < 4; i++) {
    lua_pushvalue(L, base + order[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, def->name);
  lua_settop(L, base);
}

/* While a state is closed (lua_close runs finalizers) Lua calls no finalizer for objects made by
 * then. The collector does not run then, nor in any finalizer, so whatever is made while it does
 * not is noted, weakly, for the state's own end. */
static void note_late (lua_State *L) {
  if (!luaL_getsubtable(L, LUA_REGISTRYINDEX, LCUL_LATE)) {
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
  }
  lua_pushvalue(L, -2);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* Functions that the core calls in protected mode are without the state record. */
static void push_metatable (lua_State *L, lcul_class id) {
  const lcul_state *st = lcul_getstate(L);
  int type = st != NULL ? lua_rawgeti(L, LUA_REGISTRYINDEX, st->classes[id].ref)
                        : lua_rawgetp(L, LUA_REGISTRYINDEX, &lcul_marks[id]);
  if (lcu_unlikely(type != LUA_TTABLE)) luaL_error(L, "class %s was not opened", class_names[id]);
}

void *lcul_newobject (lua_State *L, lcul_class id, size_t size, int nuv) {
  lcul_header *h = lua_newuserdatauv(L, sizeof *h + size, nuv);
  memset(h, 0, sizeof *h + size);
  h->mark = &lcul_marks[id];
  push_metatable(L, id);
  lua_setmetatable(L, -2);
  if (lcu_unlikely(lua_gc(L, LUA_GCISRUNNING) != 1)) note_late(L);
  return h + 1;
}

void *lcul_check (lua_State *L, int idx, lcul_class id) {
  void *p = lcul_test(L, idx, id);
  if (lcu_likely(p != NULL)) return p;
  lcul_wrong_type(L, idx, class_names[id]);
  return NULL;
}


/* ---- what a value is ---- */

const lcul_classdef *lcul_classdef_of (lua_State *L, int idx) {
  const lcul_state *st = lcul_getstate(L);
  if (lua_rawlen(L, idx) < sizeof(lcul_header)) return NULL; /* light userdata have no length */
  const lcul_header *h = lua_touserdata(L, idx);
  if (h == NULL || st == NULL) return NULL;
  uintptr_t id = (uintptr_t)h->mark - (uintptr_t)lcul_marks;
  return id < LCUL_CLASS_COUNT ? st->classes[id].def : NULL;
}

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

void lcul_push_library (lua_State *L, const char *name) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, name) != LUA_TNIL) return;
  lua_pop(L, 1);
  lua_getglobal(L, "require");
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, name);
}

void lcul_push_hook (lua_State *L, const char *which, const char *name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LCUL_HOOKS);
  if (lua_getfield(L, -1, which) != LUA_TTABLE) luaL_error(L, "luacuda.%s is not loaded", which);
  lua_getfield(L, -1, name);
  lua_replace(L, -3);
  lua_pop(L, 1);
}
