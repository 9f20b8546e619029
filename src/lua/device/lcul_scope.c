/* lcul_scope.c: scopes: cuda.with_stream and cuda.no_sync. They restore what they set, whether the
 * function returns or raises. */
#include "lcul_scope.h"

#include "lcul_box.h"
#include "lcul_collect.h"
#include "lcul_describe.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_state.h"
#include "lcul_stream.h"

static inline void allow (lua_State *L, const lcul_state *st, const char *what) {
  lcul_work_for(st);
  if (lcu_likely(st->no_sync == 0 && st->capture == NULL)) return;
  bool recording = lcul_is_recording(L);
  if (recording || st->no_sync > 0)
    lcul_raise(L, "logic", "%s waits for the device, which %s", what,
               recording ? "cannot be recorded in a graph" : "cuda.no_sync forbids");
}

void lcul_sync_allowed (lua_State *L, const char *what) { allow(L, lcul_getstate(L), what); }

lcu_stream *lcul_host_turn (lua_State *L, const lcu_device *d, const char *what) {
  const lcul_state *st = lcul_getstate(L);
  allow(L, st, what);
  lcu_stream *s = st->streams[d->index];
  return s == NULL ? d->null_stream : lcul_stream_to_use(L, st, s);
}

/* check_wait(what): raises if waiting for the device is forbidden. */
static int core_check_wait (lua_State *L) {
  lcul_sync_allowed(L, luaL_checkstring(L, 1));
  return 0;
}

void lcul_not_recorded (lua_State *L, const char *what) {
  if (lcu_unlikely(lcul_is_recording(L)))
    lcul_raise(L, "logic", "%s cannot be recorded in a graph", what);
}

typedef struct scope {
  lcu_device *device;
  lcu_stream *before;
  bool no_sync, active;
} scope;

static void end_scope (lua_State *L, void *ud) {
  scope *c = ud;
  if (!c->active) return;
  c->active = false;
  if (c->no_sync) lcul_getstate(L)->no_sync--;
  if (c->device == NULL) return;
  lcul_stream_set_current(L, c->device, c->before);
  lcul_stream_leave(L, c->before);
  lcu_unref(c->device);
}

static int scope_end (lua_State *L) {
  end_scope(L, lua_touserdata(L, 1));
  return 0;
}

/* Inserts a scope at the bottom of the stack; it ends when the calling C function returns or
 * raises. */
static scope *push_scope (lua_State *L) {
  scope *c = lcul_newbox(L, sizeof *c, "luacuda.Scope", scope_end);
  lua_insert(L, 1);
  c->active = true;
  lua_toclose(L, 1);
  return c;
}

int lcul_scope_call (lua_State *L, void (*end)(lua_State *L, void *scope), void *c) {
  int arguments = lua_gettop(L) - 2;
  if (L == lcul_getstate(L)->main) lua_call(L, arguments, LUA_MULTRET);
  else if (lua_pcall(L, arguments, LUA_MULTRET, 0) != LUA_OK) {
    end(L, c);
    return lua_error(L);
  }
  return lua_gettop(L) - 1;
}

void lcul_check_callable (lua_State *L, int idx, const char *what) {
  char got[96];
  if (lua_isfunction(L, idx)) return;
  bool callable = luaL_getmetafield(L, idx, "__call") != LUA_TNIL;
  if (!callable)
    lcul_misuse(L, "%s: expected a function, got %s", what, lcul_describe(L, idx, got, sizeof got));
  lua_pop(L, 1);
}

/* with_stream(stream, fn, ...) -> the results of fn, called with the stream current */
static int core_with_stream (lua_State *L) {
  (void)lcul_stream_check(L, 1);
  lcul_check_callable(L, 2, "with_stream");
  scope *c = push_scope(L);
  lcu_stream *s = lcul_stream_check(L, 2); /* a finalizer may have closed it */
  c->device = lcu_ref(s->device);
  /* its reference moves into the scope */
  c->before = lcul_stream_exchange(lcul_getstate(L), s->device, s);
  lua_remove(L, 2);
  return lcul_scope_call(L, end_scope, c);
}

/* no_sync(fn, ...) -> the results of fn; calls inside it that would wait for a device raise */
static int core_no_sync (lua_State *L) {
  lcul_check_callable(L, 1, "no_sync");
  scope *c = push_scope(L);
  c->no_sync = true;
  lcul_getstate(L)->no_sync++;
  return lcul_scope_call(L, end_scope, c);
}

void lcul_open_scope (lua_State *L) {
  static const luaL_Reg functions[] = { { "with_stream", core_with_stream },
                                        { "no_sync", core_no_sync },
                                        { "check_wait", core_check_wait },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
