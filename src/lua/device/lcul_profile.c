/* lcul_profile.c: records the timeline of a function, and starts and stops profilers. */
#include "lcu_device_failure.h"
#include "lcu_scope.h"
#include "lcu_timeline.h"
#include "lcu_wait.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_scope.h"
#include "lcul_set.h"

typedef struct profile_recording {
  lcu_timeline *timeline;
} profile_recording;

static void end_profile (lua_State *L, void *ud) {
  profile_recording *r = ud;
  (void)L;
  lcu_timeline_free(r->timeline);
  r->timeline = NULL;
}

static int recording_release (lua_State *L) {
  end_profile(L, lua_touserdata(L, 1));
  return 0;
}

static void set_dims (lua_State *L, const char *name, const uint32_t dims[3]) {
  if (dims[0] != 0) lcul_set_triple(L, name, dims);
}

static void set_number (lua_State *L, const char *name, double v) {
  lua_pushnumber(L, v);
  lua_setfield(L, -2, name);
}

static void push_span (lua_State *L, const lcu_span *p) {
  lua_createtable(L, 0, 10);
  lcul_set_string(L, "kind", lcu_span_kind_name(p->kind));
  lcul_set_string(L, "name", p->name);
  lcul_set_string(L, "from", p->from);
  lcul_set_string(L, "to", p->to);
  lcul_set_string(L, "device", p->device != NULL ? p->device->label : "host");
  if (p->device != NULL) lcul_set_integer(L, "stream", (lua_Integer)p->stream);
  if (p->bytes > 0) lcul_set_integer(L, "bytes", (lua_Integer)p->bytes);
  set_dims(L, "grid", p->grid);
  set_dims(L, "block", p->block);
  set_number(L, "start_ms", p->at_ms);
  set_number(L, "duration_ms", p->ms);
}

/* Pushes the spans, the length of the recording in ms, and how many spans it left out. */
static int push_timeline (lua_State *L, const lcu_timeline *t) {
  size_t n;
  const lcu_span *spans = lcu_timeline_spans(t, &n);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    push_span(L, &spans[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushnumber(L, lcu_timeline_length(t));
  lua_pushinteger(L, (lua_Integer)lcu_timeline_dropped(t));
  return 3;
}

/* _profile(limit, fn) -> spans, length, number of spans left out */
static int core_profile (lua_State *L) {
  lua_Integer limit = luaL_checkinteger(L, 1);
  lcul_check_callable(L, 2, "profile");
  lcul_sync_allowed(L, "profile");
  lua_settop(L, 2);
  /* the host waits for another device when the function first uses it */
  lcul_status(L, lcu_device_synchronize(lcul_device_current(L)));
  profile_recording *r = lcul_newbox(L, sizeof *r, "luacuda.Recording", recording_release);
  lua_replace(L, 1);
  lua_toclose(L, 1);
  lcul_status(L, lcu_timeline_begin((size_t)limit, &r->timeline));
  lcul_scope_call(L, end_profile, r);
  lcu_timeline_end(r->timeline);
  lua_settop(L, 1);
  lcul_status(L, lcu_timeline_finish(r->timeline));
  return push_timeline(L, r->timeline);
}

static lcu_status control_profiler (lcu_device *d, bool on) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = on ? LCU_CALL(d->drv, cuProfilerStart, ()) : LCU_CALL(d->drv, cuProfilerStop, ());
  lcu_device_leave(&scope);
  return lcu_device_status(d, st);
}

/* _profiler(on): starts or stops the profiler that watches the current device. None watches a
 * device whose driver has no such calls. */
static int core_profiler (lua_State *L) {
  lcu_device *d = lcul_device_current(L);
  bool on = lua_toboolean(L, 1);
  lcul_status(L, lcu_process_check());
  if (d->drv->cuProfilerStart != NULL) lcul_status(L, control_profiler(d, on));
  return 0;
}

/* _check_callable(value, what): raises for a value that cannot be called */
static int core_check_callable (lua_State *L) {
  lcul_check_callable(L, 1, luaL_checkstring(L, 2));
  return 0;
}

void lcul_open_profile (lua_State *L) {
  static const luaL_Reg functions[] = { { "_profile", core_profile },
                                        { "_check_callable", core_check_callable },
                                        { "_profiler", core_profiler },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
