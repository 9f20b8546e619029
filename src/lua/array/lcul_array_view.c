/* lcul_array_view.c: views: slices, transposed, broadcast, reshaped, of another dtype. No element
 * is touched. */
#include <string.h>

#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_describe.h"
#include "lcul_dtype.h"
#include "lcul_list.h"
#include "lcul_position.h"
#include "lcul_shape.h"
#include "lcul_strides.h"

static void no_view (lua_State *L, const char *fn, const char *why) {
  lcul_misuse(L, "%s: no view is possible: %s; a:contiguous():%s(...) makes a copy", fn, why, fn);
}


/* slice */

typedef struct range {
  int64_t first, step, count;
} range;

static bool list_integer (lua_State *L, int idx, int at, int arg, lua_Integer *out) {
  bool given = lua_rawgeti(L, idx, at) != LUA_TNIL;
  if (given) *out = lcul_integer_arg(L, -1, "slice", arg, "range");
  lua_pop(L, 1);
  return given;
}

static void check_range_keys (lua_State *L, int idx, int arg) {
  lua_pushnil(L);
  while (lua_next(L, idx)) {
    lua_pop(L, 1);
    if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 || lua_tointeger(L, -1) > 3)
      lcul_fail_arg(L, "slice", arg, "range",
                    "expected {first, last, step}, got a table with other keys");
  }
}

/* Negative positions count from the end; the sum cannot overflow. */
static int64_t from_end (lua_Integer i, int64_t n) { return i < 0 ? (i < -n ? 0 : i + n + 1) : i; }

static int64_t clip (int64_t i, int64_t low, int64_t high) {
  return i < low ? low : (i > high ? high : i);
}

/* Bounds clip as in string.sub; with a negative step the range runs from the last element down. */
static range range_of (lua_Integer first, lua_Integer last, lua_Integer step, int64_t n) {
  int64_t a = from_end(first, n), b = from_end(last, n);
  if (step > 0) {
    a = clip(a, 1, n + 1);
    b = clip(b, 0, n);
    return (range){ a - 1, step, b < a ? 0 : (b - a) / step + 1 };
  }
  a = clip(a, 0, n);
  b = clip(b, 1, n + 1);
  /* -(step + 1) + 1 as unsigned, since the smallest integer cannot be negated */
  uint64_t down = (uint64_t)(-(step + 1)) + 1;
  return (range){ a > 0 ? a - 1 : 0, step, a < b ? 0 : (int64_t)((uint64_t)(a - b) / down) + 1 };
}

static range table_range (lua_State *L, int idx, int64_t n) {
  lua_Integer first = 0, last = 0, step = 1;
  check_range_keys(L, idx, idx - 1);
  list_integer(L, idx, 3, idx - 1, &step);
  if (step == 0) lcul_fail_arg(L, "slice", idx - 1, "range", "the step cannot be 0");
  if (!list_integer(L, idx, 1, idx - 1, &first)) first = step > 0 ? 1 : -1;
  if (!list_integer(L, idx, 2, idx - 1, &last)) last = step > 0 ? -1 : 1;
  return range_of(first, last, step, n);
}

/* One axis of `from` by the argument at idx, appended to `v`. An integer drops the axis. */
static void slice_axis (lua_State *L, int idx, const lcul_array *from, int axis, lcul_array *v) {
  int64_t n = from->shape[axis], stride = from->strides[axis];
  if (lua_type(L, idx) == LUA_TTABLE) {
    range r = table_range(L, idx, n);
    if (r.count > 0) v->offset += r.first * stride;
    v->shape[v->ndim] = r.count;
    v->strides[v->ndim++] = r.count > 1 ? r.step * stride : stride;
    return;
  }
  char got[96];
  if (lua_type(L, idx) != LUA_TNUMBER)
    lcul_fail_arg(L, "slice", idx - 1, "range", "expected {first, last, step} or an index, got %s",
                  lcul_describe(L, idx, got, sizeof got));
  lua_Integer i = lcul_integer_arg(L, idx, "slice", idx - 1, "index");
  int64_t at = lcul_index_norm(i, n);
  if (at < 0)
    lcul_fail_arg(L, "slice", idx - 1, "index", "%lld is outside an axis of %lld elements",
                  (long long)i, (long long)n);
  v->offset += at * stride;
}

static int array_slice (lua_State *L) {
  int given = lua_gettop(L) - 1;
  const lcul_array *a = lcul_array_check(L, 1);
  if (given > a->ndim)
    return lcul_misuse(L, "slice: %d ranges for an array of %d axes", given, a->ndim);
  lcul_array *v = lcul_array_alias(L, 1, 0);
  v->ndim = 0;
  for (int i = 0; i < a->ndim; i++) {
    if (i < given) slice_axis(L, i + 2, a, i, v);
    else {
      v->shape[v->ndim] = a->shape[i];
      v->strides[v->ndim++] = a->strides[i];
    }
  }
  lcul_array_measure(v);
  return 1;
}


/* transpose */

static int axis_arg (lua_State *L, int idx, int arg, int ndim) {
  lua_Integer i = lcul_integer_arg(L, idx, "transpose", arg, "axis");
  int64_t at = lcul_index_norm(i, ndim);
  if (at < 0)
    lcul_fail_arg(L, "transpose", arg, "axis", "%lld is not an axis of an array of %d axes",
                  (long long)i, ndim);
  return (int)at;
}

/* The axes named by the arguments from 2 on, or by the list at 2; none: in reverse. */
static void axes_args (lua_State *L, int ndim, int axes[LCUL_MAX_DIMS]) {
  bool seen[LCUL_MAX_DIMS] = { false }, list = lua_type(L, 2) == LUA_TTABLE;
  lcul_list_alone(L, "transpose", "axes", "axes");
  lua_Integer given = lua_gettop(L) - 1;
  if (list && !lcul_list_length(L, 2, &given))
    lcul_list_fail(L, 2, "transpose: argument 1 'axes'", NULL);
  if (given == 0 && !list) {
    for (int i = 0; i < ndim; i++) axes[i] = ndim - 1 - i;
    return;
  }
  if (given != ndim)
    lcul_misuse(L, "transpose: %d axes given for an array of %d", (int)given, ndim);
  for (int i = 0; i < ndim; i++) {
    if (list) lua_geti(L, 2, i + 1);
    else lua_pushvalue(L, i + 2);
    axes[i] = axis_arg(L, -1, list ? 1 : i + 1, ndim);
    lua_pop(L, 1);
    if (seen[axes[i]]) lcul_misuse(L, "transpose: axis %d is named twice", axes[i] + 1);
    seen[axes[i]] = true;
  }
}

static int array_transpose (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  int axes[LCUL_MAX_DIMS];
  axes_args(L, a->ndim, axes);
  lcul_array *v = lcul_array_alias(L, 1, 0);
  for (int i = 0; i < a->ndim; i++) {
    v->shape[i] = a->shape[axes[i]];
    v->strides[i] = a->strides[axes[i]];
  }
  lcul_array_measure(v);
  return 1;
}


/* broadcast_to */

static int array_broadcast_to (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lcul_shape s;
  lcul_shape_args(L, "broadcast_to", false, &s);
  lcul_shape_measure_arg(L, &s, a->dtype, "broadcast_to", 1);
  lcul_array *v = lcul_array_alias(L, 1, s.ndim);
  if (!lcul_array_broadcast_strides(a, s.ndim, s.dims, v->strides)) {
    char from[160], to[160];
    lcul_misuse(L, "broadcast_to: shape %s does not broadcast to %s",
                lcul_shape_text(a->shape, a->ndim, from, sizeof from),
                lcul_shape_text(s.dims, s.ndim, to, sizeof to));
  }
  v->ndim = s.ndim;
  memcpy(v->shape, s.dims, (size_t)s.ndim * sizeof s.dims[0]);
  lcul_array_measure(v);
  return 1;
}


/* reshape */

static void mismatch (lua_State *L, const lcul_array *a, const lcul_shape *s) {
  char from[160], to[160];
  lcul_misuse(L, "reshape: an array of shape %s has %lld elements, which do not fill %s",
              lcul_shape_text(a->shape, a->ndim, from, sizeof from), (long long)a->size,
              lcul_shape_text(s->dims, s->ndim, to, sizeof to));
}

/* Replaces -1 with the extent that the others leave. */
static void resolve_rest (lua_State *L, const lcul_array *a, lcul_shape *s) {
  int rest = -1;
  int64_t others = 1;
  for (int i = 0; i < s->ndim; i++) {
    if (s->dims[i] == -1) rest = i;
    else if (s->dims[i] > 0 && others > INT64_MAX / s->dims[i]) mismatch(L, a, s);
    else others *= s->dims[i];
  }
  if (rest < 0) return;
  if (others == 0 || a->size % others != 0) mismatch(L, a, s);
  s->dims[rest] = a->size / others;
}

/* Drops axes of one element; returns the number of axes left. */
static int squeeze (const lcul_array *a, int64_t *dims, int64_t *strides) {
  int n = 0;
  for (int i = 0; i < a->ndim; i++) {
    if (a->shape[i] == 1) continue;
    dims[n] = a->shape[i];
    strides[n++] = a->strides[i];
  }
  return n;
}

/* Strides for the new shape over the same memory: runs of old axes whose elements follow each other
 * are matched with runs of new axes of as many elements. */
static bool reshape_strides (const lcul_array *a, const lcul_shape *s, int64_t *out) {
  int64_t dims[LCUL_MAX_DIMS], strides[LCUL_MAX_DIMS];
  int n = squeeze(a, dims, strides), old = 0, new = 0;
  while (old < n && new < s->ndim) {
    int old_end = old + 1, new_end = new + 1;
    int64_t have = dims[old], want = s->dims[new];
    while (have != want) {
      if (have < want && old_end < n) have *= dims[old_end++];
      else if (have > want && new_end < s->ndim) want *= s->dims[new_end++];
      else return false;
    }
    for (int i = old; i + 1 < old_end; i++)
      if (strides[i] != strides[i + 1] * dims[i + 1]) return false;
    int64_t stride = strides[old_end - 1];
    for (int i = new_end - 1; i >= new; i--) {
      out[i] = stride;
      stride *= s->dims[i];
    }
    old = old_end;
    new = new_end;
  }
  for (; new < s->ndim; new ++) out[new] = a->dtype->size; /* axes of one element at the end */
  return true;
}

static int array_reshape (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lcul_shape s;
  lcul_shape_args(L, "reshape", true, &s);
  resolve_rest(L, a, &s);
  if (!lcul_shape_measure(&s, a->dtype->size) || s.size != a->size) mismatch(L, a, &s);
  lcul_array *v = lcul_array_alias(L, 1, s.ndim);
  v->ndim = s.ndim;
  memcpy(v->shape, s.dims, (size_t)s.ndim * sizeof s.dims[0]);
  if (a->contiguous) lcul_array_set_rows(v);
  else if (!reshape_strides(a, &s, v->strides))
    no_view(L, "reshape", "the elements do not follow each other in memory");
  lcul_array_measure(v);
  return 1;
}


/* view */

static void check_view (lua_State *L, const lcul_array *a, const lcu_dtype *t) {
  int64_t address = (int64_t)a->block->address + a->offset;
  if (address % t->align != 0) no_view(L, "view", "the first element is not aligned for the dtype");
  for (int i = 0; i + 1 < a->ndim; i++)
    if (a->shape[i] > 1 && a->strides[i] % t->align != 0)
      no_view(L, "view", "the elements are not aligned for the dtype");
}

/* A different element size changes the last axis, which must not have gaps between elements. */
static void resize_last (lua_State *L, const lcul_array *a, const lcu_dtype *t, lcul_array *v) {
  int last = a->ndim - 1;
  if (last < 0) no_view(L, "view", "an array without axes keeps its element size");
  if (a->size > 0 && a->shape[last] > 1 && a->strides[last] != a->dtype->size)
    no_view(L, "view", "the last axis has gaps");
  int64_t bytes = a->shape[last] * a->dtype->size;
  if (bytes % t->size != 0)
    lcul_misuse(L, "view: %lld bytes of the last axis are not whole elements of %s",
                (long long)bytes, t->name);
  v->shape[last] = bytes / t->size;
  v->strides[last] = t->size;
}

static int array_view (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  if (lua_type(L, 2) == LUA_TTABLE || lua_type(L, 2) == LUA_TNUMBER)
    lcul_wrong_type(L, 2, "a dtype (a:reshape(shape) changes the axes)");
  lcul_check_most(L, 2);
  const lcu_dtype *t = lcul_dtype_check(L, 2);
  lcul_array *v = lcul_array_alias_as(L, 1, 0, t, 2);
  if (t->size != a->dtype->size) resize_last(L, a, t, v);
  if (a->size == 0) lcul_array_set_rows(v);
  else check_view(L, a, t);
  lcul_array_measure(v);
  return 1;
}

const luaL_Reg lcul_view_methods[] = { { "slice", array_slice },
                                       { "transpose", array_transpose },
                                       { "broadcast_to", array_broadcast_to },
                                       { "reshape", array_reshape },
                                       { "view", array_view },
                                       { NULL, NULL } };
