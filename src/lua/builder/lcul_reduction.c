/* lcul_reduction.c: class Reduction: parameters of its kernels, and their launches. */
#include "lcul_reduction.h"

#include "lcul_builder.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_elementwise.h"
#include "lcul_elementwise_pack.h"
#include "lcul_error.h"
#include "lcul_kernel.h"
#include "lcul_lines.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_upvalues.h"

/* Parameters of a launch: inputs, outputs, partial results, plan. */
typedef struct reduce_packed {
  lcul_ewparams p;
  uint64_t partials;
  int64_t plan[LCU_REDUCE_NUMBERS];
} reduce_packed;

static void pack_reduce (lcul_reduce_call *c, reduce_packed *k) {
  lcul_ew_pack(&c->ew, &k->p, c->addresses);
  if (lcu_unlikely(c->ew.hidden > 0)) lcul_upvalues_pack(&c->ew, &c->uses, &k->p);
  k->partials = 0;
  k->p.params[k->p.n++] = &k->partials;
  k->p.params[k->p.n++] = k->plan;
}


/* ---- the call ---- */

static lcu_status launch_reduce (const lcul_reduce_call *c, const lcu_reduce *plan,
                                 reduce_packed *p, const lcul_reduce_variant *v,
                                 const lcu_use *uses, size_t n) {
  lcul_binding *b = v->kernel->bindings[v->key.device];
  if (b == NULL)
    return lcu_fail(LCU_E_STATE, "%s: %s was reset during the call", c->r->base.name,
                    c->ew.device->label);
  lcu_config config = { .grid = { plan->grid[0], plan->grid[1], 1 },
                        .block = { plan->block[0], plan->block[1], 1 },
                        .ordered = true,
                        .stream = c->ew.stream };
  lcu_reduce_pack(plan, p->plan);
  b->home->launched = true;
  lcul_note_caller(c->ew.L, b->function->device, true);
  return lcu_launch(b->function, &config, p->p.params, uses, n);
}

/* The kernels of a call. */
typedef struct reduce_passes {
  const lcul_reduce_variant *first, *second; /* second: NULL where the first gives the results */
  lcu_reduce final;                          /* plan of the second */
} reduce_passes;

/* The block of partial results is freed in the order of the stream. */
static lcu_status launch_both (lcul_reduce_call *c, reduce_packed *p, const reduce_passes *k) {
  const lcu_reduce *plan = &c->plan;
  lcu_block *partials;
  size_t n = c->uses.n;
  LCU_TRY(lcu_block_alloc(c->ew.device, plan->results * plan->segments * k->first->state_bytes,
                          c->ew.stream, &partials));
  p->partials = partials->address;
  c->used[n] = (lcu_use){ partials, true };
  lcu_status s = launch_reduce(c, plan, p, k->first, c->used, n + 1);
  if (s == LCU_OK) s = launch_reduce(c, &k->final, p, k->second, c->used, n + 1);
  lcu_unref(partials);
  return s;
}

/* Holds arrays and streams: when memory runs short, the collector runs finalizers that may close
 * them. */
static lcu_status launch_twice (lcul_reduce_call *c, reduce_packed *p, const reduce_passes *k) {
  lcu_block *held[LCUL_MOST_PARAMS];
  lcu_stream *stream = lcu_ref(c->ew.stream);
  size_t n = c->uses.n;
  for (size_t i = 0; i < n; i++) held[i] = lcu_ref(c->used[i].block);
  lcu_status s = launch_both(c, p, k);
  for (size_t i = 0; i < n; i++) lcu_unref(held[i]);
  lcu_unref(stream);
  return s;
}

/* False when there are no results to compute. */
static bool find_passes (lcul_reduce_call *c, reduce_passes *k) {
  for (int d = 0; d < c->ndim; d++)
    if (c->shape[d] == 0) return false;
  lcul_reduce_find_addresses(c);
  lcul_reduce_make_plan(c);
  const lcu_reduce *plan = &c->plan;
  if (plan->n == 0 && !c->r->identity)
    lcul_misuse(c->ew.L, "%s: there are no elements to reduce and no identity", c->r->base.name);
  k->first =
    lcul_reduce_variant_find(c, plan, plan->segments == 1 ? LCUL_PASS_WHOLE : LCUL_PASS_PARTIAL);
  k->second = NULL;
  if (lcu_unlikely(plan->segments > 1)) {
    lcu_reduce_plan_final(plan, &k->final);
    k->second = lcul_reduce_variant_find(c, &k->final, LCUL_PASS_FINAL);
    if (k->second->instance != k->first->instance) lcul_upvalues_unsettled(&c->ew);
  }
  return true;
}

static void run_reduce (lcul_reduce_call *c) {
  reduce_passes k;
  reduce_packed p;
  if (!find_passes(c, &k)) return;
  if (lcu_unlikely(c->ew.asked)) { /* raises for objects closed in the meantime */
    lcul_ew_find_stream(&c->ew);
    lcul_reduce_find_addresses(c);
  }
  pack_reduce(c, &p);
  if (lcu_likely(k.second == NULL))
    lcul_status(c->ew.L, launch_reduce(c, &c->plan, &p, k.first, c->used, c->uses.n));
  else lcul_status(c->ew.L, launch_twice(c, &p, &k));
}

/* All steps that do not need addresses. */
static void prepare_reduce (lcul_reduce_call *c, lua_State *L) {
  lcul_reduction *r = lcul_check(L, 1, LCUL_REDUCTION);
  int nargs = lua_gettop(L) - 1;
  c->ew = (lcul_ewcall){ .L = L, .e = &r->base, .self = 1, .first = 3, .size = -1 };
  c->r = r;
  c->ew.options = c->options = 2;
  c->keepdims = false;
  c->reduced = 0;
  luaL_checkstack(L, 2 * r->base.num + 16, r->base.name);
  lcul_ew_replace_foreign(L, 2, nargs);
  if (nargs > r->base.inputs && lua_istable(L, -1)) nargs--;
  else lua_pushnil(L);
  lua_insert(L, 2);
  while (lua_gettop(L) < r->base.num + 2) lua_pushnil(L);
  lcul_reduce_read(c, nargs);
  lcul_reduce_outputs(c);
}

static int reduction_call (lua_State *L) {
  lcul_reduce_call c;
  prepare_reduce(&c, L);
  run_reduce(&c);
  lcul_reduce_finish(&c);
  lcul_lines_run(L);
  return c.r->base.outputs;
}


/* ---- registration ---- */

/* core.reduction_new(state, { inputs =, outputs =, raw =, shaped =, identity =, i =, j =, own =,
 * takes_dtype =, takes_ddof = }) -> Reduction; state.name is its name. */
static int core_reduction_new (lua_State *L) {
  lcul_reduction *r = lcul_ew_new(L, LCUL_REDUCTION, sizeof *r);
  r->identity = lcul_ew_flag(L, "identity");
  r->uses_i = lcul_ew_flag(L, "i");
  r->uses_j = lcul_ew_flag(L, "j");
  r->own = lcul_ew_flag(L, "own");
  r->takes_dtype = lcul_ew_flag(L, "takes_dtype");
  r->takes_ddof = lcul_ew_flag(L, "takes_ddof");
  return 1;
}

/* core.reduction_kernels(reduction, ...) -> the Kernels that a call with these arguments launches:
 * none, one or two. */
static int core_reduction_kernels (lua_State *L) {
  lcul_reduce_call c;
  reduce_passes k;
  prepare_reduce(&c, L);
  if (!find_passes(&c, &k)) return 0;
  lcul_ew_push_kernel(L, &k.first->key, sizeof k.first->key);
  if (k.second == NULL) return 1;
  int first = lua_gettop(L);
  lcul_ew_push_kernel(L, &k.second->key, sizeof k.second->key);
  lua_pushvalue(L, first);
  lua_insert(L, -2);
  return 2;
}

void lcul_open_reduction (lua_State *L) {
  static const luaL_Reg functions[] = { { "reduction_new", core_reduction_new },
                                        { "reduction_kernels", core_reduction_kernels },
                                        { NULL, NULL } };
  lcul_builder_class(L, LCUL_REDUCTION, reduction_call);
  lcul_setfuncs(L, functions);
}
