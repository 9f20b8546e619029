/* lcul_graph.h: class Graph: cuda.graph. */
#ifndef LCUL_GRAPH_H
#define LCUL_GRAPH_H

#include <lua.h>
#include <lauxlib.h>

#include "lcu_graph.h"

lcu_graph *lcul_graph_check (lua_State *L, int idx); /* an open Graph; raises otherwise */

/* ---- lcul_graph_nodes.c ---- */

/* Pushes a value that keeps the graph at idx and its kernels, also if a finalizer closes or updates
 * it. */
lcu_graph *lcul_graph_hold (lua_State *L, int idx);
/* Pushes a userdata with all nodes. */
lcu_graph_node *lcul_graph_list (lua_State *L, lcu_graph *g, size_t *n);
extern const luaL_Reg lcul_graph_describers[];
int lcul_graph_nodes (lua_State *L);

#endif
