/* lcul_reduction.c: class Reduction: calls of reduction kernels. Arguments are read as those of elementwise kernels
 * (lcul_elementwise.h); the kernels come from hooks.build, one for every way in which arrays lie. */
#include <stdio.h>
#include <string.h>

#include "lcu_reduce.h"
#include "lcul_array_impl.h"
#include "lcul_elementwise.h"

#define HOOKS "luacuda.reduction_hooks"

enum { PARAM_BYTES = 16, RAW_BYTES = 16 + 16 * LCUL_MAX_DIMS, TEXT = 256 };

typedef enum reduce_pass {
  PASS_WHOLE,                       /* from inputs to outputs */
  PASS_PARTIAL,                     /* from inputs to partial results */
  PASS_FINAL                        /* from partial results to outputs */
} reduce_pass;

/* Everything a generated kernel depends on; its bytes are a key. */
typedef struct reduce_key {
  uint64_t types;                   /* lcul_types.id */
  uint32_t device;
  uint8_t pass, mode, vector, kept, inner, wide;
  uint8_t params[LCUL_MOST_PARAMS]; /* arrays: lcu_stride; raw: axes passed, LCUL_EW_RUN when contiguous */
} reduce_key;

/* User value 1: the Kernel. */
typedef struct reduce_variant {
  reduce_key key;
  lcul_kernel *kernel;
  size_t state_bytes;               /* of one partial result */
} reduce_variant;

/* User values as those of an Elementwise. */
typedef struct reduction {
  lcul_elementwise base;            /* first: what reads arguments knows only this */
  bool identity, uses_i, uses_j;
  reduce_variant *last[PASS_FINAL + 1];
} reduction;

typedef struct reduce_call {
  lcul_ewcall ew;
  reduction *r;
  int options;                      /* stack index of the table, or of nil */
  bool keepdims;
  bool asked;                       /* a kernel was made for this call, and Lua code ran */
  uint32_t reduced;                 /* bit per axis */
  int ndim;                         /* of the results */
  int64_t shape[LCUL_MAX_DIMS];
  lcul_uses uses;
  lcu_use used[LCUL_MOST_PARAMS + 1];
  uint64_t addresses[LCUL_MOST_PARAMS];
  lcu_reduce plan;
} reduce_call;

/* Parameters of a launch: inputs, outputs, partial results, plan. */
typedef struct packed {
  size_t n, at;
  void *params[LCUL_MOST_PARAMS + 2];
  uint64_t partials;
  int64_t plan[LCU_REDUCE_NUMBERS];
  _Alignas(16) unsigned char room[LCUL_MOST_PARAMS * RAW_BYTES];
} packed;


/* ---- options ---- */

static void read_out (reduce_call *c) {
  lua_State *L = c->ew.L;
  const lcul_elementwise *e = &c->r->base;
  int type = lua_getfield(L, c->options, "out");
  for (int k = 0; k < e->outputs && type != LUA_TNIL; k++) {
    int idx = c->ew.first + e->inputs + k;
    if (!lua_isnil(L, idx)) lcul_misuse(L, "%s: outputs are given as arguments and by 'out'", e->name);
    if (type == LUA_TTABLE) lua_rawgeti(L, -1, k + 1);
    else if (k == 0) lua_pushvalue(L, -1);
    else lua_pushnil(L);
    lua_replace(L, idx);
  }
  lua_pop(L, 1);
}

static void read_options (reduce_call *c) {
  static const char *const names[] = { "axis", "keepdims", "out", "size", "stream", NULL };
  lua_State *L = c->ew.L;
  if (!lcul_options(L, c->options, c->r->base.name, names)) return;
  read_out(c);
  c->keepdims = lcul_opt_bool(L, c->options, "keepdims", false);
  c->ew.size = lcul_opt_integer(L, c->options, "size", -1, 0, INT64_MAX);
  if (lua_getfield(L, c->options, "stream") != LUA_TNIL) {
    if (lcul_test(L, -1, LCUL_STREAM) == NULL) {
      char got[TEXT];
      lcul_misuse(L, "%s: option 'stream': expected a Stream, got %s", c->r->base.name, lcul_describe(L, -1, got, sizeof got));
    }
    c->ew.stream = lcul_stream_check(L, -1);
  }
  lua_pop(L, 1);
}

/* The axis at the top of the stack, which is popped. */
static void add_axis (reduce_call *c) {
  lua_State *L = c->ew.L;
  const char *name = c->r->base.name;
  int integral = 0;
  lua_Integer i = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &integral) : 0;
  if (!integral) {
    char got[TEXT];
    lcul_misuse(L, "%s: option 'axis': expected an integer or a list of integers, got %s", name, lcul_describe(L, -1, got, sizeof got));
  }
  int64_t axis = lcul_index_norm(i, c->ew.ndim);
  if (axis < 0) lcul_misuse(L, "%s: option 'axis': %lld is not an axis of an array of %d axes", name, (long long)i, c->ew.ndim);
  if (c->reduced >> axis & 1) lcul_misuse(L, "%s: option 'axis': axis %d is named twice", name, (int)axis + 1);
  c->reduced |= 1u << axis;
  lua_pop(L, 1);
}

static void read_axes (reduce_call *c) {
  lua_State *L = c->ew.L;
  int type = lua_istable(L, c->options) ? lua_getfield(L, c->options, "axis") : LUA_TNIL;
  if (type == LUA_TNIL) {
    c->reduced = (1u << c->ew.ndim) - 1;
    return;
  }
  if (type != LUA_TTABLE) {
    add_axis(c);
    return;
  }
  lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
  for (lua_Integer k = 1; k <= n; k++) {
    lua_rawgeti(L, -1, k);
    add_axis(c);
  }
  lua_pop(L, 1);
}


/* ---- outputs ---- */

static void find_shape (reduce_call *c) {
  c->ndim = 0;
  for (int d = 0; d < c->ew.ndim; d++) {
    if (!(c->reduced >> d & 1)) c->shape[c->ndim++] = c->ew.shape[d];
    else if (c->keepdims) c->shape[c->ndim++] = 1;
  }
}

static void check_output (reduce_call *c, int i) {
  const lcul_array *a = c->ew.arrays[i];
  char have[TEXT], want[TEXT];
  if (a->ndim == c->ndim && memcmp(a->shape, c->shape, (size_t)c->ndim * sizeof c->shape[0]) == 0) return;
  lcul_shape_text(a->shape, a->ndim, have, sizeof have);
  lcul_shape_text(c->shape, c->ndim, want, sizeof want);
  lcul_ew_error(&c->ew, i, "an output has shape %s, the result %s", have, want);
}

static bool overlap (const lcul_array *a, const lcul_array *b) {
  int64_t a0, a1, b0, b1;
  if (a->block != b->block) return false;
  lcul_layout_extent(a, &a0, &a1);
  lcul_layout_extent(b, &b0, &b1);
  return a0 < b1 && b0 < a1;
}

/* Would writing this output change what is still to be read, or written by another output? */
static bool interferes (const reduce_call *c, int i) {
  for (int k = 0; k < i; k++)
    if (c->ew.arrays[k] != NULL && overlap(c->ew.arrays[k], c->ew.arrays[i])) return true;
  return false;
}

/* Outputs not given are made in their places; for one that interferes a second array is made, and what was given goes to
 * the place behind all parameters, from where finish_outputs fills it. */
static void make_outputs (reduce_call *c) {
  lua_State *L = c->ew.L;
  const lcul_elementwise *e = &c->r->base;
  lua_settop(L, c->ew.first + e->num - 1);
  for (int i = e->inputs; i < e->num; i++) lua_pushnil(L);
  for (int i = e->inputs; i < e->num; i++) {
    int idx = c->ew.first + i;
    if (c->ew.arrays[i] != NULL) {
      check_output(c, i);
      if (lcu_likely(!interferes(c, i))) continue;
      lua_pushvalue(L, idx);
      lua_replace(L, idx + e->outputs);
    }
    c->ew.arrays[i] = lcul_array_new(L, c->ew.device, c->ew.stream, e->types->dtypes[i], c->ndim, c->shape);
    lua_replace(L, idx);
  }
}

static void finish_outputs (reduce_call *c) {
  lua_State *L = c->ew.L;
  const lcul_elementwise *e = &c->r->base;
  for (int i = e->inputs; i < e->num; i++) {
    int idx = c->ew.first + i, given = idx + e->outputs;
    if (lcu_likely(lua_isnil(L, given))) continue;
    lcul_array_assign(L, given, idx, c->ew.stream, e->name);
    lua_pushvalue(L, given);
    lua_replace(L, idx);
  }
  lua_settop(L, c->ew.first + e->num - 1);
}


/* ---- the plan ---- */

static void find_addresses (reduce_call *c) {
  c->uses = (lcul_uses){ c->used, 0, LCUL_MOST_PARAMS, c->ew.device };
  for (int i = 0; i < c->r->base.num; i++)
    if (c->ew.arrays[i] != NULL)
      c->addresses[i] = lcul_arg_address(c->ew.L, c->ew.arrays[i], &c->uses, i >= c->r->base.inputs, true, c->r->base.name);
}

static void input_strides (const lcul_ewcall *ew, const lcul_array *a, int64_t *strides) {
  int missing = ew->ndim - a->ndim;
  for (int d = 0; d < ew->ndim; d++)
    strides[d] = d < missing || a->shape[d - missing] == 1 ? 0 : a->strides[d - missing];
}

static void output_strides (const reduce_call *c, const lcul_array *a, int64_t *strides) {
  int k = 0;
  for (int d = 0; d < c->ew.ndim; d++) {
    bool reduced = c->reduced >> d & 1;
    strides[d] = reduced ? 0 : a->strides[k];
    if (!reduced || c->keepdims) k++;
  }
}

/* Indices count the elements of all axes, or of the reduced ones, in C order. */
static void index_strides (const reduce_call *c, bool inner, int64_t *strides) {
  int64_t step = 1;
  for (int d = c->ew.ndim - 1; d >= 0; d--) {
    bool counts = !inner || (c->reduced >> d & 1);
    strides[d] = counts ? step : 0;
    if (counts) step *= c->ew.shape[d];
  }
}

static lcu_reduce_operand *add_operand (lcu_reduce *p, uint64_t address, uint32_t itemsize) {
  lcu_reduce_operand *o = &p->operands[p->num++];
  o->address = address;
  o->itemsize = itemsize;
  return o;
}

static void make_plan (reduce_call *c) {
  lcu_reduce *p = &c->plan;
  const lcul_elementwise *e = &c->r->base;
  p->ndim = c->ew.ndim;
  p->reduced = c->reduced;
  p->num = 0;
  for (int d = 0; d < p->ndim; d++) p->dims[d] = c->ew.shape[d];
  for (int i = 0; i < e->num; i++) {
    const lcul_array *a = c->ew.arrays[i];
    if (i == e->inputs) p->num_inputs = p->num;
    if (a == NULL || e->raw[i]) continue;
    lcu_reduce_operand *o = add_operand(p, c->addresses[i], a->dtype->size);
    if (i < e->inputs) input_strides(&c->ew, a, o->strides);
    else output_strides(c, a, o->strides);
  }
  if (c->r->uses_i) index_strides(c, false, add_operand(p, 0, 0)->strides);
  if (c->r->uses_j) index_strides(c, true, add_operand(p, 0, 0)->strides);
  lcu_reduce_plan(p);
}


/* ---- kernels ---- */

/* Axes whose extents and strides a raw parameter brings along. */
static int raw_axes (const lcul_elementwise *e, const lcul_array *a) { return a->contiguous && !e->shaped ? 0 : a->ndim; }

static void make_key (const reduce_call *c, const lcu_reduce *p, reduce_pass pass, reduce_key *k) {
  const lcul_elementwise *e = &c->r->base;
  memset(k, 0, sizeof *k);
  k->types = e->types->id;
  k->device = (uint32_t)lcul_device_index(c->ew.device);
  k->pass = (uint8_t)pass;
  k->mode = (uint8_t)p->mode;
  k->vector = (uint8_t)p->vector;
  k->kept = (uint8_t)p->kept;
  k->inner = (uint8_t)p->inner;
  k->wide = p->wide;
  for (int i = 0, j = 0; i < e->num; i++) {
    const lcul_array *a = c->ew.arrays[i];
    if (a == NULL) k->params[i] = UINT8_MAX;
    else if (e->raw[i]) k->params[i] = (uint8_t)(raw_axes(e, a) | (a->contiguous ? LCUL_EW_RUN : 0));
    else k->params[i] = (uint8_t)c->plan.operands[j++].along;
  }
}

static void push_param (const reduce_call *c, const reduce_key *k, int i) {
  static const char *const strides[] = { "unit", "zero", "strided", "strided" };
  lua_State *L = c->ew.L;
  const lcul_elementwise *e = &c->r->base;
  lua_createtable(L, 0, 2);
  lua_pushstring(L, e->raw[i] ? "raw" : c->ew.arrays[i] != NULL ? "array" : "scalar");
  lua_setfield(L, -2, "kind");
  if (e->raw[i]) {
    lcul_set_integer(L, "ndim", k->params[i] & ~LCUL_EW_RUN);
    lcul_set_boolean(L, "contiguous", (k->params[i] & LCUL_EW_RUN) != 0);
  }
  else if (c->ew.arrays[i] != NULL) lcul_set_string(L, "class", strides[k->params[i]]);
}

static void push_description (const reduce_call *c, const reduce_key *k) {
  static const char *const modes[] = { "rows", "columns" }, *const passes[] = { "whole", "partial", "final" };
  lua_State *L = c->ew.L;
  const lcul_elementwise *e = &c->r->base;
  lua_createtable(L, 0, 10);
  lua_createtable(L, e->num, 0);
  for (int i = 0; i < e->num; i++) {
    lua_pushstring(L, e->types->dtypes[i]->name);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "types");
  lua_createtable(L, e->num, 0);
  for (int i = 0; i < e->num; i++) {
    push_param(c, k, i);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "params");
  lcul_set_string(L, "mode", modes[k->mode]);
  lcul_set_string(L, "pass", passes[k->pass]);
  lcul_set_integer(L, "vector", k->vector);
  lcul_set_integer(L, "kept", k->kept);
  lcul_set_integer(L, "inner", k->inner);
  lcul_set_boolean(L, "wide", k->wide);
  lcul_device_push(L, c->ew.device);
  lua_setfield(L, -2, "device");
}

/* Asks hooks.build(state, description) -> kernel, bytes of a partial result; keeps the answer in the table at `table`
 * under the key at `key`. */
static reduce_variant *ask_variant (reduce_call *c, const reduce_key *k, int table, int key) {
  lua_State *L = c->ew.L;
  c->asked = true;
  if (lua_getfield(L, LUA_REGISTRYINDEX, HOOKS) != LUA_TTABLE) luaL_error(L, "luacuda.reduction is not loaded");
  lua_getfield(L, -1, "build");
  lua_getiuservalue(L, c->ew.self, LCUL_EW_STATE);
  push_description(c, k);
  lua_call(L, 2, 2);
  int kernel = lua_gettop(L) - 1;
  reduce_variant *v = lua_newuserdatauv(L, sizeof *v, 1);
  v->key = *k;
  v->kernel = lcul_kernel_check(L, kernel);
  v->state_bytes = (size_t)luaL_optinteger(L, kernel + 1, 0);
  lcul_kernel_bind(L, kernel, v->kernel, c->ew.device);
  lua_pushvalue(L, kernel);
  lua_setiuservalue(L, -2, 1);
  lua_pushvalue(L, key);
  lua_pushvalue(L, -2);
  lua_rawset(L, table);
  return v;
}

static reduce_variant *find_variant (reduce_call *c, const lcu_reduce *p, reduce_pass pass) {
  lua_State *L = c->ew.L;
  reduction *r = c->r;
  reduce_key k;
  make_key(c, p, pass, &k);
  if (lcu_likely(r->last[pass] != NULL && memcmp(&r->last[pass]->key, &k, sizeof k) == 0)) return r->last[pass];
  int top = lua_gettop(L);
  lua_getiuservalue(L, c->ew.self, LCUL_EW_VARIANTS);
  lua_pushlstring(L, (const char *)&k, sizeof k);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, top + 1) == LUA_TUSERDATA) r->last[pass] = lua_touserdata(L, -1);
  else r->last[pass] = ask_variant(c, &k, top + 1, top + 2);
  lua_settop(L, top);
  return r->last[pass];
}


/* ---- parameters ---- */

static void *add_param (packed *p, size_t bytes) {
  void *at = p->room + p->at;
  p->params[p->n++] = at;
  p->at += (bytes + 15) / 16 * 16;
  return at;
}

static void add_scalar (reduce_call *c, packed *p, int i) {
  const lcu_dtype *t = c->r->base.types->dtypes[i];
  int idx = c->ew.first + i;
  lcu_scalar v;
  char why[TEXT];
  lcul_fit fit = lcul_scalar_get(c->ew.L, idx, t, &v);
  if (lcu_unlikely(fit != LCUL_FITS)) lcul_ew_error(&c->ew, i, "%s", lcul_scalar_why(c->ew.L, idx, t, fit, why, sizeof why));
  lcu_dtype_store(t, add_param(p, PARAM_BYTES), &v);
}

static void add_raw (packed *p, const lcul_array *a, uint64_t address, int axes) {
  int64_t *v = add_param(p, RAW_BYTES);
  v[0] = (int64_t)address;
  v[1] = a->size;
  memcpy(v + 2, a->shape, (size_t)axes * sizeof v[0]);
  memcpy(v + 2 + axes, a->strides, (size_t)axes * sizeof v[0]);
}

static void pack (reduce_call *c, packed *p) {
  p->n = p->at = 0;
  for (int i = 0; i < c->r->base.num; i++) {
    if (c->ew.arrays[i] == NULL) add_scalar(c, p, i);
    else if (c->r->base.raw[i]) add_raw(p, c->ew.arrays[i], c->addresses[i], raw_axes(&c->r->base, c->ew.arrays[i]));
    else memcpy(add_param(p, PARAM_BYTES), &c->addresses[i], sizeof c->addresses[i]);
  }
  p->partials = 0;
  p->params[p->n++] = &p->partials;
  p->params[p->n++] = p->plan;
}


/* ---- the call ---- */

static lcu_status launch (const reduce_call *c, const lcu_reduce *plan, packed *p, const reduce_variant *v, const lcu_use *uses, size_t n) {
  lcul_binding *b = v->kernel->bindings[v->key.device];
  lcu_config config = { .grid = { plan->grid[0], plan->grid[1], 1 }, .block = { plan->block[0], plan->block[1], 1 },
                        .ordered = true, .stream = c->ew.stream };
  lcu_reduce_pack(plan, p->plan);
  b->home->launched = true;
  return lcu_launch(b->function, &config, p->params, uses, n);
}

/* The block of partial results is freed in the order of the stream. */
static lcu_status launch_both (reduce_call *c, packed *p, const reduce_variant *first, const lcu_reduce *final, const reduce_variant *second) {
  const lcu_reduce *plan = &c->plan;
  lcu_block *partials;
  size_t n = c->uses.n;
  LCU_TRY(lcu_block_alloc(c->ew.device, plan->results * plan->segments * first->state_bytes, c->ew.stream, &partials));
  p->partials = partials->address;
  c->used[n] = (lcu_use){ partials, true };
  lcu_status s = launch(c, plan, p, first, c->used, n + 1);
  if (s == LCU_OK) s = launch(c, final, p, second, c->used, n + 1);
  lcu_unref(partials);
  return s;
}

/* When memory is short the collector runs, and with it finalizers that may close arrays. */
static lcu_status launch_twice (reduce_call *c, packed *p, const reduce_variant *first, const lcu_reduce *final, const reduce_variant *second) {
  lcu_block *held[LCUL_MOST_PARAMS];
  size_t n = c->uses.n;
  for (size_t i = 0; i < n; i++) held[i] = lcu_ref(c->used[i].block);
  lcu_status s = launch_both(c, p, first, final, second);
  for (size_t i = 0; i < n; i++) lcu_unref(held[i]);
  return s;
}

static void run (reduce_call *c) {
  lua_State *L = c->ew.L;
  packed p;
  for (int d = 0; d < c->ndim; d++)
    if (c->shape[d] == 0) return;
  find_addresses(c);
  make_plan(c);
  const lcu_reduce *plan = &c->plan;
  if (plan->n == 0 && !c->r->identity) lcul_misuse(L, "%s: there are no elements to reduce, and there is no identity", c->r->base.name);
  const reduce_variant *first = find_variant(c, plan, plan->segments == 1 ? PASS_WHOLE : PASS_PARTIAL), *second = NULL;
  lcu_reduce final;
  if (lcu_unlikely(plan->segments > 1)) {
    lcu_reduce_plan_final(plan, &final);
    second = find_variant(c, &final, PASS_FINAL);
  }
  if (lcu_unlikely(c->asked)) find_addresses(c);        /* raises for arrays closed meanwhile */
  pack(c, &p);
  if (lcu_likely(second == NULL)) lcul_status(L, launch(c, plan, &p, first, c->used, c->uses.n));
  else lcul_status(L, launch_twice(c, &p, first, &final, second));
}

/* Outputs have no say in the shape that is reduced. */
static void common_shape (reduce_call *c) {
  const lcul_elementwise *e = &c->r->base;
  lcul_array *outputs[LCUL_MOST_PARAMS];
  size_t bytes = (size_t)e->outputs * sizeof outputs[0];
  memcpy(outputs, c->ew.arrays + e->inputs, bytes);
  memset(c->ew.arrays + e->inputs, 0, bytes);
  lcul_ew_shape(&c->ew);
  memcpy(c->ew.arrays + e->inputs, outputs, bytes);
}

static int reduction_call (lua_State *L) {
  reduction *r = lcul_check(L, 1, LCUL_REDUCTION);
  reduce_call c;
  int nargs = lua_gettop(L) - 1;
  c.ew = (lcul_ewcall){ .L = L, .e = &r->base, .self = 1, .first = 3, .size = -1 };
  c.r = r;
  c.options = 2;
  c.keepdims = c.asked = false;
  c.reduced = 0;
  luaL_checkstack(L, 2 * r->base.num + 16, r->base.name);
  if (nargs > r->base.inputs && lua_istable(L, -1)) nargs--;
  else lua_pushnil(L);
  lua_insert(L, 2);
  while (lua_gettop(L) < r->base.num + 2) lua_pushnil(L);
  read_options(&c);
  lcul_ew_read(&c.ew, nargs < r->base.inputs || nargs > r->base.num ? nargs : r->base.num);
  lcul_ew_resolve(&c.ew);
  common_shape(&c);
  read_axes(&c);
  find_shape(&c);
  make_outputs(&c);
  run(&c);
  finish_outputs(&c);
  return r->base.outputs;
}


/* ---- registration ---- */

static bool flag (lua_State *L, const char *field) {
  lua_getfield(L, 2, field);
  bool v = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return v;
}

static int count (lua_State *L, const char *field) {
  lua_getfield(L, 2, field);
  lua_Integer n = luaL_checkinteger(L, -1);
  luaL_argcheck(L, n >= 0 && n <= LCUL_MOST_PARAMS, 2, "too many parameters");
  lua_pop(L, 1);
  return (int)n;
}

static void read_raw (lua_State *L, lcul_elementwise *e) {
  lua_getfield(L, 2, "raw");
  for (int i = 0; i < e->num && lua_istable(L, -1); i++) {
    lua_rawgeti(L, -1, i + 1);
    e->raw[i] = lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* core.reduction_new(state, { inputs =, outputs =, raw =, shaped =, identity =, i =, j = }) -> Reduction; state.name is its name. */
static int core_reduction_new (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  int inputs = count(L, "inputs"), outputs = count(L, "outputs");
  luaL_argcheck(L, inputs + outputs <= LCUL_MOST_PARAMS, 2, "too many parameters");
  reduction *r = lcul_newobject(L, LCUL_REDUCTION, sizeof *r, LCUL_EW_UV);
  r->base.inputs = inputs;
  r->base.outputs = outputs;
  r->base.num = inputs + outputs;
  read_raw(L, &r->base);
  r->identity = flag(L, "identity");
  r->base.shaped = flag(L, "shaped");
  r->uses_i = flag(L, "i");
  r->uses_j = flag(L, "j");
  lua_getfield(L, 1, "name");
  snprintf(r->base.name, sizeof r->base.name, "%s", luaL_optstring(L, -1, "reduction"));
  lua_pop(L, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, LCUL_EW_STATE);
  for (int uv = LCUL_EW_TYPES; uv <= LCUL_EW_VARIANTS; uv++) {
    lua_newtable(L);
    lua_setiuservalue(L, -2, uv);
  }
  return 1;
}

static int core_reduction_state (lua_State *L) {
  lcul_check(L, 1, LCUL_REDUCTION);
  lua_getiuservalue(L, 1, LCUL_EW_STATE);
  return 1;
}

/* core.reduction_hooks{ build = } */
static int core_reduction_hooks (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, HOOKS);
  return 0;
}

static int reduction_tostring (lua_State *L) {
  const reduction *r = lcul_check(L, 1, LCUL_REDUCTION);
  lua_pushfstring(L, "luacuda.Reduction %s", r->base.name);
  return 1;
}

static int reduction_name (lua_State *L) {
  const reduction *r = lcul_check(L, 1, LCUL_REDUCTION);
  lua_pushstring(L, r->base.name);
  return 1;
}

void lcul_open_reduction (lua_State *L) {
  static const luaL_Reg functions[] = {
    {"reduction_new", core_reduction_new}, {"reduction_state", core_reduction_state}, {"reduction_hooks", core_reduction_hooks},
    {NULL, NULL}
  };
  static const luaL_Reg methods[] = { {NULL, NULL} };
  static const luaL_Reg getters[] = { {"name", reduction_name}, {NULL, NULL} };
  static const luaL_Reg metamethods[] = { {"__call", reduction_call}, {"__tostring", reduction_tostring}, {NULL, NULL} };
  static const lcul_classdef def = { .id = LCUL_REDUCTION, .name = "Reduction", .methods = methods, .getters = getters,
                                     .metamethods = metamethods };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
}
