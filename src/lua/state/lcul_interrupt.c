/* lcul_interrupt.c: requests to stop that arrive while Lua waits for a kernel.
 *
 * A signal handler cannot call Lua. It sets a hook in the main thread, as the handler of lua does
 * for Ctrl-C, and the hook raises an error when Lua code runs next. A waiting thread notices the
 * new hook and ends the wait. */
#include "lcul_interrupt.h"

#include "lcul_state.h"

static lcul_hook hook_of (lua_State *L) {
  return (lcul_hook){ lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L) };
}

static bool same (const lcul_hook *a, const lcul_hook *b) {
  return a->fn == b->fn && a->mask == b->mask && a->count == b->count;
}

/* A hook that runs before any other instruction: a signal may have set it after Lua code ran and
 * before the wait began. Debuggers set theirs from Lua. */
static bool is_urgent (const lcul_state *st, const lcul_hook *h) {
  return (h->mask & LUA_MASKCOUNT) != 0 && h->count == 1 && h->fn != st->debug_hook;
}

bool lcul_wait_stops (void *ud, bool begin) {
  lcul_state *st = ud;
  lcul_hook now = hook_of(st->main), before = st->hook;
  st->hook = now;
  if (now.fn == NULL || same(&now, &before)) return false;
  return !begin || is_urgent(st, &now);
}

/* A hook that raises has done its work: if it is set again, that is a new request. */
void lcul_run_hook (lua_State *L) {
  lcul_state *st = lcul_getstate(L);
  if (lua_gethook(L) == NULL || luaL_loadstring(L, "") != LUA_OK) return;
  lcul_hook seen = st->hook;
  st->hook = (lcul_hook){ NULL, 0, 0 };
  lua_call(L, 0, 0);
  st->hook = seen;
}

static int no_hook (lua_State *L) {
  (void)L;
  return 0;
}

/* The C function that runs all hooks set with debug.sethook. */
static int find_debug_hook (lua_State *L) {
  lcul_state *st = lua_touserdata(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "debug") != LUA_TTABLE || lua_getfield(L, -1, "sethook") != LUA_TFUNCTION)
    return 0;
  lua_pushvalue(L, -1);
  lua_pushcfunction(L, no_hook);
  lua_pushliteral(L, "");
  lua_pushinteger(L, 1 << 30);
  lua_call(L, 3, 0);
  st->debug_hook = lua_gethook(L);
  lua_call(L, 0, 0);
  return 0;
}

void lcul_open_interrupt (lua_State *L, lcul_state *st) {
  st->hook = hook_of(st->main);
  /* most likely a debugger's hook; leave it alone */
  if (lua_gethook(L) != NULL) {
    st->debug_hook = lua_gethook(L);
    return;
  }
  lua_pushcfunction(L, find_debug_hook);
  lua_pushlightuserdata(L, st);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
}
