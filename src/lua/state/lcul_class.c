/* lcul_class.c: classes and their objects. */
#include "lcul_class.h"

#include <string.h>

#include "lcul_check.h"
#include "lcul_member.h"
#include "lcul_state.h"
#include "lcul_table.h"

/* Their addresses are the marks of objects and the registry keys of the class metatables; the bytes
 * have no meaning. */
const char lcul_marks[LCUL_CLASS_COUNT] = { 0 };

static const char *const class_names[LCUL_CLASS_COUNT] = {
#define LCUL_CLASS(ID, name) [LCUL_##ID] = #name,
#include "lcul_class.def"
#undef LCUL_CLASS
};

const char *lcul_class_name (lcul_class id) { return class_names[id]; }


/* ---- making classes ---- */

static void push_functions (lua_State *L, const luaL_Reg *funcs) {
  lua_newtable(L);
  lcul_setfuncs(L, funcs);
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
  lcul_set_members(L, methods, getters, setters, copy);
  lua_pushfstring(L, "luacuda.%s", class_names[def->id]);
  lua_pushvalue(L, -1);
  lua_setfield(L, meta, "__name");
  lua_pushvalue(L, meta);
  lua_settable(L, LUA_REGISTRYINDEX);
  lua_pushvalue(L, meta);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lcul_marks[def->id]);
  lcul_push_state(L);
  lcul_class_entry *entry = &((lcul_state *)lua_touserdata(L, -1))->classes[def->id];
  entry->def = kept;
  entry->metatable = lua_topointer(L, meta);
  lua_pushvalue(L, meta);
  entry->ref = luaL_ref(L, LUA_REGISTRYINDEX);
  /* what core.class hands out: { methods, getters, metatable, setters } under the class's name */
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LCUL_CLASSES);
  lua_createtable(L, 4, 0);
  static const int order[] = { 1, 2, 5, 3 };
  for (int i = 0; i < 4; i++) {
    lua_pushvalue(L, base + order[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, class_names[def->id]);
  lua_settop(L, base);
}

void lcul_add_methods (lua_State *L, lcul_class id, const luaL_Reg *methods) {
  luaL_checkstack(L, 6, NULL);
  lua_getfield(L, LUA_REGISTRYINDEX, LCUL_CLASSES);
  lua_getfield(L, -1, class_names[id]);
  lua_rawgeti(L, -1, 1);
  lcul_setfuncs(L, methods);
  lua_pop(L, 3);
}


/* ---- objects ---- */

#define LATE "luacuda.late" /* registry: objects that Lua may not finalize (keys) */

/* While a state is closed (lua_close runs finalizers) Lua calls no finalizer for objects made by
 * then. The collector does not run then, nor in any finalizer, so whatever is made while it does
 * not is noted, weakly, for the state's own end. */
static void note_late (lua_State *L) {
  if (!luaL_getsubtable(L, LUA_REGISTRYINDEX, LATE)) {
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

/* Ends what was made while the state was being closed. Finalizers of ours never raise and may be
 * called twice. */
void lcul_end_late (lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, LATE) == LUA_TTABLE) {
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
      if (luaL_getmetafield(L, -2, "__gc") == LUA_TNIL) continue;
      lua_pushvalue(L, -3);
      if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
    }
  }
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

const lcul_classdef *lcul_classdef_of (lua_State *L, int idx) {
  const lcul_state *st = lcul_getstate(L);
  if (lua_rawlen(L, idx) < sizeof(lcul_header)) return NULL; /* light userdata have no length */
  const lcul_header *h = lua_touserdata(L, idx);
  if (h == NULL || st == NULL) return NULL;
  uintptr_t id = (uintptr_t)h->mark - (uintptr_t)lcul_marks;
  return id < LCUL_CLASS_COUNT ? st->classes[id].def : NULL;
}
