/* lcul_error.c: what is raised, and failures that nothing raised.
 *
 * A host that calls lua_tostring on an error gets NULL for a table or a userdata: Lua calls no
 * metamethod there. For such hosts a state may raise the text instead (lcul_state.string_errors).
 * The latest objects are remembered with their texts, so that is_error and last_error recognize
 * them. */
#include "lcul_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cu_failure.h"
#include "lcu_device_failure.h"
#include "lcul_failure.h"
#include "lcul_interrupt.h"
#include "lcul_set.h"
#include "lcul_state.h"

#define RECENT_KEY "luacuda.recent_errors" /* 1 to RECENT: objects; after them their texts */

enum { RECENT = 16 };


/* ---- the object or its text ---- */

/* Functions called in protected mode have no state record. */
static lcul_state *state_of (lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, LCUL_STATE);
  lcul_state *st = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return st;
}

/* [object] -> [object, text or false]; both are remembered. */
static void remember (lua_State *L, lcul_state *st) {
  int slot = (int)(st->errors++ % RECENT) + 1;
  if (st->string_errors) luaL_tolstring(L, -1, NULL);
  else lua_pushboolean(L, false);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, RECENT_KEY);
  lua_pushvalue(L, -3);
  lua_rawseti(L, -2, slot);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, slot + RECENT);
  lua_pop(L, 1);
}

void lcul_error_present (lua_State *L) {
  lcul_state *st = state_of(L);
  if (st == NULL) return;
  remember(L, st);
  if (st->string_errors) lua_remove(L, -2);
  else lua_pop(L, 1);
}

/* Does the text end with that of an error? error() may have added a position before it. */
static bool ends_with (lua_State *L, int idx, int end) {
  size_t n = 0, m = 0;
  const char *text = lua_tolstring(L, idx, &n), *tail = lua_tolstring(L, end, &m);
  return m > 0 && n >= m && memcmp(text + (n - m), tail, m) == 0;
}

bool lcul_push_remembered (lua_State *L, int idx) {
  const lcul_state *st = state_of(L);
  unsigned known = st == NULL ? 0 : st->errors < RECENT ? st->errors : RECENT;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, RECENT_KEY);
  for (unsigned i = 1; i <= known; i++) {
    int slot = (int)((st->errors - i) % RECENT) + 1;
    lua_rawgeti(L, -1, slot + RECENT);
    bool fits = ends_with(L, idx, -1);
    lua_pop(L, 1);
    if (!fits) continue;
    lua_rawgeti(L, -1, slot);
    lua_remove(L, -2);
    return true;
  }
  lua_pop(L, 1);
  return false;
}

void lcul_push_latest (lua_State *L) {
  const lcul_state *st = state_of(L);
  if (st->errors == 0) {
    lua_pushnil(L);
    return;
  }
  luaL_getsubtable(L, LUA_REGISTRYINDEX, RECENT_KEY);
  lua_rawgeti(L, -1, (int)((st->errors - 1) % RECENT) + 1);
  lua_remove(L, -2);
}


/* ---- raising ---- */

/* A hook that a signal handler has set raises here; the failure then counts as raised. */
static void run_hook (lua_State *L, lcu_status s) {
  lcu_failure f = *lcu_failure_get();
  lcu_device_raised(s, f.code == s ? f.pending : 0);
  lcul_run_hook(L);
  *lcu_failure_get() = f;
}

void lcul_status (lua_State *L, lcu_status s) { lcul_status_log(L, s, ""); }

void lcul_status_log (lua_State *L, lcu_status s, const char *log) {
  if (lcu_likely(s == LCU_OK)) return;
  if (s == LCU_E_INTERRUPTED) run_hook(L, s);
  const lcu_failure *f = lcu_failure_get();
  uint64_t key = f->code == s ? f->pending : 0;
  lcul_push_failure_log(L, s, log);
  lcul_error_present(L);
  lcu_device_raised(s, key);
  lua_error(L);
}

int lcul_raise (lua_State *L, const char *kind, const char *fmt, ...) {
  char text[LCU_MESSAGE_SIZE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  lua_createtable(L, 0, 6);
  lcul_set_string(L, "kind", kind);
  lcul_set_string(L, "message", text);
  lcul_error_finish(L);
  lcul_error_present(L);
  return lua_error(L);
}


/* ---- the end of a state ---- */

static void say (const char *text) {
  fprintf(stderr, "luacuda: an error that no call raised: %s\n", text);
  fflush(stderr);
}

static void say_record (const lcu_failure *f) {
  char text[LCU_MESSAGE_SIZE];
  say(lcu_failure_text(f, text));
}

/* failure_text(status) -> message of the thread's failure */
static int failure_text (lua_State *L) {
  lcul_push_failure(L, (lcu_status)lua_tointeger(L, 1));
  lua_getfield(L, -1, "message");
  return 1;
}

/* When memory has run out, writes the core's own text. */
static void say_failure (lua_State *L, lcu_status s) {
  lcu_failure f = *lcu_failure_get();
  luaL_checkstack(L, 4, NULL);
  lua_pushcfunction(L, failure_text);
  lua_pushinteger(L, s);
  bool made = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING;
  if (made) say(lua_tostring(L, -1));
  else say_record(&f);
  lua_pop(L, 1);
  lcu_device_raised(s, f.pending);
}

static bool find_unraised (lcu_device *d, void *ud) {
  lcu_status *s = ud;
  *s = lcu_device_next_unraised(d);
  return *s == LCU_OK;
}

void lcul_say_unheard (lua_State *L) {
  lcu_status s;
  do {
    s = LCU_OK;
    lcu_process_each(find_unraised, &s);
    if (s == LCU_E_INTERRUPTED) lcu_device_raised(s, lcu_failure_get()->pending); /* requested */
    else if (s != LCU_OK) say_failure(L, s);
  } while (s != LCU_OK);
}

void lcul_say_lost (void) {
  lcu_failure f;
  if (lcu_device_take_lost(&f)) say_record(&f);
}
