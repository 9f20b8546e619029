/* lcul_core.c: luaopen_luacuda_core. Makes the state record, then opens every binding file on the
 * core table. */
#include <stdlib.h>
#include <string.h>

#include "lcu_caller.h"
#include "lcu_process_open.h"
#include "lcu_state_hooks.h"
#include "lcul_class.h"
#include "lcul_error.h"
#include "lcul_interrupt.h"
#include "lcul_lines.h"
#include "lcul_mail.h"
#include "lcul_set.h"
#include "lcul_state.h"
#include "lcul_stream.h"

LCU_EXPORT int luaopen_luacuda_core (lua_State *L);

/* Called by the allocator: runs a full collection of this state, on its thread. */
static void reclaim (void *ud) {
  lcul_state *st = ud;
  if (st->closing) return;
  lcul_mail_settle(st->main, st);
  lua_gc(st->main, LUA_GCCOLLECT);
}

/* Made first, so finalized last: every object of the library has released what it held. */
static int state_gc (lua_State *L) {
  lcul_state *st = lua_touserdata(L, 1);
  if (st->closing) return 0;
  lcul_work_for(st);
  lcul_end_late(L);
  st->closing = true;
  lcul_stream_settle(L, st);
  for (size_t i = 0; i < lcu_arraylen(st->streams); i++) {
    lcu_unref(st->streams[i]);
    st->streams[i] = NULL;
  }
  st->device = NULL;
  lcul_mail_close(st);
  lcul_lines_close(st);
  if (!st->entered) return 0;
  lcul_say_unheard(L); /* its modules are gone, so its kernels have completed */
  lcu_state_hooks_remove(st);
  if (lcu_process_leave()) lcul_say_lost();
  lcu_caller.owner = 0;
  return 0;
}

/* LUACUDA_ERRORS sets how errors are raised in every state of the process; a state may override
 * it. */
static bool wants_strings (lua_State *L) {
  const char *value = getenv("LUACUDA_ERRORS");
  if (value == NULL || value[0] == '\0' || strcmp(value, "object") == 0) return false;
  if (strcmp(value, "string") != 0)
    luaL_error(L, "LUACUDA_ERRORS: expected 'object' or 'string', got '%s'", value);
  return true;
}

/* Reports of all checks of the CPU device name the place where an array was made. */
static bool checks_all (void) {
  const char *value = getenv("LUACUDA_CPU_CHECK");
  return value != NULL && strcmp(value, "all") == 0;
}

static void new_state (lua_State *L) {
  static atomic_uint_fast64_t next_id = 1;
  static const lcu_state_hooks hooks = { .reclaim = reclaim, .stop = lcul_wait_stops };
  lcul_state *st = lua_newuserdatauv(L, sizeof *st, 0);
  memset(st, 0, sizeof *st);
  st->id = atomic_fetch_add(&next_id, 1);
  st->string_errors = wants_strings(L);
  st->traces_arrays = checks_all();
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
  lua_setfield(L, LUA_REGISTRYINDEX, LCUL_STATE);
  if (lcu_process_enter() != LCU_OK || lcu_state_hooks_add(&hooks, st) != LCU_OK)
    luaL_error(L, "%s", lcu_failure_get()->message);
  st->entered = true;
}

static void open_version (lua_State *L) {
  lua_pushliteral(L, LCU_VERSION_TEXT);
  lua_setfield(L, -2, "version");
}

#if LUA_VERSION_RELEASE_NUM < 50404
#error "Lua 5.4.4 or later is needed"
#endif

static int note_running (lua_State *L) {
  *(int *)lua_touserdata(L, lua_upvalueindex(1)) = lua_gc(L, LUA_GCISRUNNING);
  return 0;
}

/* What LUA_GCISRUNNING gives in a finalizer of another state; -1 since Lua 5.4.4. */
static int running_in_finalizer (void) {
  int running = -1;
  lua_State *L = luaL_newstate();
  if (L == NULL) return running;
  lua_createtable(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushlightuserdata(L, &running);
  lua_pushcclosure(L, note_running, 1);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_close(L);
  return running;
}

/* A call in flight ends at the wrong time where a finalizer cannot be told from other code. */
static void check_lua (lua_State *L) {
  if (running_in_finalizer() >= 0)
    luaL_error(L, "luacuda: this Lua is too old: Lua 5.4.4 or later is needed");
}

typedef void (*opener)(lua_State *L);

static const opener openers[] = {
#define LCUL_OPEN(name) lcul_open_##name,
#include "lcul_open.def"
#undef LCUL_OPEN
};

int luaopen_luacuda_core (lua_State *L) {
  luaL_checkversion(L); /* before anything else: indices of one Lua are wild in another */
  if (lua_getfield(L, LUA_REGISTRYINDEX, LCUL_CORE) == LUA_TTABLE) return 1;
  check_lua(L);
  new_state(L);
  lua_createtable(L, 0, 64);
  open_version(L);
  for (size_t i = 0; i < lcu_arraylen(openers); i++) openers[i](L);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, LCUL_CORE);
  return 1;
}
