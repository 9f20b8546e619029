/* lcul_reduction_kernel.c: the kernel that a reduction needs; reduction.lua makes new ones. */
#include "lcul_array.h"
#include "lcul_device.h"
#include "lcul_elementwise.h"
#include "lcul_elementwise_pack.h"
#include "lcul_kernel.h"
#include "lcul_library.h"
#include "lcul_reduction.h"
#include "lcul_set.h"
#include "lcul_upvalues.h"

static void make_reduce_key (const lcul_reduce_call *c, const lcu_reduce *p, lcul_reduce_pass pass,
                             lcul_reduce_key *k) {
  const lcul_elementwise *e = &c->r->base;
  memset(k, 0, sizeof *k);
  k->types = c->ew.types->id;
  k->device = (uint32_t)lcul_device_index(c->ew.device);
  k->pass = (uint8_t)pass;
  k->mode = (uint8_t)p->mode;
  k->vector = (uint8_t)p->vector;
  k->peeled = p->peeled;
  k->rows = (uint8_t)p->rows;
  k->each = (uint8_t)(p->rows > 1 ? p->each : 0);
  k->kept = (uint8_t)p->kept;
  k->inner = (uint8_t)p->inner;
  k->wide = p->wide;
  k->lanes = (uint8_t)p->lanes;
  k->strips = (uint8_t)(p->lanes > 0 ? p->strips : 0);
  k->run = p->lanes > 0 && p->run;
  for (int i = 0, j = 0; i < e->num; i++) {
    const lcul_array *a = c->ew.arrays[i];
    if (a == NULL) k->params[i] = UINT8_MAX;
    else if (e->raw[i])
      k->params[i] = (uint8_t)(lcul_ew_raw_axes(e, a) | (a->contiguous ? LCUL_EW_RUN : 0));
    else k->params[i] = (uint8_t)c->plan.operands[j++].along;
  }
}

static void push_reduce_param (const lcul_reduce_call *c, const lcul_reduce_key *k, int i) {
  static const char *const strides[] = { "unit", "zero", "strided", "strided" };
  lua_State *L = c->ew.L;
  const lcul_elementwise *e = &c->r->base;
  lua_createtable(L, 0, 2);
  bool given = c->ew.arrays[i] != NULL, raw = given && e->raw[i];
  lua_pushstring(L, raw ? "raw" : given ? "array" : "scalar");
  lua_setfield(L, -2, "kind");
  if (raw) {
    lcul_set_integer(L, "ndim", k->params[i] & ~LCUL_EW_RUN);
    lcul_set_boolean(L, "contiguous", (k->params[i] & LCUL_EW_RUN) != 0);
    lcul_ew_push_struct(&c->ew, i);
    return;
  }
  if (!given) return;
  lcul_set_string(L, "class", strides[k->params[i]]);
  lcul_ew_push_struct(&c->ew, i);
}

static void push_reduce_description (const lcul_reduce_call *c, const lcul_reduce_key *k) {
  static const char *const modes[] = { "rows", "columns" }, *const passes[] = { "whole", "partial",
                                                                                "final" };
  lua_State *L = c->ew.L;
  const lcul_elementwise *e = &c->r->base;
  lua_createtable(L, 0, 10);
  lua_createtable(L, e->num, 0);
  for (int i = 0; i < e->num; i++) {
    lua_pushstring(L, c->ew.types->dtypes[i]->name);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "types");
  lua_createtable(L, e->num, 0);
  for (int i = 0; i < e->num; i++) {
    push_reduce_param(c, k, i);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "params");
  lcul_set_string(L, "mode", modes[k->mode]);
  lcul_set_string(L, "pass", passes[k->pass]);
  lcul_set_integer(L, "vector", k->vector);
  lcul_set_boolean(L, "peeled", k->peeled != 0);
  lcul_set_integer(L, "rows", k->rows);
  lcul_set_integer(L, "each", k->each);
  lcul_set_integer(L, "kept", k->kept);
  lcul_set_integer(L, "inner", k->inner);
  lcul_set_boolean(L, "wide", k->wide);
  lcul_set_integer(L, "lanes", k->lanes);
  lcul_set_integer(L, "strips", k->strips);
  lcul_set_boolean(L, "run", k->run != 0);
  lcul_device_push(L, c->ew.device);
  lua_setfield(L, -2, "device");
}

/* The variant for upvalues that were seen before; NULL: there is none. */
static lcul_reduce_variant *find_kept_reduce (lcul_reduce_call *c, const lcul_reduce_key *own,
                                              int table, int key) {
  lua_State *L = c->ew.L;
  lua_pushlstring(L, (const char *)own, sizeof *own);
  if (own->instance == 0 || lua_rawget(L, table) != LUA_TUSERDATA) {
    lua_pop(L, 1);
    return NULL;
  }
  lcul_reduce_variant *v = lua_touserdata(L, -1);
  lcul_ew_rebind(L, v->kernel, c->ew.device);
  lcul_ew_keep(L, table, key, own, sizeof *own);
  return v;
}

/* Calls hooks.build(state, description) -> kernel, bytes of a partial result, instance; keeps the
 * result in the table at `table` under the key at `key`. */
static lcul_reduce_variant *ask_reduce_variant (lcul_reduce_call *c, const lcul_reduce_key *k,
                                                int table, int key) {
  lua_State *L = c->ew.L;
  lcul_push_hook(L, "reduction", "build");
  lua_getiuservalue(L, c->ew.self, LCUL_EW_STATE);
  push_reduce_description(c, k);
  lua_call(L, 2, 3);
  int kernel = lua_gettop(L) - 2;
  lcul_reduce_key own = *k;
  own.instance = (uint64_t)luaL_checkinteger(L, kernel + 2);
  lcul_reduce_variant *v = find_kept_reduce(c, &own, table, key);
  if (v != NULL) return v;
  v = lua_newuserdatauv(L, sizeof *v, 1);
  v->key = *k;
  v->instance = (lua_Integer)own.instance;
  v->kernel = lcul_kernel_check(L, kernel);
  v->state_bytes = (size_t)luaL_optinteger(L, kernel + 1, 0);
  lcul_kernel_bind(L, kernel, v->kernel, c->ew.device);
  lua_pushvalue(L, kernel);
  lua_setiuservalue(L, -2, 1);
  lcul_ew_keep(L, table, key, &own, sizeof own);
  return v;
}

/* `fresh`: the one that is kept does not hold. */
static lcul_reduce_variant *look_up_reduce_variant (lcul_reduce_call *c, const lcul_reduce_key *k,
                                                    bool fresh) {
  lua_State *L = c->ew.L;
  lcul_reduce_variant *v;
  int top = lua_gettop(L);
  c->ew.asked = true;
  lua_getiuservalue(L, c->ew.self, LCUL_EW_VARIANTS);
  lua_pushlstring(L, (const char *)k, sizeof *k);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, top + 1) == LUA_TUSERDATA && !fresh) {
    v = lua_touserdata(L, -1);
    lcul_ew_rebind(L, v->kernel, c->ew.device);
  } else v = ask_reduce_variant(c, k, top + 1, top + 2);
  lua_settop(L, top);
  c->r->last[k->pass] = v;
  return v;
}

lcul_reduce_variant *lcul_reduce_variant_find (lcul_reduce_call *c, const lcu_reduce *p,
                                               lcul_reduce_pass pass) {
  lcul_reduce_key k;
  make_reduce_key(c, p, pass, &k);
  lcul_reduce_variant *v = c->r->last[pass];
  if (lcu_unlikely(v == NULL || memcmp(&v->key, &k, sizeof k) != 0 ||
                   v->kernel->bindings[k.device] == NULL))
    v = look_up_reduce_variant(c, &k, false);
  if (lcu_likely(v->instance == 0) || lcul_upvalues_ask(&c->ew, v->instance)) return v;
  v = look_up_reduce_variant(c, &k, true);
  if (v->instance != 0 && !lcul_upvalues_ask(&c->ew, v->instance)) lcul_upvalues_unsettled(&c->ew);
  return v;
}
