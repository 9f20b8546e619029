/* lcul_stream.c: handles of streams, and the current stream of each device. */
#include "lcul_stream.h"

#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_error.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_state.h"


/* ---- handles ---- */

/* The weak table of handles by stream: a stream has one handle at a time. */
static void push_stream_handles (lua_State *L) {
  if (!luaL_getsubtable(L, LUA_REGISTRYINDEX, "luacuda.streams")) lcul_set_weak(L, "v");
}

static bool push_kept_stream (lua_State *L, lcu_stream *s) {
  push_stream_handles(L);
  lua_rawgetp(L, -1, s);
  lua_remove(L, -2);
  const lcul_stream_box *box = lcul_test(L, -1, LCUL_STREAM);
  if (box != NULL && box->stream == s) return true;
  lua_pop(L, 1);
  return false;
}

lcul_stream_box *lcul_stream_newbox (lua_State *L) {
  return lcul_newobject(L, LCUL_STREAM, sizeof(lcul_stream_box), 0);
}

void lcul_stream_keep (lua_State *L, const lcul_stream_box *box) {
  push_stream_handles(L);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, box->stream);
  lua_pop(L, 1);
}

void lcul_stream_push (lua_State *L, lcu_stream *s) {
  while (s->stands_for != NULL) s = s->stands_for;
  if (push_kept_stream(L, s)) return;
  lcul_stream_box *box = lcul_stream_newbox(L);
  box->stream = lcu_ref(s);
  lcul_stream_keep(L, box);
}

/* A reset gives the device a new null stream. */
static void renew_null (lua_State *L, lcul_stream_box *box) {
  lcu_device *d = box->stream->device;
  lcul_status(L, lcu_device_open(d));
  lcu_unref(box->stream);
  box->stream = lcu_ref(d->null_stream);
}

LCU_COLD lcu_stream *lcul_stream_recording (lua_State *L, const lcul_state *st, lcu_stream *s) {
  if (!lcul_is_recording(L)) return lcu_capture_stands_for(s);
  lcul_status(L, lcu_capture_branch(st->capture, s, &s));
  return s;
}

lcu_stream *lcul_stream_itself (lua_State *L, int idx) {
  lcul_stream_box *box = lcul_check(L, idx, LCUL_STREAM);
  if (lcu_unlikely(box->stream == NULL)) lcul_misuse(L, "attempt to use a closed Stream");
  if (lcu_unlikely(box->stream->gone)) renew_null(L, box);
  return box->stream;
}

lcu_stream *lcul_stream_check (lua_State *L, int idx) {
  lcul_state *st = lcul_getstate(L);
  lcu_stream *s = lcul_stream_itself(L, idx);
  lcul_work_for(st);
  return lcul_stream_to_use(L, st, s);
}


/* ---- releasing ---- */

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

static int stream_hold_release (lua_State *L) {
  lcul_stream_release(L, 1);
  return 0;
}

void lcul_stream_hold (lua_State *L, lcu_stream *s) {
  luaL_checkstack(L, 4, NULL);
  if (s->is_null) {
    lua_pushnil(L);
    return;
  }
  lcul_stream_box *box = lcul_newbox(L, sizeof *box, "luacuda.Hold", stream_hold_release);
  box->stream = lcu_ref(s);
}

void lcul_stream_release (lua_State *L, int idx) {
  lcul_stream_box *box = lua_touserdata(L, idx);
  if (box == NULL) return;
  lcu_stream *s = box->stream;
  box->stream = NULL;
  lcul_stream_leave(L, s);
}


/* ---- the current stream ---- */

lcu_stream *lcul_stream_exchange (lcul_state *st, lcu_device *d, lcu_stream *s) {
  if (lcu_unlikely(atomic_load(&d->closed))) return NULL;
  lcu_stream *before = st->streams[d->index];
  st->streams[d->index] = s == NULL || s->is_null ? NULL : lcu_ref(s);
  return before;
}

void lcul_stream_set_current (lua_State *L, lcu_device *d, lcu_stream *s) {
  lcul_stream_leave(L, lcul_stream_exchange(lcul_getstate(L), d, s));
}

lcu_stream *lcul_stream_current (lua_State *L, lcu_device *d) {
  lcul_state *st = lcul_getstate(L);
  lcu_stream *s = st->streams[d->index];
  lcul_work_for(st);
  if (s != NULL) return lcul_stream_to_use(L, st, s);
  if (lcu_unlikely(d->null_stream == NULL)) lcul_status(L, lcu_device_open(d));
  return lcul_stream_to_use(L, st, d->null_stream);
}

lcu_stream *lcul_stream_for (lua_State *L, int idx, lcu_device *d) {
  lcu_stream *s = lcul_stream_check(L, idx);
  if (s->device != d)
    lcul_misuse(L, "%s: option 'stream': the stream belongs to %s, the work to %s", lcul_callee(L),
                s->device->label, d->label);
  return s;
}

int lcul_stream_options (lua_State *L, int idx, const char *fn) {
  static const char *const names[] = { "stream", NULL };
  return lcul_options(L, idx, fn, names) ? idx : 0;
}

lcu_stream *lcul_opt_stream (lua_State *L, int idx, lcu_device *d) {
  if (!lcul_opt_push(L, idx, "stream")) return lcul_stream_current(L, d);
  if (lcul_test(L, -1, LCUL_STREAM) == NULL) lcul_wrong_option(L, "stream", "a Stream");
  lcu_stream *s = lcul_stream_for(L, -1, d);
  lua_pop(L, 1);
  return s;
}
