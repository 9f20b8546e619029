/* lcul_graph_nodes.c: what a graph consists of: graph.nodes, graph:dot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lcu_file.h"
#include "lcu_function.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_error.h"
#include "lcul_graph.h"
#include "lcul_set.h"

typedef struct graph_hold {
  lcu_graph *graph;
  lcu_block *recorded;
} graph_hold;

static int graph_hold_release (lua_State *L) {
  graph_hold *hold = lua_touserdata(L, 1);
  lcu_unref(hold->graph);
  lcu_unref(hold->recorded);
  *hold = (graph_hold){ NULL, NULL };
  return 0;
}

lcu_graph *lcul_graph_hold (lua_State *L, int idx) {
  idx = lua_absindex(L, idx);
  graph_hold *hold = lcul_newbox(L, sizeof *hold, "luacuda.GraphHold", graph_hold_release);
  hold->graph = lcu_ref(lcul_graph_check(L, idx));
  hold->recorded = lcu_ref(hold->graph->recorded);
  return hold->graph;
}

lcu_graph_node *lcul_graph_list (lua_State *L, lcu_graph *g, size_t *n) {
  lcu_graph_node *list;
  lcul_status(L, lcu_graph_nodes(g, &list, n));
  /* the list itself must not be lost when Lua has no memory left */
  void *p = *n > 0 ? lcul_scratch(L, *n * sizeof *list) : lcul_scratch(L, 1);
  if (*n > 0) memcpy(p, list, *n * sizeof *list);
  lcu_free(list);
  return p;
}


/* ---- nodes ---- */

static const char *kind_name (int type) {
  static const char *const names[] = {
    [CU_NODE_KERNEL] = "kernel",         [CU_NODE_MEMCPY] = "copy",
    [CU_NODE_MEMSET] = "fill",           [CU_NODE_HOST] = "host",
    [CU_NODE_GRAPH] = "graph",           [CU_NODE_EMPTY] = "empty",
    [CU_NODE_WAIT_EVENT] = "wait",       [CU_NODE_EVENT_RECORD] = "record",
    [CU_NODE_MEM_ALLOC] = "alloc",       [CU_NODE_MEM_FREE] = "free",
    [CU_NODE_CONDITIONAL] = "condition",
  };
  bool known = type >= 0 && (size_t)type < lcu_arraylen(names) && names[type] != NULL;
  return known ? names[type] : "other";
}

/* What a conditional node, or a node in one, has. */
static void set_condition (lua_State *L, const lcu_graph_node *node) {
  static const char *const names[] = {
    [CU_COND_IF] = "when", [CU_COND_WHILE] = "loop", [CU_COND_SWITCH] = "switch"
  };
  if (node->type == CU_NODE_CONDITIONAL) lcul_set_string(L, "condition", names[node->condition]);
  if (node->within == 0) return;
  lcul_set_integer(L, "within", (lua_Integer)node->within);
  lcul_set_integer(L, "body", node->body);
}

static void push_node (lua_State *L, const lcu_graph_node *node, size_t index) {
  const lcu_kept_kernel *k = node->kernel;
  lua_createtable(L, 0, 7);
  lcul_set_integer(L, "index", (lua_Integer)index);
  lcul_set_string(L, "kind", kind_name(node->type));
  set_condition(L, node);
  if (k == NULL) return;
  lcul_set_string(L, "name", k->function->name);
  lcul_set_triple(L, "grid", k->grid);
  lcul_set_triple(L, "block", k->block);
  lcul_set_integer(L, "shared", k->shared);
  lcul_set_boolean(L, "settable", k->settable);
}

int lcul_graph_nodes (lua_State *L) {
  size_t n;
  const lcu_graph_node *list = lcul_graph_list(L, lcul_graph_hold(L, 1), &n);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    push_node(L, &list[i], i + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}


/* ---- dot ---- */

static int open_temporary (char *path, size_t size) {
  const char *dir = getenv("TMPDIR");
  snprintf(path, size, "%s/luacuda-graph-XXXXXX", dir != NULL && dir[0] != '\0' ? dir : "/tmp");
  return mkstemp(path);
}

/* g:dot() -> text for Graphviz. The driver only writes files. */
static int graph_dot (lua_State *L) {
  char path[1024];
  lcu_graph *g = lcul_graph_check(L, 1);
  lcul_check_most(L, 1);
  lcu_buf *text = lcul_newbuffer(L);
  g = lcul_graph_check(L, 1); /* a finalizer may have closed it */
  int file = open_temporary(path, sizeof path);
  lcu_status st =
    file >= 0 ? lcu_graph_dot(g, path) : lcu_fail(LCU_E_IO, "%s: %s", path, strerror(errno));
  if (st == LCU_OK) st = lcu_file_read(path, LCU_FILE_OWN, text);
  if (file >= 0) {
    close(file);
    unlink(path);
  }
  lcul_status(L, st);
  lua_pushlstring(L, text->data != NULL ? text->data : "", text->len);
  lcu_buf_free(text);
  return 1;
}

const luaL_Reg lcul_graph_describers[] = { { "dot", graph_dot }, { NULL, NULL } };
