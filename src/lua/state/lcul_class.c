/* lcul_class.c: objects: userdata of a class. */
#include "lcul_class.h"

#include <string.h>

#include "lcul_set.h"
#include "lcul_state.h"

/* Their addresses are the marks of objects and the registry keys of the class metatables; the bytes
 * have no meaning. */
const char lcul_marks[LCUL_CLASS_COUNT] = { 0 };

static const char *const class_names[LCUL_CLASS_COUNT] = {
#define LCUL_CLASS(ID, name) [LCUL_##ID] = #name,
#include "lcul_class.def"
#undef LCUL_CLASS
};

const char *lcul_class_name (lcul_class id) { return class_names[id]; }

#define LATE "luacuda.late" /* registry: objects that Lua may not finalize (keys) */

/* While lua_close runs finalizers, Lua calls no finalizer for objects made in the meantime. The
 * collector is stopped then, as in every finalizer, so objects made while it is stopped are noted,
 * weakly, for the end of the state. */
static void note_late (lua_State *L) {
  if (!luaL_getsubtable(L, LUA_REGISTRYINDEX, LATE)) lcul_set_weak(L, "k");
  lua_pushvalue(L, -2);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* The library's finalizers never raise and may be called twice. */
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

/* Functions called in protected mode have no state record. */
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

const lcul_classdef *lcul_classdef_of (lua_State *L, int idx) {
  const lcul_state *st = lcul_getstate(L);
  if (lua_rawlen(L, idx) < sizeof(lcul_header)) return NULL; /* light userdata have no length */
  const lcul_header *h = lua_touserdata(L, idx);
  if (h == NULL || st == NULL) return NULL;
  uintptr_t id = (uintptr_t)h->mark - (uintptr_t)lcul_marks;
  return id < LCUL_CLASS_COUNT ? &st->classes[id].def : NULL;
}
