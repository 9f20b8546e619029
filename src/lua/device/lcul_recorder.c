/* lcul_recorder.c: calls functions whose work is recorded in a graph. */
#include "lcul_recorder.h"

#include "lcu_condition.h"
#include "lcul_box.h"
#include "lcul_error.h"
#include "lcul_scope.h"
#include "lcul_state.h"
#include "lcul_stream.h"

/* A capture in progress; `outer`: the one around it, or NULL; `before`: the stream of its device
 * that was current (a reference). */
typedef struct recorder {
  lcu_capture *capture, *outer;
  lcu_stream *before;
} recorder;

/* The function may have made streams current: those of the capture end with it. */
static void restore_streams (lua_State *L, lcul_state *st, recorder *r) {
  lcu_device *d = lcu_capture_device(r->capture);
  for (size_t i = 0; i < lcu_arraylen(st->streams); i++) {
    lcu_stream *s = st->streams[i];
    if (s != NULL && s->capture == r->capture) lcul_stream_set_current(L, s->device, s->stands_for);
  }
  lcul_stream_set_current(L, d, r->before);
  lcul_stream_leave(L, r->before);
  r->before = NULL;
}

static lcu_capture *stop (lua_State *L, recorder *r) {
  lcul_state *st = lcul_getstate(L);
  lcu_capture *c = r->capture;
  if (c == NULL) return NULL;
  restore_streams(L, st, r);
  r->capture = NULL;
  st->capture = r->outer;
  return c;
}

lcu_capture *lcul_recorder_stop (lua_State *L, int idx) { return stop(L, lua_touserdata(L, idx)); }

static void end_records (lua_State *L, void *box) {
  lcu_capture *c = stop(L, box);
  if (c != NULL) lcu_capture_abandon(c);
}

static int recorder_end (lua_State *L) {
  end_records(L, lua_touserdata(L, 1));
  return 0;
}

/* Inserts a recorder at 1. */
static recorder *push_recorder (lua_State *L) {
  recorder *r = lcul_newbox(L, sizeof *r, "luacuda.Recorder", recorder_end);
  lua_insert(L, 1);
  lua_toclose(L, 1);
  return r;
}

static void begin (lcul_state *st, recorder *r) {
  lcu_capture *c = r->capture;
  r->outer = st->capture;
  st->capture = c;
  r->before = lcul_stream_exchange(st, lcu_capture_device(c), lcu_capture_origin(c));
}

int lcul_record (lua_State *L, lcu_device *d, const char *what) {
  lcul_state *st = lcul_getstate(L);
  lcul_not_recorded(L, what);
  lcul_stream_settle(L, st);
  recorder *r = push_recorder(L);
  lcul_work_for(st);
  lcul_status(L, lcu_capture_begin(d, &r->capture));
  begin(st, r);
  lcul_stream_push(L, lcu_capture_origin(r->capture));
  return lcul_scope_call(L, end_records, r);
}

int lcul_record_body (lua_State *L, lcu_stream *s, cu_graph body) {
  lcul_state *st = lcul_getstate(L);
  recorder *r = push_recorder(L);
  lcul_work_for(st);
  lcul_status(L, lcu_condition_body_begin(s, body, &r->capture));
  begin(st, r);
  return lcul_scope_call(L, end_records, r);
}
