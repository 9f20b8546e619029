/* lcul_shape.c: shapes: read from Lua, measured, and as text. */
#include "lcul_shape.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_describe.h"
#include "lcul_dims.h"
#include "lcul_list.h"
#include "lcul_option.h"
#include "lcul_position.h"

lua_Integer lcul_integer_arg (lua_State *L, int idx, const char *fn, int arg, const char *param) {
  lua_Integer i = 0;
  char text[96];
  if (!lcul_to_integer(L, idx, &i))
    lcul_fail_arg(L, fn, arg, param, "expected an integer, got %s",
                  lcul_describe_value(L, idx, text, sizeof text));
  return i;
}

int64_t lcul_count_arg (lua_State *L, int idx, const char *fn, const char *param, int opts,
                        int64_t def) {
  bool given = lua_type(L, idx) == LUA_TNUMBER, named = opts != 0 && lcul_opt_push(L, opts, param);
  if (named) lua_pop(L, 1);
  if (given && named)
    lcul_misuse(L, "%s: '%s' is given twice, as argument %d and as an option", fn, param, idx);
  if (!given) return named ? lcul_opt_integer(L, opts, param, def, 0, INT64_MAX) : def;
  lua_Integer n = lcul_integer_arg(L, idx, fn, idx, param);
  if (n < 0) lcul_fail_arg(L, fn, idx, param, "expected 0 or more, got %" PRId64, (int64_t)n);
  return n;
}

int64_t lcul_index_norm (lua_Integer i, int64_t n) {
  if (i < 0 && i >= -n) return i + n;
  return i >= 1 && i <= n ? i - 1 : -1;
}


/* ---- shapes ---- */

static void add_dim (lua_State *L, int idx, const char *fn, int arg, bool allow_rest,
                     lcul_shape *out) {
  char text[96];
  lua_Integer n = 0;
  if (!lcul_to_integer(L, idx, &n))
    lcul_fail_arg(L, fn, arg, "shape", "expected an integer, got %s",
                  lcul_describe_value(L, idx, text, sizeof text));
  if (n < 0 && !(allow_rest && n == -1))
    lcul_fail_arg(L, fn, arg, "shape", "an axis cannot have %" PRId64 " elements", (int64_t)n);
  out->dims[out->ndim++] = n;
}

/* Does the function take options after the shape? Then named values in the shape are likely
 * options. */
static bool takes_options (const char *fn) {
  static const char *const without[] = { "reshape", "broadcast_to", "array" };
  for (size_t i = 0; i < lcu_arraylen(without); i++)
    if (strcmp(fn, without[i]) == 0) return false;
  return true;
}

static void fail_list (lua_State *L, int idx, const char *fn, int arg) {
  char what[96];
  snprintf(what, sizeof what, "%s: argument %d 'shape'", fn, arg);
  lcul_list_fail(L, idx, what, takes_options(fn) ? fn : NULL);
}

static void check_count (lua_State *L, lua_Integer n, const char *fn, int arg) {
  if (n > LCUL_MAX_DIMS)
    lcul_fail_arg(L, fn, arg, "shape", "%lld axes are too many (at most %d)", (long long)n,
                  LCUL_MAX_DIMS);
}

static void list_shape (lua_State *L, int idx, const char *fn, int arg, bool allow_rest,
                        lcul_shape *out) {
  lua_Integer n;
  if (!lcul_list_length(L, idx, &n)) fail_list(L, idx, fn, arg);
  check_count(L, n, fn, arg);
  for (lua_Integer i = 1; i <= n; i++) {
    lua_geti(L, idx, i);
    add_dim(L, -1, fn, arg, allow_rest, out);
    lua_pop(L, 1);
  }
}

static void copy_dims (const lcul_dims *d, lcul_shape *out) {
  out->ndim = d->n;
  memcpy(out->dims, d->value, (size_t)d->n * sizeof d->value[0]);
}

static void check_one_rest (lua_State *L, const char *fn, int arg, const lcul_shape *s) {
  int rest = 0;
  for (int i = 0; i < s->ndim; i++) rest += s->dims[i] == -1;
  if (rest > 1) lcul_fail_arg(L, fn, arg, "shape", "only one axis can be -1");
}

void lcul_shape_check (lua_State *L, int idx, const char *fn, int arg, bool allow_rest,
                       lcul_shape *out) {
  out->ndim = 0;
  out->size = 0;
  idx = lua_absindex(L, idx);
  const lcul_dims *d = lcul_dims_test(L, idx);
  if (d != NULL) copy_dims(d, out);
  else if (lua_type(L, idx) == LUA_TTABLE) list_shape(L, idx, fn, arg, allow_rest, out);
  else if (lua_type(L, idx) == LUA_TNUMBER) add_dim(L, idx, fn, arg, allow_rest, out);
  else {
    char text[96];
    lcul_fail_arg(L, fn, arg, "shape", "expected an integer or a list of integers, got %s",
                  lcul_describe(L, idx, text, sizeof text));
  }
  check_one_rest(L, fn, arg, out);
}

void lcul_shape_args (lua_State *L, const char *fn, bool allow_rest, lcul_shape *out) {
  int n = lua_gettop(L) - 1;
  if (n < 2) {
    lcul_shape_check(L, 2, fn, 1, allow_rest, out);
    return;
  }
  lcul_list_alone(L, fn, "shape", "extents");
  out->ndim = 0;
  out->size = 0;
  check_count(L, n, fn, 1);
  for (int i = 1; i <= n; i++) add_dim(L, i + 1, fn, i, allow_rest, out);
  check_one_rest(L, fn, 1, out);
}

bool lcul_shape_measure (lcul_shape *s, uint32_t element_size) {
  /* without zeros, because the strides must also fit */
  int64_t extent = 1;
  bool empty = false;
  for (int i = 0; i < s->ndim; i++) {
    empty = empty || s->dims[i] == 0;
    if (s->dims[i] > 0 && extent > INT64_MAX / s->dims[i]) return false;
    if (s->dims[i] > 0) extent *= s->dims[i];
  }
  s->size = empty ? 0 : extent;
  return extent <= INT64_MAX / (int64_t)element_size;
}

void lcul_shape_measure_arg (lua_State *L, lcul_shape *s, const lcu_dtype *t, const char *fn,
                             int arg) {
  char text[160];
  if (!lcul_shape_measure(s, t->size))
    lcul_fail_arg(L, fn, arg, "shape", "%s of %s is more than any memory holds",
                  lcul_shape_text(s->dims, s->ndim, text, sizeof text), t->name);
}

const char *lcul_shape_text (const int64_t *dims, int ndim, char *buf, size_t size) {
  size_t at = 0;
  buf[at++] = '{';
  for (int i = 0; i < ndim && at + 32 < size; i++)
    at += (size_t)snprintf(buf + at, size - at, "%s%" PRId64, i ? ", " : "", dims[i]);
  snprintf(buf + at, size - at, "}");
  return buf;
}
