/* lcul_stream.c: class Stream, and the current stream of each device. */
#include "lcul_stream.h"

#include "lcu_order.h"
#include "lcu_stage.h"
#include "lcu_wait.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_event.h"
#include "lcul_option.h"
#include "lcul_pointer.h"
#include "lcul_scope.h"
#include "lcul_state.h"
#include "lcul_table.h"

typedef struct stream_box {
  lcu_stream *stream;
} stream_box;


/* ---- handles ---- */

/* The weak table of handles by stream, so that the same stream gives the same handle while that
 * lives. */
static void push_handles (lua_State *L) {
  if (luaL_getsubtable(L, LUA_REGISTRYINDEX, "luacuda.streams")) return;
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

static bool push_kept (lua_State *L, lcu_stream *s) {
  lua_rawgetp(L, -1, s);
  const stream_box *box = lcul_test(L, -1, LCUL_STREAM);
  if (box != NULL && box->stream == s) return true;
  lua_pop(L, 1);
  return false;
}

/* [handles] -> [handles, userdata]: an empty box, to be filled by the caller and then kept. */
static stream_box *new_box (lua_State *L) {
  return lcul_newobject(L, LCUL_STREAM, sizeof(stream_box), 0);
}

static void keep_box (lua_State *L, const stream_box *box) {
  lua_pushvalue(L, -1);
  lua_rawsetp(L, -3, box->stream);
}

void lcul_stream_push (lua_State *L, lcu_stream *s) {
  push_handles(L);
  if (!push_kept(L, s)) {
    stream_box *box = new_box(L);
    box->stream = lcu_ref(s);
    keep_box(L, box);
  }
  lua_remove(L, -2);
}

/* A reset gives the device another null stream. */
static void renew_null (lua_State *L, stream_box *box) {
  lcu_device *d = box->stream->device;
  lcul_status(L, lcu_device_open(d));
  lcu_unref(box->stream);
  box->stream = lcu_ref(d->null_stream);
}

lcu_stream *lcul_stream_check (lua_State *L, int idx) {
  stream_box *box = lcul_check(L, idx, LCUL_STREAM);
  if (lcu_unlikely(box->stream == NULL)) lcul_misuse(L, "attempt to use a closed Stream");
  if (lcu_unlikely(box->stream->gone)) renew_null(L, box);
  lcul_work_for(lcul_getstate(L));
  return box->stream;
}


/* ---- letting go ---- */

void lcul_stream_settle (lua_State *L, lcul_state *st) {
  if (!st->closing && lcul_in_finalizer(L)) return;
  while (st->leaving != NULL) {
    lcu_stream *s = st->leaving;
    int n = s->leaving;
    st->leaving = s->next_leaving;
    s->leaving = 0;
    lcu_object_unref_many(&s->base, n);
  }
}

/* The null stream lives as long as its device. */
void lcul_stream_leave (lua_State *L, lcu_stream *s) {
  lcul_state *st = lcul_getstate(L);
  if (s == NULL || s->is_null) {
    lcu_unref(s);
    return;
  }
  if (s->leaving++ == 0) {
    s->next_leaving = st->leaving;
    st->leaving = s;
  }
  lcul_stream_settle(L, st);
}

static int hold_release (lua_State *L) {
  lcul_stream_release(L, 1);
  return 0;
}

void lcul_stream_hold (lua_State *L, lcu_stream *s) {
  luaL_checkstack(L, 4, NULL);
  if (s->is_null) {
    lua_pushnil(L);
    return;
  }
  stream_box *box = lcul_newbox(L, sizeof *box, "luacuda.Hold", hold_release);
  box->stream = lcu_ref(s);
}

void lcul_stream_release (lua_State *L, int idx) {
  stream_box *box = lua_touserdata(L, idx);
  if (box == NULL) return;
  lcu_stream *s = box->stream;
  box->stream = NULL;
  lcul_stream_leave(L, s);
}


/* ---- the current stream ---- */

lcu_stream *lcul_stream_exchange (lcul_state *st, lcu_device *d, lcu_stream *s) {
  lcu_stream *before = st->streams[d->index];
  st->streams[d->index] = s == NULL || s->is_null ? NULL : lcu_ref(s);
  return before;
}

static void set_current (lua_State *L, lcu_device *d, lcu_stream *s) {
  lcul_stream_leave(L, lcul_stream_exchange(lcul_getstate(L), d, s));
}

lcu_stream *lcul_stream_current (lua_State *L, lcu_device *d) {
  lcul_state *st = lcul_getstate(L);
  lcu_stream *s = st->streams[d->index];
  lcul_work_for(st);
  if (s != NULL) return s;
  if (lcu_unlikely(d->null_stream == NULL)) lcul_status(L, lcu_device_open(d));
  return d->null_stream;
}

/* s:use() -> the stream that was current before on its device */
static int stream_use (lua_State *L) {
  lcu_device *d = lcul_stream_check(L, 1)->device;
  lcul_stream_push(L, lcul_stream_current(L, d));
  set_current(L, d, lcul_stream_check(L, 1)); /* again: a finalizer may have closed it */
  return 1;
}

lcu_stream *lcul_opt_stream (lua_State *L, int idx, lcu_device *d) {
  if (!lcul_opt_push(L, idx, "stream")) return lcul_stream_current(L, d);
  if (lcul_test(L, -1, LCUL_STREAM) == NULL) lcul_wrong_option(L, "stream", "a Stream");
  lcu_stream *s = lcul_stream_check(L, -1);
  if (s->device != d)
    lcul_misuse(L, "%s: option 'stream': the stream belongs to %s, the work to %s", lcul_callee(L),
                s->device->label, d->label);
  lua_pop(L, 1);
  return s;
}


/* ---- making ---- */

/* option `pointer`: a stream of the host program. Nothing can tell a stream from other memory, so a
 * number alone, which may be anything, is not taken. */
static bool opt_pointer (lua_State *L, int idx, cu_stream *out) {
  char got[96];
  if (lua_type(L, idx) != LUA_TTABLE || lua_getfield(L, idx, "pointer") == LUA_TNIL) return false;
  const lcul_pointer *p = lcul_test(L, -1, LCUL_POINTER);
  if (lua_islightuserdata(L, -1)) *out = lua_touserdata(L, -1);
  else if (p != NULL) *out = (cu_stream)(uintptr_t)p->address;
  else
    lcul_misuse(L,
                "stream: option 'pointer': expected cuda.ptr(address) or a light userdata, got %s",
                lcul_describe(L, -1, got, sizeof got));
  if (*out == NULL)
    lcul_misuse(L, "stream: option 'pointer': NULL is the null stream: see device.null_stream");
  return true;
}

/* stream{ priority =, blocking =, device =, pointer = } */
static int core_stream (lua_State *L) {
  static const char *const names[] = { "priority", "blocking", "device", "pointer", NULL };
  cu_stream foreign = NULL;
  lua_settop(L, 1);
  lcul_options(L, 1, "stream", names);
  lua_Integer priority = lcul_opt_integer(L, 1, "priority", 0, -1000, 1000);
  bool blocking = lcul_opt_bool(L, 1, "blocking", false);
  bool wrap = opt_pointer(L, 1, &foreign);
  lcu_device *d = lcul_opt_device(L, 1);
  lcul_stream_settle(L, lcul_getstate(L));
  push_handles(L);
  stream_box *box = new_box(L);
  lcul_status(L, wrap ? lcu_stream_wrap(d, foreign, &box->stream)
                      : lcu_stream_create(d, (int)priority, blocking, &box->stream));
  keep_box(L, box);
  return 1;
}


/* ---- methods ---- */

static int stream_synchronize (lua_State *L) {
  lcu_stream *s = lcul_stream_check(L, 1);
  lcul_sync_allowed(L, "stream:synchronize");
  lcul_status(L, lcu_stream_synchronize(s));
  lua_settop(L, 1);
  return 1;
}

static int stream_is_done (lua_State *L) {
  bool done;
  lcul_status(L, lcu_stream_query(lcul_stream_check(L, 1), &done));
  lua_pushboolean(L, done);
  return 1;
}

/* s:wait(event or stream) -> s */
static int stream_wait (lua_State *L) {
  lcu_stream *s = lcul_stream_check(L, 1);
  char got[96];
  if (lcul_test(L, 2, LCUL_STREAM) != NULL)
    lcul_status(L, lcu_order_after(s, lcul_stream_check(L, 2)));
  else if (lcul_test(L, 2, LCUL_EVENT) != NULL)
    lcul_status(L, lcu_stream_wait_event(s, lcul_event_check(L, 2)));
  else
    lcul_misuse(L, "wait: expected an Event or a Stream, got %s",
                lcul_describe(L, 2, got, sizeof got));
  lua_settop(L, 1);
  return 1;
}

/* Ends the handle; queued work goes on. A closed stream is nobody's current stream. */
static int stream_close (lua_State *L) {
  stream_box *box = lcul_check(L, 1, LCUL_STREAM);
  lcul_state *st = lcul_getstate(L);
  lcu_stream *s = box->stream;
  if (s == NULL) return 0;
  box->stream = NULL;
  if (!st->closing && st->streams[s->device->index] == s) set_current(L, s->device, NULL);
  lcu_stage_retire(s);
  lcul_stream_leave(L, s);
  return 0;
}

/* A collected handle only lets go: the stream may well be current still. */
static int stream_gc (lua_State *L) {
  stream_box *box = lcul_check(L, 1, LCUL_STREAM);
  lcu_stream *s = box->stream;
  box->stream = NULL;
  if (s != NULL) lcu_stage_retire(s);
  lcul_stream_leave(L, s);
  return 0;
}

static int stream_tostring (lua_State *L) {
  const stream_box *box = lcul_check(L, 1, LCUL_STREAM);
  const lcu_stream *s = box->stream;
  if (s == NULL) lua_pushliteral(L, "luacuda.Stream (closed)");
  else if (s->is_null) lua_pushfstring(L, "luacuda.Stream null on %s", s->device->label);
  else lua_pushfstring(L, "luacuda.Stream %p on %s", (void *)s->handle, s->device->label);
  return 1;
}

static int get_device (lua_State *L) {
  lcul_device_push(L, lcul_stream_check(L, 1)->device);
  return 1;
}

static int get_priority (lua_State *L) {
  lua_pushinteger(L, lcul_stream_check(L, 1)->priority);
  return 1;
}

static int get_blocking (lua_State *L) {
  lua_pushboolean(L, lcul_stream_check(L, 1)->blocking);
  return 1;
}

static int get_is_null (lua_State *L) {
  lua_pushboolean(L, lcul_stream_check(L, 1)->is_null);
  return 1;
}

static int get_pointer (lua_State *L) {
  lua_pushinteger(L, (lua_Integer)(uintptr_t)lcul_stream_check(L, 1)->handle);
  return 1;
}


/* ---- registration ---- */

static const luaL_Reg functions[] = { { "stream", core_stream }, { NULL, NULL } };

static const luaL_Reg methods[] = { { "synchronize", stream_synchronize },
                                    { "is_done", stream_is_done },
                                    { "wait", stream_wait },
                                    { "use", stream_use },
                                    { "close", stream_close },
                                    { "free", stream_close },
                                    { NULL, NULL } };

static const luaL_Reg getters[] = { { "device", get_device },     { "priority", get_priority },
                                    { "blocking", get_blocking }, { "is_null", get_is_null },
                                    { "pointer", get_pointer },   { NULL, NULL } };

static const luaL_Reg metamethods[] = { { "__gc", stream_gc },
                                        { "__close", stream_close },
                                        { "__tostring", stream_tostring },
                                        { NULL, NULL } };

void lcul_open_stream (lua_State *L) {
  static const lcul_classdef def = {
    .id = LCUL_STREAM,
    .boxed = true,
    .methods = methods,
    .getters = getters,
    .metamethods = metamethods,
  };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
}
