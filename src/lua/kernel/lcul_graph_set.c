/* lcul_graph_set.c: graph:set(node, ...): other arguments for a kernel of a graph. */
#include <string.h>

#include "lcul_args.h"
#include "lcul_call.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_error.h"
#include "lcul_foreign.h"
#include "lcul_graph.h"
#include "lcul_launch.h"
#include "lcul_position.h"
#include "lcul_box.h"
#include "lcul_scope.h"
#include "lcul_set.h"

/* The node at 2: a number, or an entry of graph.nodes. */
static size_t node_index (lua_State *L, size_t n) {
  char got[96];
  lua_Integer i = 0;
  if (lua_istable(L, 2)) lua_getfield(L, 2, "index");
  else lua_pushvalue(L, 2);
  if (!lcul_to_integer(L, -1, &i) || i < 1 || (size_t)i > n)
    lcul_misuse(L, "set: argument 1 'node': expected an entry of graph.nodes or 1 to %d, got %s",
                (int)n, lcul_describe_value(L, 2, got, sizeof got));
  lua_pop(L, 1);
  return (size_t)i - 1;
}

static const lcu_kept_kernel *find_kernel (lua_State *L, lcu_graph *g) {
  size_t n;
  const lcu_graph_node *list = lcul_graph_list(L, g, &n);
  size_t i = node_index(L, n);
  const lcu_kept_kernel *k = list[i].kernel;
  if (k == NULL)
    lcul_misuse(L, "set: node %d is no kernel: record the work again with graph:update",
                (int)i + 1);
  if (!k->settable)
    lcul_misuse(L,
                "set: node %d, %s, was launched by a builder: record it again with "
                "graph:update",
                (int)i + 1, k->function->name);
  return k;
}

/* What the call to convert arguments needs; without a Kernel object, whose names of parameters and
 * structs are not known here. */
typedef struct graph_setting {
  lcul_plan *plan;
} graph_setting;

static int setting_end (lua_State *L) {
  graph_setting *s = lua_touserdata(L, 1);
  lcu_free(s->plan);
  s->plan = NULL;
  return 0;
}

static lcul_plan *make_plan (lua_State *L, const lcu_function *f) {
  graph_setting *s = lcul_newbox(L, sizeof *s, "luacuda.Setting", setting_end);
  s->plan = lcul_plan_new(f, NULL, 0, "");
  if (s->plan == NULL) lcul_status(L, lcu_no_memory("a kernel of a graph"));
  if (s->plan->asks)
    lcul_misuse(L, "set: %s has parameters of a class: record it again with graph:update", f->name);
  return s->plan;
}

static void refuse_staged (lua_State *L, const char *kernel, int first, int nargs) {
  for (int i = first; i < first + nargs; i++) {
    const lcul_argument *w =
      lua_type(L, i) == LUA_TUSERDATA ? lcul_test(L, i, LCUL_ARGUMENT) : NULL;
    if (w != NULL && w->kind != LCUL_RAW)
      lcul_misuse(L,
                  "%s: argument %d: a graph keeps its arguments: give an array instead of "
                  "cuda.%s",
                  kernel, i - first + 1, lcul_wrap_name(w->kind));
  }
}

/* The kernel still uses the variables of its module. */
static void add_variables (lcul_uses *uses, const lcu_kept_kernel *k) {
  for (size_t i = 0; i < k->num_uses && uses->n < uses->max; i++)
    if (k->uses[i].block != NULL && k->uses[i].block->memory == LCU_MEM_MODULE)
      uses->uses[uses->n++] = k->uses[i];
}

/* g:set(node, ...) -> g */
static int graph_set (lua_State *L) {
  int nargs = lua_gettop(L) - 2;
  lcul_not_recorded(L, "graph:set");
  (void)lcul_foreign_arguments(L, 3, nargs);
  lcu_graph *g = lcul_graph_hold(L, 1);
  const lcu_recording *recording = g->recording;
  const lcu_kept_kernel *k = find_kernel(L, g);
  lcul_loaded none = { 0 };
  lcul_binding binding = { .function = k->function,
                           .plan = make_plan(L, k->function),
                           .home = &none };
  size_t room = binding.plan->num_uses + LCUL_SPARE_USES + k->num_uses;
  refuse_staged(L, k->function->name, 3, nargs);
  lcul_call c;
  lcul_call_init(&c, L, 1, 3, true); /* no launch table */
  c.binding = &binding;
  c.num_globals = 0;
  c.buffer = lcul_scratch(L, binding.plan->bytes + 16u);
  memset(c.buffer, 0, binding.plan->bytes + 16u);
  c.params = lcul_scratch(L, (binding.plan->num + 1) * sizeof *c.params);
  c.uses = (lcul_uses){ lcul_scratch(L, room * sizeof(lcu_use)), 0, room, k->function->device };
  lcul_args_convert(&c, nargs);
  add_variables(&c.uses, k);
  if (lcul_graph_check(L, 1)->recording != recording)
    lcul_misuse(L, "set: the graph was updated meanwhile");
  lcul_status(L, lcu_graph_set(g, k, c.params, c.uses.uses, c.uses.n));
  lua_settop(L, 1);
  return 1;
}

void lcul_open_graph_set (lua_State *L) {
  static const luaL_Reg methods[] = { { "set", graph_set }, { NULL, NULL } };
  lcul_extend(L, LCUL_GRAPH, LCUL_METHODS, methods);
}
