/* lcul_graph.c: cuda.graph(fn), and class Graph. */
#include "lcul_graph.h"

#include "lcu_graph.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_recorder.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_state.h"
#include "lcul_stream.h"

typedef struct graph_box {
  lcu_graph *graph;
} graph_box;

lcu_graph *lcul_graph_check (lua_State *L, int idx) {
  graph_box *box = lcul_check(L, idx, LCUL_GRAPH);
  if (lcu_unlikely(box->graph == NULL)) lcul_misuse(L, "attempt to use a closed Graph");
  return box->graph;
}


/* ---- making ---- */

/* graph(fn) -> Graph, results of fn(stream) ... */
static int core_graph (lua_State *L) {
  lcul_check_callable(L, 1, "graph");
  lcul_check_most(L, 1);
  int results = lcul_record(L, lcul_device_current(L), "graph");
  graph_box *box = lcul_newobject(L, LCUL_GRAPH, sizeof *box, 0);
  lua_insert(L, 2);
  lcul_status(L, lcu_graph_create(lcul_recorder_stop(L, 1), &box->graph));
  return results + 1;
}


/* ---- methods ---- */

/* g:launch([stream]) -> g */
static int graph_launch (lua_State *L) {
  lcu_graph *g = lcul_graph_check(L, 1);
  lcul_check_most(L, 2);
  lcul_not_recorded(L, "graph:launch");
  lcu_stream *s =
    lua_isnoneornil(L, 2) ? lcul_stream_current(L, g->device) : lcul_stream_check(L, 2);
  if (s->device != g->device)
    lcul_misuse(L, "launch: the graph belongs to %s, the stream to %s", g->device->label,
                s->device->label);
  lcul_note_caller(L, g->device, false);
  lcul_status(L, lcu_graph_launch(g, s));
  lua_settop(L, 1);
  return 1;
}

/* Upvalue 2: the graph. (fn) -> graph, results of fn(stream) ... */
static int update_in_scope (lua_State *L) {
  int self = lua_upvalueindex(2);
  int results = lcul_record(L, lcul_graph_check(L, self)->device, "graph:update");
  lcu_capture *c = lcul_recorder_stop(L, 1);
  graph_box *box = lcul_toobject(L, self);
  if (box->graph == NULL) lcu_capture_abandon(c); /* the function closed it */
  lcul_status(L, lcu_graph_update(lcul_graph_check(L, self), c));
  lua_pushvalue(L, self);
  lua_insert(L, 2);
  return results + 1;
}

/* g:update(fn) -> g, results of fn(stream) ... */
static int graph_update (lua_State *L) {
  (void)lcul_graph_check(L, 1);
  lcul_check_callable(L, 2, "update");
  lcul_check_most(L, 2);
  lcul_push_state(L);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, update_in_scope, 2);
  lua_replace(L, 1);
  lua_call(L, 1, LUA_MULTRET);
  return lua_gettop(L);
}

static int graph_clone (lua_State *L) {
  (void)lcul_graph_check(L, 1);
  lcul_check_most(L, 1);
  lcul_not_recorded(L, "graph:clone");
  graph_box *box = lcul_newobject(L, LCUL_GRAPH, sizeof *box, 0);
  lcul_status(L, lcu_graph_clone(lcul_graph_check(L, 1), &box->graph));
  return 1;
}

static int graph_close (lua_State *L) {
  graph_box *box = lcul_check(L, 1, LCUL_GRAPH);
  lcu_graph *g = box->graph;
  box->graph = NULL;
  lcu_unref(g);
  return 0;
}

static int graph_tostring (lua_State *L) {
  const graph_box *box = lcul_check(L, 1, LCUL_GRAPH);
  if (box->graph == NULL) lua_pushliteral(L, "luacuda.Graph (closed)");
  else
    lua_pushfstring(L, "luacuda.Graph %p on %s", (void *)box->graph->x->exec,
                    box->graph->device->label);
  return 1;
}

static int get_graph_device (lua_State *L) {
  lcul_device_push(L, lcul_graph_check(L, 1)->device);
  return 1;
}


/* ---- registration ---- */

static const luaL_Reg graph_functions[] = { { "graph", core_graph }, { NULL, NULL } };

static const luaL_Reg graph_methods[] = { { "launch", graph_launch }, { "update", graph_update },
                                          { "clone", graph_clone },   { "close", graph_close },
                                          { "free", graph_close },    { NULL, NULL } };

static const luaL_Reg graph_getters[] = { { "device", get_graph_device },
                                          { "nodes", lcul_graph_nodes },
                                          { NULL, NULL } };

static const luaL_Reg graph_metamethods[] = { { "__gc", graph_close },
                                              { "__close", graph_close },
                                              { "__tostring", graph_tostring },
                                              { NULL, NULL } };

void lcul_open_graph (lua_State *L) {
  static const lcul_classdef def = {
    .id = LCUL_GRAPH,
    .boxed = true,
    .methods = graph_methods,
    .getters = graph_getters,
    .metamethods = graph_metamethods,
  };
  lcul_newclass(L, &def);
  lcul_extend(L, LCUL_GRAPH, LCUL_METHODS, lcul_graph_describers);
  lcul_setfuncs(L, graph_functions);
}
