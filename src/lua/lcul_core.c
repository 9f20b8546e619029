/* lcul_core.c: luaopen_luacuda_core. Makes the state record, then opens every binding file on the
 * core table. */
#include <stdlib.h>
#include <string.h>

#include "lcul_aux.h"

LCU_EXPORT int luaopen_luacuda_core (lua_State *L);

/* Hook of the allocator: a full collection of this state, on this state's thread. */
static void reclaim (void *ud) {
  lcul_state *st = ud;
  if (!st->closing) lua_gc(st->main, LUA_GCCOLLECT);
}

/* Ends what was made while the state was being closed. Finalizers of ours never raise and may be
 * called twice. */
static void end_late (lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, LCUL_LATE) == LUA_TTABLE) {
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
      if (luaL_getmetafield(L, -2, "__gc") == LUA_TNIL) continue;
      lua_pushvalue(L, -3);
      if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
}

/* Made first, so finalised last: by then every object of ours has let go. */
static int state_gc (lua_State *L) {
  lcul_state *st = lua_touserdata(L, 1);
  if (st->closing) return 0;
  lcul_work_for(st);
  end_late(L);
  st->closing = true;
  lcul_stream_settle(L, st);
  for (size_t i = 0; i < lcu_arraylen(st->streams); i++) {
    lcu_unref(st->streams[i]);
    st->streams[i] = NULL;
  }
  st->device = NULL;
  if (!st->entered) return 0;
  lcul_say_unheard(L); /* its modules are gone, and so its kernels are complete */
  lcu_state_hooks_remove(st);
  if (lcu_process_leave()) lcul_say_lost();
  lcu_owner = 0;
  return 0;
}

/* LUACUDA_ERRORS: how errors are raised in every state of the process, unless it says otherwise
 * itself. */
static bool wants_strings (lua_State *L) {
  const char *value = getenv("LUACUDA_ERRORS");
  if (value == NULL || value[0] == '\0' || strcmp(value, "object") == 0) return false;
  if (strcmp(value, "string") != 0)
    luaL_error(L, "LUACUDA_ERRORS: expected 'object' or 'string', got '%s'", value);
  return true;
}

static void new_state (lua_State *L) {
  static atomic_uint_fast64_t next_id = 1;
  static const lcu_state_hooks hooks = { .reclaim = reclaim, .stop = lcul_wait_stops };
  lcul_state *st = lua_newuserdatauv(L, sizeof *st, 0);
  memset(st, 0, sizeof *st);
  st->id = atomic_fetch_add(&next_id, 1);
  st->string_errors = wants_strings(L);
  lcul_work_for(st);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, state_gc);
  lua_setfield(L, -2, "__gc");
  lua_pushliteral(L, "luacuda.State");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  st->main = lua_tothread(L, -1);
  lua_pop(L, 1);
  lcul_open_interrupt(L, st);
  lua_setfield(L, LUA_REGISTRYINDEX, "luacuda.state");
  if (lcu_process_enter() != LCU_OK || lcu_state_hooks_add(&hooks, st) != LCU_OK)
    luaL_error(L, "%s", lcu_failure_get()->message);
  st->entered = true;
}

/* class(name) -> methods, getters, metatable, setters: Lua files add to these. */
static int core_class (lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "luacuda.classes");
  if (lua_getfield(L, -1, luaL_checkstring(L, 1)) != LUA_TTABLE)
    return luaL_error(L, "no class '%s'", lua_tostring(L, 1));
  int t = lua_gettop(L);
  for (int i = 1; i <= 4; i++) lua_rawgeti(L, t, i);
  return 4;
}

/* hooks(which, table): functions of a Lua file that C calls. */
static int core_hooks (lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LCUL_HOOKS);
  lua_insert(L, 1);
  lua_setfield(L, 1, luaL_checkstring(L, 2));
  return 0;
}

/* home(prefix): chunk names that begin so are the library's own; positions in messages skip
 * them. */
static int core_home (lua_State *L) {
  lcul_state *st = lcul_getstate(L);
  size_t len;
  const char *prefix = luaL_checklstring(L, 1, &len);
  if (len < sizeof st->home) memcpy(st->home, prefix, len + 1);
  return 0;
}

/* Is the object at 1 closed? */
static bool is_closed (lua_State *L, const lcul_classdef *def) {
  if (def->boxed) return *(void **)lcul_toobject(L, 1) == NULL;
  if (luaL_getmetafield(L, 1, "__closed") == LUA_TNIL) return false;
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return lua_toboolean(L, -1);
}

static const lcul_classdef *class_of (const lcul_state *st, const void *meta) {
  for (int id = 0; id < LCUL_CLASS_COUNT; id++)
    if (st->classes[id].metatable == meta) return st->classes[id].def;
  return NULL;
}

static void push_lower (lua_State *L, const char *prefix, const char *name) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, prefix);
  for (; *name != '\0'; name++)
    luaL_addchar(&b, (char)(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name));
  luaL_pushresult(&b);
}

/* Classes made in Lua are told by their name: pools, templates, errors. */
static int push_table_type (lua_State *L) {
  static const char prefix[] = "luacuda.";
  const char *name = luaL_getmetafield(L, 1, "__name") == LUA_TSTRING ? lua_tostring(L, -1) : "";
  if (strncmp(name, prefix, sizeof prefix - 1) == 0) push_lower(L, "", name + sizeof prefix - 1);
  else lua_pushnil(L);
  return 1;
}

/* type(v) -> "array", "device", ...; "closed array" for an ended one; nil for what is not ours
 * (like io.type). */
static int core_type (lua_State *L) {
  const lcul_classdef *def = NULL;
  lcul_check_any(L, 1);
  lua_settop(L, 1);
  if (lua_type(L, 1) == LUA_TTABLE) return push_table_type(L);
  if (lua_type(L, 1) != LUA_TUSERDATA || !lua_getmetatable(L, 1) ||
      (def = class_of(lcul_getstate(L), lua_topointer(L, -1))) == NULL) {
    lua_pushnil(L);
    return 1;
  }
  push_lower(L, is_closed(L, def) ? "closed " : "", def->name);
  return 1;
}

static const luaL_Reg functions[] = { { "class", core_class },
                                      { "hooks", core_hooks },
                                      { "home", core_home },
                                      { "type", core_type },
                                      { NULL, NULL } };

static void open_version (lua_State *L) {
  lua_pushliteral(L, LCU_VERSION_TEXT);
  lua_setfield(L, -2, "version");
}

typedef void (*opener)(lua_State *L);

int luaopen_luacuda_core (lua_State *L) {
  static const opener openers[] = {
    lcul_open_error,  lcul_open_list,    lcul_open_scalar,      lcul_open_struct,
    lcul_open_device, lcul_open_stream,  lcul_open_event,       lcul_open_record,
    lcul_open_array,  lcul_open_compile, lcul_open_module,      lcul_open_kernel,
    lcul_open_blas,   lcul_open_builder, lcul_open_elementwise, lcul_open_reduction,
    lcul_open_fuse,   lcul_open_debug,
  };
  luaL_checkversion(L);
  if (lua_getfield(L, LUA_REGISTRYINDEX, "luacuda.core") == LUA_TTABLE) return 1;
  new_state(L);
  lua_createtable(L, 0, 64);
  lcul_setfuncs(L, functions);
  open_version(L);
  for (size_t i = 0; i < lcu_arraylen(openers); i++) openers[i](L);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "luacuda.core");
  return 1;
}
