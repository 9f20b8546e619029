/* lcul_array_from.c: core.array(data [, dtype] [, options]). */
#include <inttypes.h>
#include <string.h>

#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_assign.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_dims.h"
#include "lcul_foreign.h"
#include "lcul_maker.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_shape.h"
#include "lcul_stream.h"
#include "lcul_table.h"

static const char *const array_options[] = { "device", "stream", "out", "dtype",
                                             "ipc",    "shape",  NULL };

/* cuda.array{ 1, 2, dtype = "int32" }: options among the data would be ignored. */
static void refuse_options (lua_State *L, const lcul_maker *m) {
  for (size_t i = 0; array_options[i] != NULL; i++) {
    lua_pushstring(L, array_options[i]);
    if (lua_rawget(L, 1) != LUA_TNIL)
      lcul_fail_arg(
        L, m->fn, 1, "data",
        "'%s' is among the elements; options go in a separate table: array(data, { %s = ... })",
        array_options[i], array_options[i]);
    lua_pop(L, 1);
  }
}

static int from_table (lua_State *L, lcul_maker *m) {
  lcul_shape s;
  const lcu_dtype *guess = NULL;
  bool guessed = m->dtype == NULL;
  if (guessed || m->dtype->kind != LCU_KIND_STRUCT) refuse_options(L, m);
  lcul_table_shape(L, 1, m->dtype, m->fn, 1, &s, &guess);
  if (guessed) m->dtype = guess;
  lcul_array *a = lcul_maker_push(L, m, &s);
  char *data = lcul_maker_open(L, m, a);
  lcul_table_store(L, 1, &s, m->dtype, data, m->fn, 1, guessed);
  lcul_maker_close(L, m, data);
  return 1;
}

/* Option `shape`, for bytes; -1 stands for the extent that the others leave. */
static void bytes_shape (lua_State *L, const lcul_maker *m, int64_t n, lcul_shape *s) {
  *s = (lcul_shape){ .ndim = 1, .dims = { n } };
  if (!m->opts || lua_getfield(L, m->opts, "shape") == LUA_TNIL) return;
  lcul_shape_check(L, -1, m->fn, 1, true, s);
  int rest = -1;
  int64_t others = 1;
  for (int i = 0; i < s->ndim; i++) {
    if (s->dims[i] == -1) rest = i;
    else if (s->dims[i] > 0 && others > INT64_MAX / s->dims[i])
      lcul_misuse(L, "%s: option 'shape' is too large", m->fn);
    else others *= s->dims[i];
  }
  if (rest >= 0) s->dims[rest] = others > 0 && n % others == 0 ? n / others : 0;
  if (!lcul_shape_measure(s, m->dtype->size) || s->size != n) {
    char text[160];
    lcul_misuse(L, "%s: %" PRId64 " elements do not fill option 'shape' %s", m->fn, n,
                lcul_shape_text(s->dims, s->ndim, text, sizeof text));
  }
}

static int from_bytes (lua_State *L, lcul_maker *m) {
  size_t len;
  lcul_shape s;
  const char *bytes = lua_tolstring(L, 1, &len);
  if (m->dtype == NULL)
    return lcul_fail_arg(L, m->fn, 2, "dtype", "bytes need a dtype, such as \"uint8\"");
  if (len % m->dtype->size != 0)
    return lcul_fail_arg(L, m->fn, 1, "data", "%zu bytes are not whole elements of %s (%u bytes)",
                         len, m->dtype->name, m->dtype->size);
  bytes_shape(L, m, (int64_t)(len / m->dtype->size), &s);
  lcul_array *a = lcul_maker_push(L, m, &s);
  char *data = lcul_maker_open(L, m, a);
  if (len > 0) memcpy(data, bytes, len);
  lcul_maker_close(L, m, data);
  return 1;
}

static int from_array (lua_State *L, lcul_maker *m) {
  lcul_shape s;
  const lcul_array *a = lcul_array_check(L, 1);
  if (m->dtype == NULL) {
    m->dtype = a->dtype;
    m->dtype_idx = 1;
  }
  lcul_array_keep_parts(L, m->dtype, a->dtype, m->fn, 1);
  lcul_array_shape_of(a, &s);
  lcul_array *o = lcul_maker_push(L, m, &s);
  /* checked again: it may have been closed */
  lcu_device *work = lcul_work_device(o, lcul_array_check(L, 1));
  lcu_stream *stream = work == m->device ? m->stream : lcul_stream_current(L, work);
  lcul_array_assign(L, lua_gettop(L), 1, stream, m->fn);
  return 1;
}

static int from_value (lua_State *L, lcul_maker *m) {
  lcul_shape s = { .ndim = 0 };
  bool guessed = m->dtype == NULL;
  lcul_maker_dtype_of(L, m, 1);
  return lcul_maker_fill(L, m, &s, lcul_maker_element(L, m, guessed, 1, "data"));
}

/* Bytes get their shape from option `shape`. All other data has a shape of its own, and option
 * `shape` reshapes it. */
static int with_shape (lua_State *L, const lcul_maker *m) {
  if (!m->opts || lua_getfield(L, m->opts, "shape") == LUA_TNIL) {
    if (m->opts) lua_pop(L, 1);
    return 1;
  }
  lua_getfield(L, -2, "reshape");
  lua_pushvalue(L, -3);
  lua_pushvalue(L, -3);
  lua_call(L, 2, 1);
  return 1;
}

static int core_array (lua_State *L) {
  lcul_maker m = { .fn = "array" };
  char got[96];
  lcul_check_any(L, 1);
  lcul_dims_plain(L, 1);
  (void)lcul_foreign_replace(L, 1);
  if (lcul_array_test(L, 1) != NULL) (void)lcul_array_check(L, 1);
  lcul_maker_args(L, &m, 2, array_options, NULL);
  luaL_checkstack(L, 32, m.fn);
  switch (lua_type(L, 1)) {
    case LUA_TTABLE: from_table(L, &m); return with_shape(L, &m);
    case LUA_TSTRING: return from_bytes(L, &m);
    case LUA_TNUMBER:
    case LUA_TBOOLEAN: return from_value(L, &m);
    default: break;
  }
  if (lcul_array_test(L, 1) != NULL) {
    from_array(L, &m);
    return with_shape(L, &m);
  }
  if (lcul_test(L, 1, LCUL_COMPLEX) != NULL || lcul_test(L, 1, LCUL_SCALAR) != NULL)
    return from_value(L, &m);
  return lcul_fail_arg(
    L, m.fn, 1, "data", "expected a table, an Array, bytes or a number, got %s%s",
    lcul_describe(L, 1, got, sizeof got),
    lcul_test(L, 1, LCUL_CUDA_ARRAY) != NULL ? "; its :array() is an Array" : "");
}

/* shape_list(shape, fn, argument) -> the shape as a list; raises in the name of fn. */
static int core_shape_list (lua_State *L) {
  lcul_shape s;
  lua_settop(L, 3);
  lcul_shape_check(L, 1, luaL_checkstring(L, 2), (int)luaL_checkinteger(L, 3), false, &s);
  lua_createtable(L, s.ndim, 0);
  for (int i = 0; i < s.ndim; i++) {
    lua_pushinteger(L, s.dims[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

void lcul_open_array_from (lua_State *L) {
  static const luaL_Reg functions[] = { { "array", core_array },
                                        { "shape_list", core_shape_list },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
