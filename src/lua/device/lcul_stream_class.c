/* lcul_stream_class.c: class Stream. */
#include "lcu_stream.h"
#include "lcu_stage.h"
#include "lcu_wait.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_event.h"
#include "lcul_option.h"
#include "lcul_partition.h"
#include "lcul_pointer.h"
#include "lcul_lines.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_state.h"
#include "lcul_stream.h"


/* ---- making ---- */

/* Option `pointer`: a stream of the host program. Streams cannot be told apart from other memory,
 * so a plain number, which may be anything, is refused. */
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

/* A stream of a partition is on the partition's device, and its own kind of stream. */
static void check_partition_only (lua_State *L, const lcu_device *d, bool blocking, bool wrap) {
  if (blocking || wrap)
    lcul_misuse(L, "stream: option '%s' cannot be given with option 'partition'",
                wrap ? "pointer" : "blocking");
  if (lcul_opt_push(L, 1, "device") && lcul_device_select(L, -1) != d)
    lcul_misuse(L, "stream: the partition is on %s, option 'device' names another device",
                d->label);
  lua_settop(L, 1);
}

static lcu_status make_stream (lcul_stream_box *box, lcu_partition *p, lcu_device *d, int priority,
                               bool blocking) {
  if (p != NULL) return lcu_stream_create_in(p, priority, &box->stream);
  return lcu_stream_create(d, priority, blocking, &box->stream);
}

/* stream{ priority =, blocking =, device =, partition =, pointer = } */
static int core_stream (lua_State *L) {
  lcul_check_most(L, 1);
  static const char *const names[] = { "priority",  "blocking", "device",
                                       "partition", "pointer",  NULL };
  cu_stream foreign = NULL;
  lua_settop(L, 1);
  lcul_options(L, 1, "stream", names);
  lua_Integer priority = lcul_opt_integer(L, 1, "priority", 0, -1000, 1000);
  bool blocking = lcul_opt_bool(L, 1, "blocking", false);
  bool wrap = opt_pointer(L, 1, &foreign);
  lcu_partition *p = lcul_opt_partition(L, 1);
  lcu_device *d = p != NULL ? p->device : lcul_opt_device(L, 1);
  if (p != NULL) check_partition_only(L, d, blocking, wrap);
  lcul_stream_settle(L, lcul_getstate(L));
  lcul_stream_box *box = lcul_stream_newbox(L);
  if (p != NULL) p = lcul_opt_partition(L, 1); /* again: a finalizer may have closed it */
  lcul_status(L, wrap ? lcu_stream_wrap(d, foreign, &box->stream)
                      : make_stream(box, p, d, (int)priority, blocking));
  lcul_stream_keep(L, box);
  return 1;
}


/* ---- methods ---- */

/* s:use() -> the previous current stream of its device */
static int stream_use (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_device *d = lcul_stream_check(L, 1)->device;
  lcul_stream_push(L, lcul_stream_current(L, d));
  lcul_stream_set_current(
    L, d, lcul_stream_check(L, 1)); /* checked again: a finalizer may have closed it */
  return 1;
}

static int stream_synchronize (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_stream *s = lcul_stream_check(L, 1);
  lcul_sync_allowed(L, "stream:synchronize");
  lcul_status(L, lcu_stream_synchronize(s));
  (void)lcul_callbacks_run(L);
  lua_settop(L, 1);
  return 1;
}

static int stream_is_done (lua_State *L) {
  lcul_check_most(L, 1);
  bool done;
  lcul_not_recorded(L, "stream:is_done");
  lcul_status(L, lcu_stream_query(lcul_stream_check(L, 1), &done));
  (void)lcul_callbacks_run(L);
  lua_pushboolean(L, done);
  return 1;
}

/* s:wait(event or stream) -> s */
static int stream_wait (lua_State *L) {
  lcul_check_most(L, 2);
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

/* Closes the handle; queued work goes on. A closed stream is no longer current. */
static int stream_close (lua_State *L) {
  lcul_stream_box *box = lcul_check(L, 1, LCUL_STREAM);
  lcul_state *st = lcul_getstate(L);
  lcu_stream *s = box->stream;
  if (s == NULL) return 0;
  box->stream = NULL;
  if (!st->closing && st->streams[s->device->index] == s)
    lcul_stream_set_current(L, s->device, NULL);
  lcu_stage_retire(s);
  lcul_stream_leave(L, s);
  return 0;
}

/* A collected handle only drops its reference: the stream may still be current. */
static int stream_gc (lua_State *L) {
  lcul_stream_box *box = lcul_check(L, 1, LCUL_STREAM);
  lcu_stream *s = box->stream;
  box->stream = NULL;
  if (s != NULL) lcu_stage_retire(s);
  lcul_stream_leave(L, s);
  return 0;
}

static int stream_tostring (lua_State *L) {
  const lcul_stream_box *box = lcul_check(L, 1, LCUL_STREAM);
  const lcu_stream *s = box->stream;
  if (s == NULL) lua_pushliteral(L, "luacuda.Stream (closed)");
  else if (s->is_null) lua_pushfstring(L, "luacuda.Stream null on %s", s->device->label);
  else lua_pushfstring(L, "luacuda.Stream %p on %s", (void *)s->handle, s->device->label);
  return 1;
}

static int get_stream_device (lua_State *L) {
  lcul_device_push(L, lcul_stream_itself(L, 1)->device);
  return 1;
}

static int get_priority (lua_State *L) {
  lua_pushinteger(L, lcul_stream_itself(L, 1)->priority);
  return 1;
}

static int get_stream_blocking (lua_State *L) {
  lua_pushboolean(L, lcul_stream_itself(L, 1)->blocking);
  return 1;
}

static int get_partition (lua_State *L) {
  const lcu_stream *s = lcul_stream_check(L, 1);
  if (s->partition != NULL) lcul_partition_push(L, s->partition);
  else lua_pushnil(L);
  return 1;
}

static int get_is_null (lua_State *L) {
  lua_pushboolean(L, lcul_stream_itself(L, 1)->is_null);
  return 1;
}

static int get_stream_pointer (lua_State *L) {
  lua_pushinteger(L, (lua_Integer)(uintptr_t)lcul_stream_check(L, 1)->handle);
  return 1;
}


/* ---- registration ---- */

static const luaL_Reg stream_functions[] = { { "stream", core_stream }, { NULL, NULL } };

static const luaL_Reg stream_methods[] = { { "synchronize", stream_synchronize },
                                           { "is_done", stream_is_done },
                                           { "wait", stream_wait },
                                           { "use", stream_use },
                                           { "close", stream_close },
                                           { "free", stream_close },
                                           { NULL, NULL } };

static const luaL_Reg stream_getters[] = { { "device", get_stream_device },
                                           { "priority", get_priority },
                                           { "blocking", get_stream_blocking },
                                           { "is_null", get_is_null },
                                           { "partition", get_partition },
                                           { "pointer", get_stream_pointer },
                                           { NULL, NULL } };

static const luaL_Reg stream_metamethods[] = { { "__gc", stream_gc },
                                               { "__close", stream_close },
                                               { "__tostring", stream_tostring },
                                               { NULL, NULL } };

void lcul_open_stream (lua_State *L) {
  static const lcul_classdef def = {
    .id = LCUL_STREAM,
    .boxed = true,
    .methods = stream_methods,
    .getters = stream_getters,
    .metamethods = stream_metamethods,
  };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, stream_functions);
}
