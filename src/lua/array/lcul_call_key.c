/* lcul_call_key.c: what the plan of a call depends on, as a string. */
#include <string.h>

#include "lcul_array.h"
#include "lcul_list.h"
#include "lcul_set.h"

enum { KEY_SIZE = 512, TEXT_SIZE = 64, ALIGNED = 15 /* low bits of addresses that plans see */ };

typedef struct key {
  size_t n;
  bool full;
  char bytes[KEY_SIZE];
} key;

static void add_to_key (key *k, const void *p, size_t n) {
  k->full = k->full || n > sizeof k->bytes - k->n;
  if (k->full) return;
  memcpy(k->bytes + k->n, p, n);
  k->n += n;
}

static void add_tag (key *k, char kind, size_t count) {
  char tag[2] = { kind, (char)count };
  add_to_key(k, tag, sizeof tag);
}

/* Dtypes of structs may be freed, so their address says nothing. */
static bool add_array (key *k, const lcul_array *a) {
  size_t dims = (size_t)a->ndim * sizeof a->shape[0];
  if (a->block == NULL || a->dtype->kind == LCU_KIND_STRUCT) return false;
  char low = (char)((a->block->address + (uint64_t)a->offset) & ALIGNED);
  add_tag(k, a->contiguous ? 'a' : 'v', (size_t)a->ndim);
  add_to_key(k, &low, 1);
  add_to_key(k, &a->dtype, sizeof a->dtype);
  add_to_key(k, &a->block->device, sizeof a->block->device);
  add_to_key(k, a->shape, dims);
  if (!a->contiguous) add_to_key(k, a->strides, dims);
  return true;
}

static bool add_text (lua_State *L, key *k, int idx) {
  size_t n;
  const char *text = lua_tolstring(L, idx, &n);
  if (n > TEXT_SIZE) return false;
  add_tag(k, 's', n);
  add_to_key(k, text, n);
  return true;
}

static void add_number (lua_State *L, key *k, int idx) {
  lua_Integer i = lua_tointeger(L, idx);
  lua_Number d = lua_tonumber(L, idx);
  add_tag(k, lua_isinteger(L, idx) ? 'i' : 'd', 0);
  if (lua_isinteger(L, idx)) add_to_key(k, &i, sizeof i);
  else add_to_key(k, &d, sizeof d);
}

static bool add_list (lua_State *L, key *k, int idx) {
  lua_Integer n;
  if (!lcul_is_plain(L, idx) || !lcul_list_length(L, idx, &n) || n > LCUL_MAX_DIMS) return false;
  add_tag(k, 'l', (size_t)n);
  for (lua_Integer i = 1; i <= n; i++) {
    bool integer = lua_rawgeti(L, idx, i) == LUA_TNUMBER && lua_isinteger(L, -1);
    if (integer) add_number(L, k, -1);
    lua_pop(L, 1);
    if (!integer) return false;
  }
  return true;
}

static bool add_value (lua_State *L, key *k, int idx) {
  const lcul_array *a;
  switch (lua_type(L, idx)) {
    case LUA_TNIL: add_tag(k, 'n', 0); return true;
    case LUA_TBOOLEAN: add_tag(k, 'b', (size_t)lua_toboolean(L, idx)); return true;
    case LUA_TNUMBER: add_number(L, k, idx); return true;
    case LUA_TSTRING: return add_text(L, k, idx);
    case LUA_TTABLE: return add_list(L, k, idx);
    default: a = lcul_array_test(L, idx); return a != NULL && add_array(k, a);
  }
}

/* core.call_key(...) -> a string that is equal for calls whose arguments (nil, booleans, numbers,
 * strings, lists of integers, arrays) have the same values and, arrays, the same dtype, device,
 * shape, strides and alignment to 16 bytes; nil where others are among them. */
static int core_call_key (lua_State *L) {
  key k = { .n = 0 };
  int n = lua_gettop(L);
  for (int i = 1; i <= n; i++)
    if (!add_value(L, &k, i)) return 0;
  if (k.full) return 0;
  lua_pushlstring(L, k.bytes, k.n);
  return 1;
}

void lcul_open_call_key (lua_State *L) {
  static const luaL_Reg functions[] = { { "call_key", core_call_key }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
