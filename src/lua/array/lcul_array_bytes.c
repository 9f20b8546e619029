/* lcul_array_bytes.c: work on plain bytes: alloc, memset. */
#include <inttypes.h>

#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_assign.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_element.h"
#include "lcul_foreign.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_shape.h"
#include "lcul_strides.h"

static lcul_array *push_untyped (lua_State *L, lcu_device *d, lcu_stream *home,
                                 const lcul_shape *s) {
  lcul_array *a = lcul_array_make(L, d, home, &lcu_dtypes[LCU_UINT8], 0, s);
  a->block->untyped = true;
  return a;
}

/* alloc(bytes [, { device =, stream = }]): an array of uint8 */
static int core_alloc (lua_State *L) {
  lcul_check_most(L, 2);
  static const char *const names[] = { "device", "stream", NULL };
  lua_Integer n = lcul_integer_arg(L, 1, "alloc", 1, "bytes");
  if (n < 0)
    return lcul_fail_arg(L, "alloc", 1, "bytes", "expected 0 or more, got %lld", (long long)n);
  int opts = lcul_options(L, 2, "alloc", names) ? 2 : 0;
  lcu_device *d = lcul_opt_device(L, opts > 0 ? opts : lua_gettop(L) + 1);
  lcul_shape s = { .ndim = 1, .size = n, .dims = { n } };
  push_untyped(L, d, lcul_work_stream(L, opts, d), &s);
  return 1;
}

enum { PITCH = 512 }; /* the texture alignment of every device */

/* alloc_pitch{ width =, height =, device =, stream = } -> array {height, width} of bytes with
 * aligned rows, pitch */
static int core_alloc_pitch (lua_State *L) {
  static const char *const names[] = { "width", "height", "device", "stream", NULL };
  lcul_check_table(L, 1);
  lcul_check_most(L, 1);
  lcul_options(L, 1, "alloc_pitch", names);
  int64_t width = lcul_opt_integer(L, 1, "width", 0, 1, INT64_MAX / 4),
          height = lcul_opt_integer(L, 1, "height", 1, 1, INT64_MAX / 4);
  if (width == 0) return lcul_misuse(L, "alloc_pitch: option 'width' is missing");
  int64_t pitch = (width + PITCH - 1) / PITCH * PITCH;
  lcul_shape s = { .ndim = 2, .dims = { height, pitch } };
  lcul_shape_measure_arg(L, &s, &lcu_dtypes[LCU_UINT8], "alloc_pitch", 1);
  lcu_device *d = lcul_opt_device(L, 1);
  lcul_array *a = push_untyped(L, d, lcul_work_stream(L, 1, d), &s);
  a->shape[1] = width;
  lcul_array_measure(a);
  lua_pushinteger(L, pitch);
  return 2;
}

static const lcu_dtype *width_dtype (lua_State *L, int opts, const char *fn) {
  lua_Integer w = opts ? lcul_opt_integer(L, opts, "width", 1, 1, 8) : 1;
  switch (w) {
    case 1: return &lcu_dtypes[LCU_UINT8];
    case 2: return &lcu_dtypes[LCU_UINT16];
    case 4: return &lcu_dtypes[LCU_UINT32];
    case 8: return &lcu_dtypes[LCU_UINT64];
    default:
      lcul_misuse(L, "%s: option 'width': expected 1, 2, 4 or 8 bytes, got %lld", fn, (long long)w);
  }
  return NULL;
}

/* Pushes the bytes of the contiguous array at idx, from `offset` on, as rows of t: shape {rows,
 * columns}, `pitch` bytes between rows. Raises when they reach past the end of the array. */
static lcul_array *push_bytes (lua_State *L, int idx, const char *fn, const lcu_dtype *t,
                               int64_t offset, int64_t rows, int64_t columns, int64_t pitch) {
  lcul_array *v = lcul_array_alias(L, idx, 2);
  int64_t first, last, have, end = offset;
  lcul_array_extent(v, &first, &last);
  have = last - first;
  bool fits =
    columns <= have / t->size && offset <= have && (rows <= 1 || pitch <= have / (rows - 1));
  if (fits && rows > 0 && columns > 0) end += (rows - 1) * pitch + columns * t->size;
  if (!fits || end > have)
    lcul_misuse(L,
                "%s: rows of %" PRId64
                " words of %u bytes reach past the end of the array (%" PRId64 " bytes)",
                fn, columns, t->size, have);
  if (((int64_t)v->block->address + first + offset) % t->size != 0 ||
      (rows > 1 && pitch % t->size != 0))
    lcul_misuse(L, "%s: the memory is not aligned for words of %u bytes", fn, t->size);
  v->dtype = t;
  v->offset = first + offset;
  v->ndim = 2;
  v->shape[0] = rows;
  v->shape[1] = columns;
  v->strides[0] = pitch;
  v->strides[1] = t->size;
  lcul_array_measure(v);
  return v;
}

static void check_dense (lua_State *L, int idx, const char *fn) {
  const lcul_array *a = lcul_array_check(L, idx);
  if (!a->contiguous)
    lcul_fail_arg(L, fn, idx, "array",
                  "expected a contiguous array; see a:fill and cuda.copy for views");
}

/* memset(a, value [, count] [, { width = bytes of one word, offset =, stream = }]) */
static int core_memset (lua_State *L) {
  lcul_check_most(L, 4);
  static const char *const names[] = { "width", "offset", "stream", "count", NULL };
  bool counted = lua_type(L, 3) == LUA_TNUMBER;
  (void)lcul_foreign_check(L, 1);
  check_dense(L, 1, "memset");
  const lcul_array *a = lcul_array_check(L, 1);
  lcul_check_any(L, 2);
  int at = counted ? 4 : 3, opts = lcul_options(L, at, "memset", names) ? at : 0;
  const lcu_dtype *t = width_dtype(L, opts, "memset");
  int64_t offset = opts ? lcul_opt_integer(L, opts, "offset", 0, 0, INT64_MAX) : 0,
          bytes = a->size * a->dtype->size;
  if (offset > bytes)
    return lcul_misuse(
      L, "memset: option 'offset': %" PRId64 " is past the end of the array (%" PRId64 " bytes)",
      offset, bytes);
  int64_t count = lcul_count_arg(L, 3, "memset", "count", opts, (bytes - offset) / t->size);
  _Alignas(8) char word[8];
  lcul_element_arg(L, 2, t, word, "memset", 2, "value");
  lcul_array *v = push_bytes(L, 1, "memset", t, offset, 1, count, 0);
  lcul_array_fill_element(L, -1, word, lcul_work_stream(L, opts, v->block->device), "memset");
  lua_settop(L, 1);
  return 1;
}

static int64_t size_option (lua_State *L, int opts, const char *name, int64_t def) {
  return lcul_opt_integer(L, opts, name, def, 0, INT64_MAX / 4);
}

static int64_t needed_option (lua_State *L, int opts, const char *fn, const char *name) {
  if (lua_getfield(L, opts, name) == LUA_TNIL)
    lcul_misuse(L, "%s: option '%s' is missing", fn, name);
  lua_pop(L, 1);
  return lcul_opt_integer(L, opts, name, 0, 0, INT64_MAX / 4);
}

/* memset2d(a, value, { columns = words in a row, height =, pitch = bytes between rows, width =
 * bytes of one word, offset =, stream = }) */
static int core_memset2d (lua_State *L) {
  lcul_check_most(L, 3);
  static const char *const names[] = { "columns", "height", "pitch", "width",
                                       "offset",  "stream", NULL };
  const lcul_array *a = lcul_foreign_check(L, 1);
  if (!a->contiguous && !lcul_array_has_rows(a))
    return lcul_fail_arg(L, "memset2d", 1, "array",
                         "expected a contiguous array or one of whole rows");
  lcul_check_table(L, 3);
  lcul_options(L, 3, "memset2d", names);
  const lcu_dtype *t = width_dtype(L, 3, "memset2d");
  int64_t columns = needed_option(L, 3, "memset2d", "columns"),
          height = needed_option(L, 3, "memset2d", "height");
  if (columns > a->size * a->dtype->size)
    return lcul_misuse(L, "memset2d: a row of %" PRId64 " words reaches past the end of the array",
                       columns);
  int64_t pitch =
            size_option(L, 3, "pitch", lcul_array_has_rows(a) ? a->strides[0] : columns * t->size),
          offset = size_option(L, 3, "offset", 0);
  if (pitch < columns * t->size)
    return lcul_misuse(L, "memset2d: option 'pitch' is less than a row");
  _Alignas(8) char word[8];
  lcul_element_arg(L, 2, t, word, "memset2d", 2, "value");
  lcul_array *v = push_bytes(L, 1, "memset2d", t, offset, height, columns, pitch);
  lcul_array_fill_element(L, -1, word, lcul_work_stream(L, 3, v->block->device), "memset2d");
  lua_settop(L, 1);
  return 1;
}

/* swap_bytes(bytes, width) -> bytes: the byte order of each word reversed (for files from other
 * machines) */
static int core_swap_bytes (lua_State *L) {
  size_t len;
  luaL_Buffer b;
  const char *in = luaL_checklstring(L, 1, &len);
  lua_Integer width = luaL_checkinteger(L, 2);
  luaL_argcheck(L, width >= 1 && width <= 16 && len % (size_t)width == 0, 2, "not whole words");
  char *out = luaL_buffinitsize(L, &b, len);
  for (size_t at = 0; at < len; at += (size_t)width)
    for (size_t i = 0; i < (size_t)width; i++) out[at + i] = in[at + (size_t)width - 1 - i];
  luaL_pushresultsize(&b, len);
  return 1;
}

void lcul_open_array_bytes (lua_State *L) {
  static const luaL_Reg functions[] = {
    { "alloc", core_alloc },       { "alloc_pitch", core_alloc_pitch }, { "memset", core_memset },
    { "memset2d", core_memset2d }, { "swap_bytes", core_swap_bytes },   { NULL, NULL }
  };
  lcul_setfuncs(L, functions);
}
