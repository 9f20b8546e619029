/* lcul_dims.c: class Shape. */
#include "lcul_dims.h"

#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_position.h"
#include "lcul_set.h"

void lcul_dims_push (lua_State *L, const int64_t *list, int n) {
  lcul_dims *d = lcul_newobject(L, LCUL_SHAPE, sizeof *d + (size_t)n * sizeof list[0], 0);
  d->n = n;
  memcpy(d->value, list, (size_t)n * sizeof list[0]);
}

const lcul_dims *lcul_dims_test (lua_State *L, int idx) { return lcul_test(L, idx, LCUL_SHAPE); }

static const lcul_dims *dims_check (lua_State *L, int idx) {
  return lcul_check(L, idx, LCUL_SHAPE);
}

static void push_plain (lua_State *L, const lcul_dims *d) {
  lua_createtable(L, d->n, 0);
  for (int i = 0; i < d->n; i++) {
    lua_pushinteger(L, d->value[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

void lcul_dims_plain (lua_State *L, int idx) {
  const lcul_dims *d = lcul_dims_test(L, idx);
  if (lcu_likely(d == NULL)) return;
  push_plain(L, d);
  lua_replace(L, idx);
}

static int dims_index (lua_State *L) {
  const lcul_dims *d = dims_check(L, 1);
  lua_Integer i = 0;
  bool integral = lcul_to_integer(L, 2, &i);
  if (i < 0) i += d->n + 1; /* from the end */
  if (integral && i >= 1 && i <= d->n) lua_pushinteger(L, d->value[i - 1]);
  else lua_pushnil(L);
  return 1;
}

static int dims_newindex (lua_State *L) {
  return lcul_misuse(
    L, "the shape and the strides of an array cannot be written (a:reshape makes "
       "a view of another shape); { table.unpack(shape) } makes a list that can be changed");
}

static int dims_len (lua_State *L) {
  lua_pushinteger(L, dims_check(L, 1)->n);
  return 1;
}

static int dims_eq (lua_State *L) {
  const lcul_dims *a = lcul_dims_test(L, 1), *b = lcul_dims_test(L, 2);
  lua_pushboolean(L, a != NULL && b != NULL && a->n == b->n &&
                       memcmp(a->value, b->value, (size_t)a->n * sizeof a->value[0]) == 0);
  return 1;
}

static int dims_tostring (lua_State *L) {
  const lcul_dims *d = dims_check(L, 1);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addchar(&b, '{');
  for (int i = 0; i < d->n; i++) {
    lua_pushfstring(L, i ? ", %I" : "%I", (LUAI_UACINT)d->value[i]);
    luaL_addvalue(&b);
  }
  luaL_addchar(&b, '}');
  luaL_pushresult(&b);
  return 1;
}

/* Iterates over a copy, so that changes in the loop have no effect. */
static int dims_pairs (lua_State *L) {
  lua_pushcfunction(L, lcul_next);
  push_plain(L, dims_check(L, 1));
  lua_pushnil(L);
  return 3;
}

static const luaL_Reg dims_metamethods[] = { { "__len", dims_len },
                                             { "__eq", dims_eq },
                                             { "__tostring", dims_tostring },
                                             { "__pairs", dims_pairs },
                                             { NULL, NULL } };

void lcul_open_dims (lua_State *L) {
  static const lcul_classdef def = { .id = LCUL_SHAPE,
                                     .metamethods = dims_metamethods,
                                     .index = dims_index,
                                     .newindex = dims_newindex };
  lcul_newclass(L, &def);
}
