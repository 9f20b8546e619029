/* lcul_event.c: class Event. */
#include "lcul_event.h"

#include <string.h>

#include "lcu_device_failure.h"
#include "lcu_event.h"
#include "lcu_ipc_format.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_option.h"
#include "lcul_lines.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_state.h"
#include "lcul_stream.h"

typedef struct event_box {
  lcu_event *event;
} event_box;

lcu_event *lcul_event_check (lua_State *L, int idx) {
  event_box *box = lcul_check(L, idx, LCUL_EVENT);
  if (lcu_unlikely(box->event == NULL)) lcul_misuse(L, "attempt to use a closed Event");
  lcul_work_for(lcul_getstate(L));
  return box->event;
}

/* event{ timing =, blocking =, interprocess =, device = }; an event for several processes cannot
 * take times */
static int core_event (lua_State *L) {
  lcul_check_most(L, 1);
  static const char *const names[] = { "timing", "blocking", "interprocess", "device", NULL };
  lua_settop(L, 1);
  lcul_options(L, 1, "event", names);
  bool interprocess = lcul_opt_bool(L, 1, "interprocess", false);
  bool timing = lcul_opt_bool(L, 1, "timing", !interprocess);
  bool blocking = lcul_opt_bool(L, 1, "blocking", false);
  if (timing && interprocess)
    lcul_misuse(L, "event: an event for several processes cannot take times: use timing = false");
  lcu_device *d = lcul_opt_device(L, 1);
  event_box *box = lcul_newobject(L, LCUL_EVENT, sizeof *box, 0);
  lcul_status(L, lcu_event_create(d, timing, blocking, interprocess, &box->event));
  return 1;
}

void lcul_event_open (lua_State *L, lcu_device *d, const cu_ipc_event *h) {
  event_box *box = lcul_newobject(L, LCUL_EVENT, sizeof *box, 0);
  lcul_status(L, lcu_event_open(d, h, &box->event));
}

/* e:ipc_handle() -> a string that core.open_ipc of another process takes */
static int event_ipc_handle (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_event *e = lcul_event_check(L, 1);
  unsigned char text[LCU_IPC_LONGEST];
  lcu_ipc_handle h = { .kind = LCU_IPC_EVENT };
  cu_ipc_event handle;
  if (!e->interprocess)
    lcul_misuse(L, "event:ipc_handle: other processes cannot open this event: make it with "
                   "cuda.event{ interprocess = true }");
  if (e->opened)
    lcul_misuse(L, "event:ipc_handle: the event is of another process: give its own handle away");
  lcul_status(L, lcu_ipc_self(&h.process));
  lcul_status(L, lcu_device_status(e->device, lcu_ipc_uuid(e->device, &h.uuid)));
  lcul_status(L, lcu_event_ipc_handle(e, &handle));
  memcpy(h.bytes, handle.bytes, sizeof h.bytes);
  lua_pushlstring(L, (const char *)text, lcu_ipc_write(&h, text));
  return 1;
}

/* e:record([stream]) -> e */
static int event_record (lua_State *L) {
  lcul_check_most(L, 2);
  lcu_event *e = lcul_event_check(L, 1);
  lcu_stream *s =
    lua_isnoneornil(L, 2) ? lcul_stream_current(L, e->device) : lcul_stream_check(L, 2);
  if (s->device != e->device)
    lcul_misuse(L, "record: the event belongs to %s, the stream to %s", e->device->label,
                s->device->label);
  lcul_status(L, lcu_event_record(e, s));
  lua_settop(L, 1);
  return 1;
}

static int event_synchronize (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_event *e = lcul_event_check(L, 1);
  lcul_sync_allowed(L, "event:synchronize");
  lcul_status(L, lcu_event_synchronize(e));
  (void)lcul_callbacks_run(L);
  lua_settop(L, 1);
  return 1;
}

static int event_is_done (lua_State *L) {
  lcul_check_most(L, 1);
  bool done;
  lcul_status(L, lcu_event_query(lcul_event_check(L, 1), &done));
  (void)lcul_callbacks_run(L);
  lua_pushboolean(L, done);
  return 1;
}

/* stop:elapsed_ms(start) -> milliseconds between the two events; waits for both */
static int event_elapsed_ms (lua_State *L) {
  lcul_check_most(L, 2);
  lcu_event *stop = lcul_event_check(L, 1), *start = lcul_event_check(L, 2);
  float ms = 0;
  lcul_sync_allowed(L, "event:elapsed_ms");
  lcul_status(L, lcu_event_elapsed(start, stop, &ms));
  lua_pushnumber(L, (lua_Number)ms);
  return 1;
}

/* e:fd() -> a descriptor that is readable once the last record has been reached */
static int event_fd (lua_State *L) {
  lcul_check_most(L, 1);
  int fd = -1;
  lcul_status(L, lcu_event_fd(lcul_event_check(L, 1), &fd));
  lua_pushinteger(L, fd);
  return 1;
}

static int event_close (lua_State *L) {
  event_box *box = lcul_check(L, 1, LCUL_EVENT);
  lcu_event *e = box->event;
  box->event = NULL;
  lcu_unref(e);
  return 0;
}

static int event_tostring (lua_State *L) {
  const event_box *box = lcul_check(L, 1, LCUL_EVENT);
  const lcu_event *e = box->event;
  if (e == NULL) lua_pushliteral(L, "luacuda.Event (closed)");
  else
    lua_pushfstring(L, "luacuda.Event %p on %s%s", (void *)e->handle, e->device->label,
                    e->recorded ? "" : " (not recorded)");
  return 1;
}

static int get_event_device (lua_State *L) {
  lcul_device_push(L, lcul_event_check(L, 1)->device);
  return 1;
}
static int get_timing (lua_State *L) {
  lua_pushboolean(L, lcul_event_check(L, 1)->timing);
  return 1;
}
static int get_event_blocking (lua_State *L) {
  lua_pushboolean(L, lcul_event_check(L, 1)->blocking);
  return 1;
}
static int get_interprocess (lua_State *L) {
  lua_pushboolean(L, lcul_event_check(L, 1)->interprocess);
  return 1;
}
static int get_recorded (lua_State *L) {
  lua_pushboolean(L, lcul_event_check(L, 1)->recorded);
  return 1;
}
static int get_event_pointer (lua_State *L) {
  lua_pushinteger(L, (lua_Integer)(uintptr_t)lcul_event_check(L, 1)->handle);
  return 1;
}

static const luaL_Reg event_functions[] = { { "event", core_event }, { NULL, NULL } };

static const luaL_Reg event_methods[] = { { "record", event_record },
                                          { "synchronize", event_synchronize },
                                          { "is_done", event_is_done },
                                          { "elapsed_ms", event_elapsed_ms },
                                          { "fd", event_fd },
                                          { "ipc_handle", event_ipc_handle },
                                          { "close", event_close },
                                          { "free", event_close },
                                          { NULL, NULL } };

static const luaL_Reg event_getters[] = { { "device", get_event_device },
                                          { "timing", get_timing },
                                          { "blocking", get_event_blocking },
                                          { "interprocess", get_interprocess },
                                          { "recorded", get_recorded },
                                          { "pointer", get_event_pointer },
                                          { NULL, NULL } };

static const luaL_Reg event_metamethods[] = { { "__gc", event_close },
                                              { "__close", event_close },
                                              { "__tostring", event_tostring },
                                              { NULL, NULL } };

void lcul_open_event (lua_State *L) {
  static const lcul_classdef def = {
    .id = LCUL_EVENT,
    .boxed = true,
    .methods = event_methods,
    .getters = event_getters,
    .metamethods = event_metamethods,
  };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, event_functions);
}
