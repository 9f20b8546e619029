/* lcul_array_diagonal.c: views of diagonals, for lua/luacuda/array/diagonal.lua. */
#include <lauxlib.h>

#include "lcul_array.h"
#include "lcul_set.h"
#include "lcul_strides.h"

/* Moves the start of the view by `offset` columns, or by -offset rows; returns the number of
 * elements of the diagonal of so many rows and columns. */
static int64_t start (lcul_array *v, lua_Integer offset, int64_t rows, int64_t down,
                      int64_t columns, int64_t across) {
  if (offset >= columns || offset <= -rows) return 0;
  if (offset > 0) {
    v->offset += offset * across;
    columns -= offset;
  } else {
    v->offset -= offset * down;
    rows += offset;
  }
  return rows < columns ? rows : columns;
}

/* core.diagonal(a, offset, row, column) -> the view in which one axis, the last one, replaces the
 * axes `row` and `column` (from 1, different). */
static int core_diagonal (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lua_Integer offset = luaL_checkinteger(L, 2);
  int row = (int)luaL_checkinteger(L, 3) - 1, column = (int)luaL_checkinteger(L, 4) - 1;
  lcul_array *v = lcul_array_alias(L, 1, 0);
  int64_t down = a->strides[row], across = a->strides[column];
  int n = 0;
  for (int i = 0; i < a->ndim; i++) {
    if (i == row || i == column) continue;
    v->shape[n] = a->shape[i];
    v->strides[n++] = a->strides[i];
  }
  v->shape[n] = start(v, offset, a->shape[row], down, a->shape[column], across);
  v->strides[n++] = down + across;
  v->ndim = n;
  lcul_array_measure(v);
  return 1;
}

void lcul_open_array_diagonal (lua_State *L) {
  static const luaL_Reg functions[] = { { "diagonal", core_diagonal }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
