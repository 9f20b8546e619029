/* lcul_elementwise_new.c: making elementwise kernels and reductions from a description in a
 * table. */
#include <stdio.h>

#include "lcul_builder.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_elementwise.h"
#include "lcul_kernel.h"

bool lcul_ew_flag (lua_State *L, const char *field) {
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

static void read_handles (lua_State *L, lcul_elementwise *e) {
  lua_getfield(L, 2, "handles");
  const char *letters = luaL_optstring(L, -1, "");
  for (int i = 0; i < e->num && letters[i] != '\0'; i++)
    if (letters[i] != '-') e->handles[i] = letters[i];
  lua_pop(L, 1);
}

void *lcul_ew_new (lua_State *L, lcul_class id, size_t size) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  int inputs = count(L, "inputs"), outputs = count(L, "outputs");
  luaL_argcheck(L, inputs + outputs <= LCUL_MOST_PARAMS, 2, "too many parameters");
  lcul_elementwise *e = lcul_newobject(L, id, size, LCUL_EW_UV);
  e->inputs = inputs;
  e->outputs = outputs;
  e->num = inputs + outputs;
  read_raw(L, e);
  read_handles(L, e);
  e->shaped = lcul_ew_flag(L, "shaped");
  e->structs = lcul_ew_flag(L, "structs");
  lua_getfield(L, 1, "name");
  snprintf(e->name, sizeof e->name, "%s", luaL_checkstring(L, -1));
  lua_pop(L, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, LCUL_EW_STATE);
  for (int uv = LCUL_EW_TYPES; uv <= LCUL_EW_VARIANTS; uv++) {
    lua_newtable(L);
    lua_setiuservalue(L, -2, uv);
  }
  return e;
}

void lcul_ew_push_kernel (lua_State *L, const void *key, size_t size) {
  lua_getiuservalue(L, 1, LCUL_EW_VARIANTS);
  lua_pushlstring(L, key, size);
  lua_rawget(L, -2);
  lua_getiuservalue(L, -1, 1);
}

void lcul_ew_push_struct (const lcul_ewcall *c, int i) {
  if (c->arrays[i]->dtype->kind != LCU_KIND_STRUCT) return;
  lua_getiuservalue(c->L, c->first + i, LCUL_UV_DTYPE);
  lua_setfield(c->L, -2, "struct");
}

/* The new array at the top of the stack has a struct that another array of the call has. */
static void share_struct (const lcul_ewcall *c, const lcu_dtype *t) {
  for (int i = 0; i < c->e->num; i++) {
    if (c->arrays[i] == NULL || c->arrays[i]->dtype != t) continue;
    lua_getiuservalue(c->L, c->first + i, LCUL_UV_DTYPE);
    lua_setiuservalue(c->L, -2, LCUL_UV_DTYPE);
    return;
  }
}

lcul_array *lcul_ew_output (const lcul_ewcall *c, int i, int ndim, const int64_t *shape) {
  const lcu_dtype *t = c->types->dtypes[i];
  lcul_array *a = lcul_array_new(c->L, c->device, c->stream, t, ndim, shape);
  if (lcu_unlikely(t->kind == LCU_KIND_STRUCT)) share_struct(c, t);
  return a;
}

void lcul_ew_keep (lua_State *L, int table, int key, const void *own, size_t size) {
  lua_pushvalue(L, key);
  lua_pushvalue(L, -2);
  lua_rawset(L, table);
  lua_pushlstring(L, own, size);
  lua_pushvalue(L, -2);
  lua_rawset(L, table);
}

void lcul_ew_rebind (lua_State *L, lcul_kernel *k, lcu_device *d) {
  if (lcu_likely(k->bindings[lcul_device_index(d)] != NULL)) return;
  luaL_checkstack(L, 1, NULL);
  lua_getiuservalue(L, -1, 1);
  lcul_kernel_bind(L, lua_gettop(L), k, d);
}
