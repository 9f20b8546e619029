/* lcul_elementwise.c: class Elementwise: a call, from its arguments to the launch of the kernel for
 * the layout of the arrays. */
#include "lcul_elementwise.h"

#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_assign.h"
#include "lcul_builder.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_elementwise_pack.h"
#include "lcul_error.h"
#include "lcul_foreign.h"
#include "lcul_kernel.h"
#include "lcul_library.h"
#include "lcul_lines.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_uses.h"
#include "lcul_texture.h"
#include "lcul_upvalues.h"

/* Parameters of a launch. */
typedef struct ew_packed {
  lcul_ewparams p;
  int64_t plan[LCU_LAYOUT_NUMBERS + LCUL_MAX_DIMS];
} ew_packed;


/* ---- outputs ---- */

static void make_outputs (lcul_ewcall *c) {
  for (int i = c->e->inputs; i < c->e->num; i++) {
    if (c->arrays[i] != NULL) continue;
    c->arrays[i] = lcul_ew_output(c, i, c->ndim, c->shape);
    lua_replace(c->L, c->first + i);
  }
}

static cu_deviceptr first_address (const lcul_array *a) {
  return a->block->address + (cu_deviceptr)a->offset;
}

static bool same_place (const lcul_array *a, const lcul_array *b) {
  return first_address(a) == first_address(b) && a->dtype->size == b->dtype->size &&
         a->ndim == b->ndim &&
         memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof a->shape[0]) == 0 &&
         memcmp(a->strides, b->strides, (size_t)a->ndim * sizeof a->strides[0]) == 0;
}

/* An input that overlaps an output at other positions would be read after it was written: it is
 * copied first. */
static void separate (lcul_ewcall *c, int out) {
  for (int i = 0; i < c->e->inputs; i++) {
    lcul_array *a = c->arrays[i];
    if (a == NULL || c->e->raw[i] || lcu_likely(!lcul_array_overlap(c->arrays[out], a)) ||
        same_place(c->arrays[out], a))
      continue;
    c->arrays[i] = lcul_array_converted(c->L, c->first + i, a->dtype, c->first + i, c->device,
                                        c->stream, c->e->name);
    lua_replace(c->L, c->first + i);
    lcul_ew_find_stream(c);
  }
}


/* ---- layout ---- */

static bool all_flat (const lcul_ewcall *c) {
  for (int i = 0; i < c->e->num; i++) {
    const lcul_array *a = c->arrays[i];
    if (a == NULL || c->e->raw[i]) continue;
    if (!a->contiguous || a->ndim != c->ndim || !lcul_same_dims(a->shape, c->shape, c->ndim))
      return false;
  }
  return true;
}

static void copy_strides (const lcul_ewcall *c, const lcul_array *a, lcu_operand *o) {
  int missing = c->ndim - a->ndim;
  for (int d = 0; d < c->ndim; d++)
    o->strides[d] = d < missing || a->shape[d - missing] == 1 ? 0 : a->strides[d - missing];
}

static int lead_operand (const lcul_ewcall *c) {
  int j = 0;
  for (int i = 0; i < c->e->num; i++) {
    if (c->arrays[i] == NULL || c->e->raw[i]) continue;
    if (i >= c->e->inputs) return j;
    j++;
  }
  return 0;
}

static void plan (lcul_ewcall *c, lcu_layout *l, const uint64_t *addresses) {
  bool flat = all_flat(c);
  l->num = 0;
  l->ndim = c->ndim;
  l->size = 1;
  for (int d = 0; d < c->ndim; d++) l->size *= (uint64_t)(l->dims[d] = c->shape[d]);
  for (int i = 0; i < c->e->num; i++) {
    if (c->arrays[i] == NULL || c->e->raw[i]) continue;
    lcu_operand *o = &l->operands[l->num++];
    o->address = addresses[i];
    o->itemsize = c->arrays[i]->dtype->size;
    if (!flat) copy_strides(c, c->arrays[i], o);
  }
  if (lcu_likely(flat)) lcu_layout_plan_flat(l);
  else if (l->num == 0) { /* only raw arrays: the kernel has only the index */
    l->walk = LCU_WALK_FLAT;
    l->vector = l->ndim = 1;
    l->wide = l->size > INT32_MAX;
  } else {
    lcu_layout_plan(l, lead_operand(c), c->e->indexed);
    if (c->device->is_cpu) lcu_layout_by_rows(l);
  }
}


/* ---- variants ---- */

static void make_ew_key (const lcul_ewcall *c, const lcu_layout *l, lcul_variant_key *k) {
  memset(k, 0, sizeof *k);
  k->types = c->types->id;
  k->device = (uint32_t)lcul_device_index(c->device);
  k->walk = (uint8_t)l->walk;
  k->vector = (uint8_t)l->vector;
  k->ndim = (uint8_t)l->ndim;
  k->wide = l->wide;
  if (c->e->coordinates) k->axes = (uint8_t)c->ndim;
  for (int i = 0, j = 0; i < c->e->num; i++) {
    const lcul_array *a = c->arrays[i];
    if (a == NULL) continue;
    if (c->e->raw[i])
      k->params[i] = (uint8_t)(lcul_ew_raw_axes(c->e, a) | (a->contiguous ? LCUL_EW_RUN : 0));
    else k->params[i] = (uint8_t)l->operands[j++].along;
  }
}

static void push_ew_param (const lcul_ewcall *c, const lcul_variant_key *k, int i) {
  static const char *const strides[] = { "unit", "zero", "strided", "tile" };
  lua_State *L = c->L;
  lua_createtable(L, 0, 2);
  bool given = c->arrays[i] != NULL, raw = given && c->e->raw[i];
  lua_pushstring(L, raw ? "raw" : given ? "array" : "scalar");
  lua_setfield(L, -2, "kind");
  if (raw) {
    lua_pushinteger(L, k->params[i] & ~LCUL_EW_RUN);
    lua_setfield(L, -2, "ndim");
    lua_pushboolean(L, k->params[i] & LCUL_EW_RUN);
    lua_setfield(L, -2, "contiguous");
    lcul_ew_push_struct(c, i);
  } else if (given) {
    lua_pushstring(L, strides[k->params[i]]);
    lua_setfield(L, -2, "class");
    lcul_ew_push_struct(c, i);
  }
}

static void push_ew_description (const lcul_ewcall *c, const lcul_variant_key *k) {
  static const char *const walks[] = { "flat", "strided", "tile", "rows" };
  lua_State *L = c->L;
  lua_createtable(L, 0, 8);
  lua_createtable(L, c->e->num, 0);
  for (int i = 0; i < c->e->num; i++) {
    lua_pushstring(L, c->types->dtypes[i]->name);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "types");
  lua_createtable(L, c->e->num, 0);
  for (int i = 0; i < c->e->num; i++) {
    push_ew_param(c, k, i);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "params");
  lua_pushstring(L, walks[k->walk]);
  lua_setfield(L, -2, "mode");
  lua_pushinteger(L, k->vector);
  lua_setfield(L, -2, "vector");
  lua_pushinteger(L, k->ndim);
  lua_setfield(L, -2, "ndim");
  lua_pushboolean(L, k->wide);
  lua_setfield(L, -2, "wide");
  lua_pushstring(L, c->device->is_cpu ? "cpu" : "gpu");
  lua_setfield(L, -2, "kind");
  if (!c->e->coordinates) return;
  lua_pushinteger(L, k->axes);
  lua_setfield(L, -2, "axes");
}

/* The variant for upvalues that were seen before, if any, holds again. */
static bool find_kept_ew (lcul_ewcall *c, const lcul_variant_key *own, int table, int key) {
  lua_State *L = c->L;
  lua_pushlstring(L, (const char *)own, sizeof *own);
  if (own->instance == 0 || lua_rawget(L, table) != LUA_TUSERDATA) {
    lua_pop(L, 1);
    return false;
  }
  c->e->variant = lua_touserdata(L, -1);
  lcul_ew_rebind(L, c->e->variant->kernel, c->device);
  lcul_ew_keep(L, table, key, own, sizeof *own);
  return true;
}

/* Calls hooks.build; keeps the result in the table at `table` under the key at `key`. */
static void ask_ew_variant (lcul_ewcall *c, const lcul_variant_key *k, int table, int key) {
  lua_State *L = c->L;
  lcul_push_hook(L, "elementwise", "build");
  lua_getiuservalue(L, c->self, LCUL_EW_STATE);
  push_ew_description(c, k);
  lua_call(L, 2, 4);
  int kernel = lua_gettop(L) - 3;
  lcul_variant_key own = *k;
  own.instance = (uint64_t)luaL_checkinteger(L, kernel + 3);
  if (find_kept_ew(c, &own, table, key)) return;
  lcul_variant *v = lua_newuserdatauv(L, sizeof *v, 1);
  v->key = *k;
  v->instance = (lua_Integer)own.instance;
  v->kernel = lcul_kernel_check(L, kernel);
  v->threads = (uint32_t)luaL_checkinteger(L, kernel + 1);
  v->per = (uint32_t)luaL_checkinteger(L, kernel + 2);
  if (v->threads == 0 || v->per == 0) luaL_error(L, "%s: build gave no threads", c->e->name);
  lcul_kernel_bind(L, kernel, v->kernel, c->device);
  lua_pushvalue(L, kernel);
  lua_setiuservalue(L, -2, 1);
  lcul_ew_keep(L, table, key, &own, sizeof own);
  c->e->variant = v;
}

/* `fresh`: the one that is kept does not hold. */
static void look_up_ew_variant (lcul_ewcall *c, const lcul_variant_key *k, bool fresh) {
  lua_State *L = c->L;
  lcul_elementwise *e = c->e;
  int top = lua_gettop(L);
  c->asked = true;
  lua_getiuservalue(L, c->self, LCUL_EW_VARIANTS);
  lua_pushlstring(L, (const char *)k, sizeof *k);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, top + 1) == LUA_TUSERDATA && !fresh) {
    e->variant = lua_touserdata(L, -1);
    lcul_ew_rebind(L, e->variant->kernel, c->device);
  } else ask_ew_variant(c, k, top + 1, top + 2);
  lua_settop(L, top);
}

static lcul_variant *find_variant (lcul_ewcall *c, const lcu_layout *l) {
  lcul_elementwise *e = c->e;
  lcul_variant_key k;
  make_ew_key(c, l, &k);
  if (lcu_unlikely(e->variant == NULL || memcmp(&e->variant->key, &k, sizeof k) != 0 ||
                   !lcul_variant_binding(e->variant)))
    look_up_ew_variant(c, &k, false);
  lcul_variant *v = e->variant;
  if (lcu_likely(v->instance == 0) || lcul_upvalues_ask(c, v->instance)) return v;
  look_up_ew_variant(c, &k, true);
  v = e->variant;
  if (v->instance != 0 && !lcul_upvalues_ask(c, v->instance)) lcul_upvalues_unsettled(c);
  return v;
}


/* ---- parameters ---- */

enum { MOST_USES = 2 * LCUL_MOST_PARAMS }; /* a texture uses two blocks */

static uint64_t find_handle (lcul_ewcall *c, lcul_uses *uses, int i) {
  bool surface;
  const lcul_texture *t = lcul_texture_test(c->L, c->first + i, &surface);
  return lcul_texture_use(c->L, t, surface, uses, c->e->name);
}

/* Addresses of all arrays, and the uses of their memory. */
static void find_addresses (lcul_ewcall *c, lcul_uses *uses, uint64_t *addresses) {
  uses->n = 0;
  for (int i = 0; i < c->e->num; i++) {
    lcul_array *a = c->arrays[i];
    if (lcu_unlikely(c->e->handles[i] != '\0')) addresses[i] = find_handle(c, uses, i);
    if (a == NULL) continue;
    lcu_block *b = a->block;
    if (lcu_likely(b != NULL && b->device == c->device && b->size > 0)) {
      uses->uses[uses->n++] = (lcu_use){ b, i >= c->e->inputs };
      addresses[i] = b->address + (uint64_t)a->offset;
    } else addresses[i] = lcul_uses_address(c->L, a, uses, i >= c->e->inputs, true, c->e->name);
  }
}

static void pack_ew (lcul_ewcall *c, ew_packed *k, const uint64_t *addresses, lcul_uses *uses) {
  lcul_ew_pack(c, &k->p, addresses);
  if (lcu_unlikely(c->hidden > 0)) lcul_upvalues_pack(c, uses, &k->p);
  k->p.params[k->p.n++] = k->plan;
}


/* ---- the call ---- */

/* 32-bit divisions take half the time. */
static inline uint64_t quotient_up (uint64_t n, uint64_t d) {
  return lcu_likely((n | d) <= INT32_MAX) ? ((uint32_t)n + (uint32_t)d - 1) / (uint32_t)d
                                          : (n + d - 1) / d;
}

static void launch_ew (lcul_ewcall *c, lcu_layout *l, ew_packed *p, const lcul_variant *v,
                       const lcul_uses *uses) {
  uint64_t units;
  bool tile = l->walk == LCU_WALK_TILE;
  lcul_binding *b = lcul_variant_binding(v);
  lcu_function *f = b->function;
  lcu_config config = { .block = { v->threads, 1, 1 }, .ordered = true, .stream = c->stream };
  size_t n = lcu_layout_pack(l, (int)v->per, p->plan, &units);
  if (c->e->coordinates) memcpy(p->plan + n, c->shape, (size_t)c->ndim * sizeof c->shape[0]);
  uint64_t each = (uint64_t)v->threads * v->per, blocks = tile ? units : quotient_up(units, each);
  if (blocks == 0 || blocks > INT32_MAX)
    lcul_misuse(c->L, "%s: too many elements for one launch", c->e->name);
  config.grid[0] = (uint32_t)blocks;
  config.grid[1] = config.grid[2] = 1;
  b->home->launched = true;
  lcul_note_caller(c->L, f->device, true);
  lcu_status s = lcu_launch(f, &config, p->p.params, uses->uses, uses->n);
  if (lcu_unlikely(s != LCU_OK)) lcul_status(c->L, s);
}

static void run_ew (lcul_ewcall *c) {
  lcu_layout l;
  ew_packed p;
  uint64_t addresses[LCUL_MOST_PARAMS]; /* of arrays */
  lcu_use used[MOST_USES];
  lcul_uses uses = { used, 0, MOST_USES, c->device };
  find_addresses(c, &uses, addresses);
  plan(c, &l, addresses);
  if (l.size == 0) return;
  const lcul_variant *v = find_variant(c, &l);
  if (lcu_unlikely(c->asked)) { /* raises for objects closed in the meantime */
    lcul_ew_find_stream(c);
    find_addresses(c, &uses, addresses);
  }
  pack_ew(c, &p, addresses, &uses);
  launch_ew(c, &l, &p, v, &uses);
}

/* All steps that do not need addresses. */
static void prepare_ew (lcul_ewcall *c, int nargs) {
  const lcul_elementwise *e = c->e;
  lcul_ew_read(c, nargs);
  lcul_ew_resolve(c);
  lcul_ew_shape(c);
  for (int i = e->inputs; i < e->num; i++)
    if (c->arrays[i] != NULL && !e->raw[i]) separate(c, i);
  make_outputs(c);
}

/* Pushes the function to call instead when a traced value is among the inputs. */
static bool push_traced (lua_State *L, const lcul_elementwise *e, int first, int nargs) {
  int last = first + (nargs < e->inputs ? nargs : e->inputs);
  for (int i = first; i < last; i++)
    if (lcu_unlikely(lua_istable(L, i)) && luaL_getmetafield(L, i, LCUL_TRACED) != LUA_TNIL)
      return true;
  return false;
}

/* Calls it; leaves its results. */
static int call_traced (lua_State *L, int self, int first) {
  lua_insert(L, first);
  lua_getiuservalue(L, self, LCUL_EW_STATE);
  lua_insert(L, first + 1);
  lua_call(L, lua_gettop(L) - first, LUA_MULTRET);
  return lua_gettop(L) - first + 1;
}

void lcul_ew_replace_foreign (lua_State *L, int first, int nargs) {
  for (int i = first; i < first + nargs; i++)
    if (lcu_unlikely(lua_type(L, i) >= LUA_TTABLE && lcul_test(L, i, LCUL_ARRAY) == NULL))
      (void)lcul_foreign_replace(L, i);
}

/* The outputs are at the top of the stack. Returns the number of results. */
static int give_outputs (lua_State *L, const lcul_elementwise *e) {
  if (lcu_likely(!e->no_return && !e->return_list)) return e->outputs;
  if (e->no_return) return 0;
  lua_createtable(L, e->outputs, 0);
  lua_insert(L, -1 - e->outputs);
  for (int i = e->outputs; i > 0; i--) lua_rawseti(L, -1 - i, i);
  return 1;
}

int lcul_ew_call (lua_State *L, lcul_elementwise *e, int self, int first, int nargs) {
  if (lcu_unlikely(push_traced(L, e, first, nargs))) return call_traced(L, self, first);
  lcul_ew_replace_foreign(L, first, nargs);
  lcul_ewcall c;
  lcul_ew_init(&c, L, e, self, first);
  prepare_ew(&c, nargs);
  run_ew(&c);
  lua_settop(L, first + e->num - 1);
  lcul_lines_run(L);
  return give_outputs(L, e);
}

static int elementwise_call (lua_State *L) {
  lcul_elementwise *e = lcul_test(L, 1, LCUL_ELEMENTWISE);
  if (lcu_unlikely(e == NULL)) e = lcul_check(L, 1, LCUL_ELEMENTWISE);
  return lcul_ew_call(L, e, 1, 2, lua_gettop(L) - 1);
}

/* Upvalues: the state record, the Elementwise, the number of arguments to pass on. */
static int operator_call (lua_State *L) {
  int n = (int)lua_tointeger(L, lua_upvalueindex(3));
  if (lua_gettop(L) > n) lua_settop(L, n);
  return lcul_ew_call(L, lcul_toobject(L, lua_upvalueindex(2)), lua_upvalueindex(2), 1,
                      lua_gettop(L));
}

/* Pushes the Elementwise of the table at idx for a number: under its key, or "other". */
static void push_by_number (lua_State *L, int idx, int number) {
  lua_pushvalue(L, number);
  if (lua_rawget(L, idx) != LUA_TNIL) return;
  lua_pop(L, 1);
  lua_getfield(L, idx, "other");
}

/* The same with a table of Elementwise objects for numbers as the second argument, upvalue 4. */
static int operator_call_by_number (lua_State *L) {
  if (lua_type(L, 2) != LUA_TNUMBER) return operator_call(L);
  int n = (int)lua_tointeger(L, lua_upvalueindex(3));
  if (lua_gettop(L) > n) lua_settop(L, n);
  push_by_number(L, lua_upvalueindex(4), 2);
  lua_insert(L, 1);
  return lcul_ew_call(L, lcul_check(L, 1, LCUL_ELEMENTWISE), 1, 2, lua_gettop(L) - 1);
}


/* ---- registration ---- */

/* core.elementwise_new(state, { inputs =, outputs =, raw =, indexed =, coordinates =, shaped =,
 * no_return =, return_tuple = }) -> Elementwise; state.name is its name. */
static int core_elementwise_new (lua_State *L) {
  lcul_elementwise *e = lcul_ew_new(L, LCUL_ELEMENTWISE, sizeof *e);
  e->indexed = lcul_ew_flag(L, "indexed");
  e->coordinates = lcul_ew_flag(L, "coordinates");
  e->no_return = lcul_ew_flag(L, "no_return");
  e->return_list = lcul_ew_flag(L, "return_tuple");
  return 1;
}

/* core.elementwise_kernels(elementwise, ...) -> the Kernel that a call with these arguments
 * launches; nothing if it launches none. */
static int core_elementwise_kernels (lua_State *L) {
  lcul_ewcall c = {
    .L = L, .e = lcul_check(L, 1, LCUL_ELEMENTWISE), .self = 1, .first = 2, .size = -1
  };
  lcu_layout l;
  uint64_t addresses[LCUL_MOST_PARAMS] = { 0 };
  lcu_use used[MOST_USES];
  prepare_ew(&c, lua_gettop(L) - 1);
  lcul_uses uses = { used, 0, MOST_USES, c.device };
  find_addresses(&c, &uses, addresses);
  plan(&c, &l, addresses);
  if (l.size == 0) return 0;
  const lcul_variant *v = find_variant(&c, &l);
  lcul_ew_push_kernel(L, &v->key, sizeof v->key);
  return 1;
}

/* core.operator(elementwise, n [, by_number]) -> a function that calls it with at most the first n
 * of its arguments; where the second is a number, one of by_number. */
static int core_operator (lua_State *L) {
  lcul_check(L, 1, LCUL_ELEMENTWISE);
  lua_Integer n = luaL_checkinteger(L, 2);
  bool by_number = lua_istable(L, 3);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushinteger(L, n);
  if (by_number) lua_pushvalue(L, 3);
  lua_pushcclosure(L, by_number ? operator_call_by_number : operator_call, 3 + by_number);
  return 1;
}

void lcul_open_elementwise (lua_State *L) {
  static const luaL_Reg functions[] = { { "elementwise_new", core_elementwise_new },
                                        { "elementwise_kernels", core_elementwise_kernels },
                                        { "operator", core_operator },
                                        { NULL, NULL } };
  lcul_builder_class(L, LCUL_ELEMENTWISE, elementwise_call);
  lcul_setfuncs(L, functions);
}
