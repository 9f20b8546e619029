/* lcul_vectorize.c: calls of functions that cuda.vectorize makes. The dtypes of the arguments are a
 * key; the Elementwise for it is found or made (lcul_family.h). */
#include <string.h>

#include "lcul_array.h"
#include "lcul_builder.h"
#include "lcul_check.h"
#include "lcul_elementwise.h"
#include "lcul_family.h"
#include "lcul_library.h"
#include "lcul_position.h"
#include "lcul_set.h"

static const char vectorize_mark; /* the key of the family in a Vectorized */

enum { UV_MEMBER_TARGET = LCUL_MEMBER_OWN, VECTORIZE_UVS = 1 };

/* Calls hooks.refuse(state, ...), which raises: an argument or their number is wrong. */
static LCU_COLD int refuse_vectorize (lua_State *L, int family) {
  lua_getiuservalue(L, family, LCUL_FAMILY_STATE);
  lua_replace(L, 1);
  lcul_push_hook(L, "vectorize", "refuse");
  lua_insert(L, 1);
  lua_settop(L, family);
  lua_call(L, family - 1, 0);
  return lcul_misuse(L, "vectorize: wrong arguments");
}

/* 0: it is no argument. */
static lcul_kindword read_vectorize_kind (lua_State *L, int idx) {
  const lcul_array *a = lcul_test(L, idx, LCUL_ARRAY);
  if (a == NULL) return lcul_kind_scalar(L, idx);
  if (a->block == NULL) return 0;
  return lcul_kind_word(LCUL_KIND_ARRAY, a->dtype);
}

/* The key of the arguments from 2 on. */
static void read_vectorize_key (lua_State *L, int family, unsigned char *key) {
  const lcul_family *f = lua_touserdata(L, family);
  for (int i = 0; i < f->count; i++) {
    lcul_kindword w = read_vectorize_kind(L, 2 + i);
    if (lcu_unlikely(w == 0)) refuse_vectorize(L, family);
    memcpy(key + (size_t)i * sizeof w, &w, sizeof w);
  }
}

/* Calls hooks.make(state, ...) -> { guards, target }. */
static void make_vectorize_member (lua_State *L, int family, int first, const unsigned char *key) {
  const lcul_family *f = lua_touserdata(L, family);
  (void)key;
  luaL_checkstack(L, f->count + 8, NULL);
  lcul_push_hook(L, "vectorize", "make");
  lua_getiuservalue(L, family, LCUL_FAMILY_STATE);
  for (int i = 0; i < f->count; i++) lua_pushvalue(L, first + i);
  lua_call(L, f->count + 1, 1);
  lua_getfield(L, -1, "target");
  lcul_check(L, -1, LCUL_ELEMENTWISE);
  lua_insert(L, -2);
  lcul_member_new(L, sizeof(lcul_member), VECTORIZE_UVS);
  lua_insert(L, -2);
  lua_setiuservalue(L, -2, UV_MEMBER_TARGET);
}

/* Pushes the family of the object at 1, then the member for its arguments. */
static void find (lua_State *L, int nargs) {
  static const lcul_family_ops ops = { make_vectorize_member, NULL };
  unsigned char key[LCUL_FAMILY_PARAMS * sizeof(lcul_kindword)];
  lcul_ew_replace_foreign(L, 2, nargs);
  const lcul_family *f = lcul_family_push(L, 1, &vectorize_mark, "Vectorized");
  if (lcu_unlikely(nargs < f->count)) refuse_vectorize(L, nargs + 2);
  read_vectorize_key(L, nargs + 2, key);
  lcul_family_find(L, nargs + 2, 2, key, &ops);
}

static int vectorize_call (lua_State *L) {
  int nargs = lua_gettop(L) - 1;
  find(L, nargs);
  lua_getiuservalue(L, -1, UV_MEMBER_TARGET);
  lua_replace(L, 1);
  lua_settop(L, nargs + 1);
  return lcul_ew_call(L, lcul_toobject(L, 1), 1, 2, nargs);
}

/* core.vectorize_member(vectorized, ...) -> the table of hooks.make for these arguments; without
 * arguments the latest one, or nil */
static int core_vectorize_member (lua_State *L) {
  int nargs = lua_gettop(L) - 1;
  if (nargs > 0) find(L, nargs);
  else {
    const lcul_family *f = lcul_family_push(L, 1, &vectorize_mark, "Vectorized");
    if (!f->called) return 0;
    lua_getiuservalue(L, -1, LCUL_FAMILY_LATEST);
  }
  lua_getiuservalue(L, -1, LCUL_MEMBER_TABLE);
  return 1;
}

/* core.vectorize_new(object, state): makes the table `object` a Vectorized. `state` has count, the
 * number of parameters, and name. */
static int core_vectorize_new (lua_State *L) {
  lcul_family_new(L, &vectorize_mark, sizeof(lcul_kindword), 0);
  return 0;
}

/* core.vectorize_state(object) -> its state; nil for other values */
static int core_vectorize_state (lua_State *L) { return lcul_family_state(L, &vectorize_mark); }

void lcul_open_vectorize (lua_State *L) {
  static const luaL_Reg functions[] = { { "vectorize_call", vectorize_call },
                                        { "vectorize_member", core_vectorize_member },
                                        { "vectorize_new", core_vectorize_new },
                                        { "vectorize_state", core_vectorize_state },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
