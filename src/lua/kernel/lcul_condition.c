/* lcul_condition.c: work of a graph that runs under a condition: stream:when, stream:loop,
 * stream:switch, and stream:condition for conditions that the program's own kernels set. */
#include <stdio.h>

#include "lcu_condition.h"
#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_describe.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_recorder.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_state.h"
#include "lcul_stream.h"
#include "lcul_uses.h"

enum { MOST_FUNCTIONS = 64 };

/* A call in progress. */
typedef struct conditional {
  const char *what; /* "loop" */
  int type;         /* CU_COND_ */
  lcu_stream *stream;
  lcu_condition_source from; /* block NULL: the program's kernels set the condition */
  cu_graph_condition condition;
} conditional;


/* ---- arguments ---- */

/* The stream that records for the Stream at 1. */
static lcu_stream *recording_stream (lua_State *L, const char *what) {
  (void)lcul_stream_itself(L, 1);
  if (!lcul_is_recording(L))
    lcul_raise(L, "logic",
               "%s belongs to the work of a graph: call it in the function given to "
               "cuda.graph",
               what);
  return lcul_stream_check(L, 1);
}

static int wrong_condition (lua_State *L, const char *what) {
  char got[96];
  return lcul_misuse(L,
                     "%s: argument 1: expected an array with one integer or boolean element, or "
                     "a number from stream:condition, got %s",
                     what, lcul_describe(L, 2, got, sizeof got));
}

/* The block of the array lives as long as the graph, which reads it. */
static void get_array (lua_State *L, lcul_array *a, conditional *c) {
  lcu_use use;
  lcul_uses uses = { &use, 0, 1, c->stream->device };
  char what[64];
  if (a->block == NULL) lcul_misuse(L, "%s: argument 1: attempt to use a closed Array", c->what);
  if (a->size != 1 || a->dtype->kind > LCU_KIND_UINT) wrong_condition(L, c->what);
  snprintf(what, sizeof what, "%s: argument 1", c->what);
  c->from.address = lcul_uses_address(L, a, &uses, false, false, what);
  c->from.block = a->block;
  c->from.dtype = a->dtype;
}

/* The condition at 2. */
static void get_condition (lua_State *L, conditional *c) {
  lua_Integer h = 0;
  lcul_array *a = lcul_array_test(L, 2);
  if (a != NULL) {
    get_array(L, a, c);
    return;
  }
  if (!lcul_to_integer(L, 2, &h)) wrong_condition(L, c->what);
  c->condition = (cu_graph_condition)h;
  if (!lcu_condition_is_free(c->stream, c->condition))
    lcul_misuse(L,
                "%s: argument 1: the number is not from a stream:condition in the same function, "
                "or has been used",
                c->what);
}


/* ---- recording ---- */

/* The driver's condition: its own value for the program's kernels, else read from the array. */
static void set_first (lua_State *L, conditional *c) {
  if (c->from.block == NULL) return;
  lcul_note_caller(L, c->stream->device, false);
  lcul_status(L, lcu_condition_create(c->stream, 0, &c->condition));
  lcul_status(L, lcu_condition_set(c->stream, c->condition, c->type, &c->from));
}

/* Upvalues 2 and 3: the call, the graph of the body. (function, Stream) */
static int record_body (lua_State *L) {
  const conditional *c = lua_touserdata(L, lua_upvalueindex(2));
  (void)lcul_record_body(L, c->stream, lua_touserdata(L, lua_upvalueindex(3)));
  if (c->type == CU_COND_WHILE && c->from.block != NULL)
    lcul_status(L,
                lcu_condition_set_last(lcul_getstate(L)->capture, c->condition, c->type, &c->from));
  lcul_status(L, lcu_condition_body_end(lcul_recorder_stop(L, 1), c->stream));
  return 0;
}

/* The Stream is at 1, the condition at 2, the functions of the bodies from 3 on. -> the Stream */
static int record_node (lua_State *L, conditional *c) {
  cu_graph *bodies;
  int size = lua_gettop(L) - 2;
  lcul_status(L, lcu_condition_check(c->stream->device, c->type, (size_t)size, c->what));
  get_condition(L, c);
  set_first(L, c);
  lcul_status(L, lcu_condition_add(c->stream, c->condition, c->type, (unsigned)size, &bodies));
  for (int i = 0; i < size; i++) {
    lcul_push_state(L);
    lua_pushlightuserdata(L, c);
    lua_pushlightuserdata(L, bodies[i]);
    lua_pushcclosure(L, record_body, 3);
    lua_pushvalue(L, 3 + i);
    lua_pushvalue(L, 1);
    lua_call(L, 2, 0);
  }
  lcu_condition_complete(c->stream);
  lua_settop(L, 1);
  return 1;
}

/* s:when(condition, fn [, otherwise]) -> s */
static int stream_when (lua_State *L) {
  conditional c = { .what = "when", .type = CU_COND_IF };
  c.stream = recording_stream(L, "stream:when");
  lcul_check_most(L, 4);
  if (lua_isnoneornil(L, 4)) lua_settop(L, 3);
  for (int i = 3; i <= lua_gettop(L); i++) lcul_check_callable(L, i, "when");
  return record_node(L, &c);
}

/* s:loop(condition, fn) -> s */
static int stream_loop (lua_State *L) {
  conditional c = { .what = "loop", .type = CU_COND_WHILE };
  c.stream = recording_stream(L, "stream:loop");
  lcul_check_most(L, 3);
  lua_settop(L, 3);
  lcul_check_callable(L, 3, "loop");
  return record_node(L, &c);
}

/* The functions of the list at 3, in its place. */
static void spread_functions (lua_State *L) {
  char got[96];
  lua_Integer n = lua_istable(L, 3) ? (lua_Integer)lua_rawlen(L, 3) : 0;
  if (n < 1 || n > MOST_FUNCTIONS)
    lcul_misuse(L, "switch: argument 2: expected a list of 1 to %d functions, got %s",
                MOST_FUNCTIONS, lcul_describe(L, 3, got, sizeof got));
  luaL_checkstack(L, (int)n + 8, NULL);
  for (lua_Integer i = 1; i <= n; i++) {
    lua_rawgeti(L, 3, i);
    lcul_check_callable(L, -1, "switch");
  }
  lua_remove(L, 3);
}

/* s:switch(condition, { fn, ... }) -> s */
static int stream_switch (lua_State *L) {
  conditional c = { .what = "switch", .type = CU_COND_SWITCH };
  c.stream = recording_stream(L, "stream:switch");
  lcul_check_most(L, 3);
  lua_settop(L, 3);
  spread_functions(L);
  return record_node(L, &c);
}

/* s:condition([value]) -> the number of a condition, for a kernel and for one of the above */
static int stream_condition (lua_State *L) {
  cu_graph_condition h;
  lua_Integer value = 0;
  char got[96];
  lcu_stream *s = recording_stream(L, "stream:condition");
  lcul_check_most(L, 2);
  if (!lua_isnoneornil(L, 2) && (!lcul_to_integer(L, 2, &value) || value < 0 || value > UINT32_MAX))
    lcul_misuse(L, "condition: argument 1 'value': expected an integer from 0 to 2^32 - 1, got %s",
                lcul_describe_value(L, 2, got, sizeof got));
  lcul_status(L, lcu_condition_check(s->device, CU_COND_WHILE, 1, "stream:condition"));
  lcul_status(L, lcu_condition_create(s, (uint32_t)value, &h));
  lua_pushinteger(L, (lua_Integer)h);
  return 1;
}

void lcul_open_condition (lua_State *L) {
  static const luaL_Reg methods[] = { { "when", stream_when },
                                      { "loop", stream_loop },
                                      { "switch", stream_switch },
                                      { "condition", stream_condition },
                                      { NULL, NULL } };
  lcul_extend(L, LCUL_STREAM, LCUL_METHODS, methods);
}
