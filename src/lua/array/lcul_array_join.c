/* lcul_array_join.c: lists of arrays that become one: what join.lua asks about them. */
#include <string.h>

#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_list.h"
#include "lcul_set.h"
#include "lcul_stream.h"

/* The length of the list at 1. */
static lua_Integer list_length (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  return (lua_Integer)lua_rawlen(L, 1);
}

/* The open array that is item i of the list at 1; it stays alive in the list. */
static lcul_array *item (lua_State *L, lua_Integer i) {
  lua_rawgeti(L, 1, i);
  lcul_array *a = lcul_array_check(L, -1);
  lua_pop(L, 1);
  return a;
}

/* core.are_arrays(value): is it a list of arrays, at least one, without a metatable? */
static int core_are_arrays (lua_State *L) {
  lua_Integer n = 0;
  bool are = lua_type(L, 1) == LUA_TTABLE && lcul_is_plain(L, 1) && lcul_list_length(L, 1, &n);
  for (lua_Integer i = 1; are && i <= n; i++) {
    lua_rawgeti(L, 1, i);
    const lcul_array *a = lcul_array_test(L, -1);
    are = a != NULL && a->block != NULL;
    lua_pop(L, 1);
  }
  lua_pushboolean(L, are && n > 0);
  return 1;
}

static bool same_dims_but (const lcul_array *a, const lcul_array *b, int axis) {
  if (a->ndim != b->ndim) return false;
  for (int d = 0; d < a->ndim; d++)
    if (d != axis && a->shape[d] != b->shape[d]) return false;
  return true;
}

/* Have the n arrays of the list at 1 one dtype and device, no gaps, and one shape but for the
 * extent of an axis (-1: none)? */
static bool are_alike (lua_State *L, lua_Integer n, int axis) {
  const lcul_array *first = item(L, 1);
  bool alike = true;
  for (lua_Integer i = 1; i <= n && alike; i++) {
    const lcul_array *a = item(L, i);
    alike = a->contiguous && a->dtype == first->dtype && a->block->device == first->block->device &&
            same_dims_but(a, first, axis);
  }
  return alike;
}

/* core.alike(arrays, axis): the same; axis from 1, 0: none. */
static int core_alike (lua_State *L) {
  lua_Integer n = list_length(L);
  lua_pushboolean(L, n > 0 && are_alike(L, n, (int)luaL_checkinteger(L, 2) - 1));
  return 1;
}

/* The shape of n arrays like `a` on a new axis. */
static void stacked_shape (const lcul_array *a, lua_Integer n, int axis, lcul_shape *s) {
  s->ndim = a->ndim + 1;
  for (int d = 0; d < s->ndim; d++) s->dims[d] = d == axis ? n : a->shape[d < axis ? d : d - 1];
}

/* False: the sum of the extents is too large. */
static bool joined_shape (lua_State *L, lua_Integer n, int axis, lcul_shape *s) {
  lcul_array_shape_of(item(L, 1), s);
  for (lua_Integer i = 2; i <= n; i++)
    if (__builtin_add_overflow(s->dims[axis], item(L, i)->shape[axis], &s->dims[axis]))
      return false;
  return true;
}

/* core.new_joined(arrays, axis, stacked [, stream]) -> a new array for the elements of alike arrays
 * side by side along an axis (from 1), a new one where they are stacked; nil where they are not
 * alike or have no such axis. */
static int core_new_joined (lua_State *L) {
  lcul_shape s;
  lua_settop(L, 4);
  lua_Integer n = list_length(L), axis = luaL_checkinteger(L, 2) - 1;
  bool stacked = lua_toboolean(L, 3);
  const lcul_array *first = item(L, 1);
  if (axis < 0 || axis >= first->ndim + stacked || first->ndim + stacked > LCUL_MAX_DIMS) return 0;
  if (!are_alike(L, n, stacked ? -1 : (int)axis)) return 0;
  if (stacked) stacked_shape(first, n, (int)axis, &s);
  else if (!joined_shape(L, n, (int)axis, &s)) return 0;
  lcul_shape_measure_arg(L, &s, first->dtype, "empty", 1);
  lcu_device *d = first->block->device;
  lcu_stream *stream = lua_isnil(L, 4) ? lcul_stream_current(L, d) : lcul_stream_for(L, 4, d);
  lua_rawgeti(L, 1, 1); /* anchors the dtype */
  (void)lcul_array_make(L, d, stream, first->dtype, 5, &s);
  return 1;
}


/* ---- words ---- */

static uint64_t address_of (const lcul_array *a) { return a->block->address + (uint64_t)a->offset; }

/* The bytes of the widest word that divides all numbers of which `bits` is the bitwise or. */
static int64_t widest (uint64_t bits) {
  uint64_t size = bits & (~bits + 1);
  return size == 0 || size > 16 ? 16 : (int64_t)size;
}

/* The number of rows that are side by side: the product of the extents before the axis. */
static int64_t rows_of (const lcul_array *dst, int axis) {
  int64_t rows = 1;
  for (int d = 0; d < axis && d < dst->ndim; d++) rows *= dst->shape[d];
  return rows;
}

static int64_t bytes_of_rows (const lcul_array *a, int64_t rows) {
  return a->size * a->dtype->size / rows;
}

/* Pushes the arrays of the list at 1 that have elements; returns how many. */
static int push_parts (lua_State *L, lua_Integer n) {
  int parts = 0;
  for (lua_Integer i = 1; i <= n; i++) {
    if (item(L, i)->size == 0) continue;
    lua_rawgeti(L, 1, i);
    parts++;
  }
  return parts;
}

/* core.join_words(arrays, dst, axis) -> how alike arrays fill `dst`, which has elements, side by
 * side along an axis: the number of arrays with elements; bytes of a word; bytes that dst's address
 * allows to write at once; does each array give one word to a row?; then the arguments of the
 * kernel: the arrays with elements, dst, its number of words, words of a row, and without `unit`
 * the place in a row where each of them but the last ends. */
static int core_join_words (lua_State *L) {
  lua_Integer n = list_length(L);
  const lcul_array *dst = lcul_array_check(L, 2);
  luaL_argcheck(L, dst->size > 0, 2, "an array with elements expected");
  int64_t rows = rows_of(dst, (int)lua_tointeger(L, 3) - 1), end = 0;
  uint64_t bits = address_of(dst);
  bool unit = true;
  luaL_checkstack(L, 2 * (int)n + 8, NULL);
  for (lua_Integer i = 1; i <= n; i++) {
    const lcul_array *a = item(L, i);
    if (a->size > 0) bits |= address_of(a) | (uint64_t)bytes_of_rows(a, rows);
  }
  int64_t size = widest(bits);
  lua_settop(L, 6); /* four results start at 3 */
  int parts = push_parts(L, n);
  for (int k = 0; k < parts; k++)
    unit = unit && bytes_of_rows(lcul_array_check(L, 7 + k), rows) == size;
  lua_pushvalue(L, 2);
  lua_pushinteger(L, dst->size * dst->dtype->size / size);
  lua_pushinteger(L, bytes_of_rows(dst, rows) / size);
  for (int k = 0; k < parts - 1 && !unit; k++)
    lua_pushinteger(L, end += bytes_of_rows(lcul_array_check(L, 7 + k), rows) / size);
  int top = lua_gettop(L);
  lua_pushinteger(L, parts);
  lua_replace(L, 3);
  lua_pushinteger(L, size);
  lua_replace(L, 4);
  lua_pushinteger(L, widest(address_of(dst)));
  lua_replace(L, 5);
  lua_pushboolean(L, unit);
  lua_replace(L, 6);
  return top - 2;
}

void lcul_open_array_join (lua_State *L) {
  static const luaL_Reg functions[] = { { "are_arrays", core_are_arrays },
                                        { "alike", core_alike },
                                        { "new_joined", core_new_joined },
                                        { "join_words", core_join_words },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
