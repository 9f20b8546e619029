/* lcul_graph_set.h: graph:set. */
#ifndef LCUL_GRAPH_SET_H
#define LCUL_GRAPH_SET_H

#include <lua.h>

void lcul_open_graph_set (lua_State *L);

#endif
