/* lcul_table_push.c: elements to Lua tables. One loop per dtype, made from dtype.def. */
#include <string.h>

#include "lcul_array.h"
#include "lcul_element.h"
#include "lcul_host.h"
#include "lcul_scalar.h"
#include "lcul_shape.h"
#include "lcul_table.h"

#define PUSH_BOOL(ID, type) lua_pushboolean(L, x != 0);
#define PUSH_INT(ID, type) lua_pushinteger(L, (lua_Integer)x);
#define PUSH_UINT(ID, type) lua_pushinteger(L, (lua_Integer)x);
#define PUSH_FLOAT(ID, type) \
  if (LCU_##ID == LCU_FLOAT32 || LCU_##ID == LCU_FLOAT64) lua_pushnumber(L, (lua_Number)x); \
  else lcul_scalar_push(L, t, p);
#define PUSH_COMPLEX(ID, type) \
  (void)x; \
  lcul_scalar_push(L, t, p);

/* Elements k to last of the table at the top of the stack. */
static void push_run (lua_State *L, const lcu_dtype *t, const char *p, int64_t stride, int64_t k,
                      int64_t last) {
  switch (t->id) {
#define LCU_DTYPE(ID, kind, size, storage, ...) \
  case LCU_##ID: \
    for (; k <= last; k++, p += stride) { \
      storage x; \
      memcpy(&x, p, sizeof x); \
      PUSH_##kind(ID, storage) lua_rawseti(L, -2, k); \
    } \
    break;
#include "dtype.def"
#undef LCU_DTYPE
    default:
      for (; k <= last; k++, p += stride) {
        lcul_element_push(L, t, p);
        lua_rawseti(L, -2, k);
      }
  }
}

static int preallocate (int64_t n) { return n < 1 << 26 ? (int)n : 1 << 26; }

/* Pushes the table to fill: the table at `reuse` if there is one, cut to n elements. */
static void push_target (lua_State *L, int reuse, int64_t n) {
  if (!reuse || lua_type(L, reuse) != LUA_TTABLE) {
    lua_createtable(L, preallocate(n), 0);
    return;
  }
  lua_pushvalue(L, reuse);
  for (int64_t k = (int64_t)lua_rawlen(L, reuse); k > n; k--) {
    lua_pushnil(L);
    lua_rawseti(L, -2, k);
  }
}

static void push_row (lua_State *L, const lcul_array *a, lcul_pieces *p, int64_t offset) {
  int64_t n = a->shape[a->ndim - 1], stride = p->host.strides[a->ndim - 1], now;
  for (int64_t done = 0; done < n; done += now) {
    now = n - done;
    const char *at = lcul_pieces_at(L, p, offset + done * stride, &now);
    push_run(L, a->dtype, at, stride, done + 1, done + now);
  }
}

/* `offset`: bytes from the array's first element to the part's. */
static void push_axis (lua_State *L, const lcul_array *a, lcul_pieces *p, int axis, int64_t offset,
                       int reuse) {
  int64_t n = a->shape[axis];
  push_target(L, reuse, n);
  if (axis + 1 == a->ndim) {
    push_row(L, a, p, offset);
    return;
  }
  int t = lua_gettop(L);
  for (int64_t k = 1; k <= n; k++, offset += p->host.strides[axis]) {
    if (reuse) lua_rawgeti(L, t, k);
    push_axis(L, a, p, axis + 1, offset, reuse ? lua_gettop(L) : 0);
    lua_rawseti(L, t, k);
    lua_settop(L, t);
  }
}

void lcul_table_push (lua_State *L, const lcul_array *a, lcul_pieces *p, int reuse) {
  int64_t one = 1;
  luaL_checkstack(L, 3 * LCUL_MAX_DIMS + 8, "totable");
  if (a->ndim == 0) lcul_element_push(L, a->dtype, lcul_pieces_at(L, p, 0, &one));
  else push_axis(L, a, p, 0, 0, reuse);
}
