/* lcul_array_resize.c: arrays that grow and shrink in place. */
#include <inttypes.h>

#include "lcu_growth.h"
#include "lcu_wait.h"
#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_error.h"
#include "lcul_maker.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_shape.h"
#include "lcul_strides.h"

/* The bytes of one position of the first axis. */
static size_t row_bytes (const lcul_array *a) {
  size_t n = a->dtype->size;
  for (int i = 1; i < a->ndim; i++) n *= (size_t)a->shape[i];
  return n;
}

int lcul_array_reserve (lua_State *L, const lcul_maker *m, lcul_shape *s, int64_t rows) {
  lcul_shape whole = *s;
  whole.dims[0] = rows;
  lcul_shape_measure_arg(L, &whole, m->dtype, m->fn, 1);
  lcul_shape_measure_arg(L, s, m->dtype, m->fn, 1);
  lcul_array *a = lcul_array_box(L, m->dtype, m->dtype_idx, false, s->ndim, s->dims);
  size_t bytes = (size_t)s->size * m->dtype->size, reserve = (size_t)rows * row_bytes(a);
  if (reserve == 0) lcul_misuse(L, "empty: option 'reserve': the rows of the shape are empty");
  lcul_status(L, lcu_growth_alloc(m->device, bytes, reserve, &a->block));
  lcul_array_label(a->block, a);
  lcul_gc_account(L, bytes);
  return 1;
}

static lcul_array *check_growing (lua_State *L) {
  lcul_array *a = lcul_array_check(L, 1);
  if (lcu_growth_reserved(a->block) == 0)
    lcul_misuse(L, "resize: the array has no room to grow: make it with cuda.empty(shape, dtype, "
                   "{ reserve = n })");
  if (a->offset != 0 || !a->contiguous || a->ndim == 0)
    lcul_misuse(L, "resize: expected an array from the start of its memory without gaps, got a "
                   "view; resize the array itself");
  return a;
}

static int64_t capacity_of (const lcul_array *a) {
  size_t row = row_bytes(a);
  return row > 0 ? (int64_t)(lcu_growth_reserved(a->block) / row) : 0;
}

/* Collecting garbage for memory may close the array. */
static void resize_block (lua_State *L, const lcul_array *a, size_t bytes) {
  lcu_block *b = lcu_ref(a->block);
  lcu_status st = lcu_growth_resize(b, bytes);
  lcu_unref(b);
  lcul_status(L, st);
}

/* Memory goes back when no other array can reach it, and no work uses it. Arrays that are garbage
 * do not count. */
static void shrink (lua_State *L, const lcul_array *a, size_t bytes) {
  if (!lcu_object_is_last(&a->block->base)) lua_gc(L, LUA_GCCOLLECT, 0);
  a = check_growing(L);
  if (!lcu_object_is_last(&a->block->base)) return;
  if (!lcu_block_idle(a->block, true)) {
    lcul_sync_allowed(L, "array:resize");
    lcul_status(L, lcu_block_wait(a->block, NULL, true));
  }
  resize_block(L, a, bytes);
}

/* The finder of faults reads the label under the lock. */
static void set_rows (lcul_array *a, int64_t rows) {
  a->shape[0] = rows;
  lcul_array_set_rows(a);
  pthread_mutex_lock(&a->block->device->lock);
  lcul_array_label(a->block, a);
  pthread_mutex_unlock(&a->block->device->lock);
}

/* array:resize(n) -> array, with n positions along the first axis */
static int array_resize (lua_State *L) {
  lua_Integer rows = 0;
  lcul_check_most(L, 2);
  lcul_array *a = check_growing(L);
  if (!lcul_to_integer(L, 2, &rows))
    return lcul_wrong_type(L, 2, "an integer, the extent of the first axis");
  if (rows < 0 || rows > capacity_of(a))
    return lcul_misuse(L, "resize: %" PRId64 " is outside 0 to %" PRId64 ", which are reserved",
                       (int64_t)rows, capacity_of(a));
  size_t bytes = (size_t)rows * row_bytes(a), before = a->block->size;
  if (bytes > before) {
    resize_block(L, a, bytes);
    lcul_gc_account(L, bytes - before);
  } else if (bytes < before) shrink(L, a, bytes);
  set_rows(lcul_array_check(L, 1), rows);
  lua_settop(L, 1);
  return 1;
}

/* array.capacity: the first extent that it can grow to; nil: it does not grow */
static int array_capacity (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  if (lcu_growth_reserved(a->block) == 0 || a->ndim == 0) return 0;
  lua_pushinteger(L, capacity_of(a));
  return 1;
}

void lcul_open_array_resize (lua_State *L) {
  static const luaL_Reg methods[] = { { "resize", array_resize }, { NULL, NULL } };
  static const luaL_Reg getters[] = { { "capacity", array_capacity }, { NULL, NULL } };
  lcul_extend(L, LCUL_ARRAY, LCUL_METHODS, methods);
  lcul_extend(L, LCUL_ARRAY, LCUL_GETTERS, getters);
}
