/* lcul_array_sequence.c: arange, linspace, logspace, eye: computed on the host, a block at a time,
 * then converted to the dtype. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_describe.h"
#include "lcul_maker.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_scalar.h"
#include "lcul_set.h"
#include "lcul_shape.h"

enum { SEQUENCE_PIECE = 1024 };

/* Element k of a sequence is first + k * step, exact for integers, in double for floats; the last
 * element of linspace is `last`. If the step underflows to 0, it is first + k / steps * width.
 * `whole`: rounded down, for integer elements. `powers`: of `base`; for integer elements they are
 * cut off after the point. All this is as in NumPy, except where ends are further apart than the
 * largest double. */
typedef struct sequence {
  bool integer, ends, whole, powers;
  int64_t i, istep;
  double d, dstep, last, width, steps, base;
  int64_t n;
} sequence;

static double number_at (const sequence *q, int64_t k) {
  if (isinf(q->width)) {
    double part = (double)k / q->steps;
    return q->d * (1 - part) + q->last * part;
  }
  bool underflows = q->dstep == 0 && q->width != 0;
  double d = q->d + (underflows ? (double)k / q->steps * q->width : (double)k * q->dstep);
  return isinf(d) ? fma((double)k, q->dstep, q->d) : d;
}

/* Makes elements of n numbers. */
static void finish (const sequence *q, double *x, int64_t n) {
  for (int64_t j = 0; q->powers && j < n; j++) x[j] = pow(q->base, x[j]);
  for (int64_t j = 0; q->whole && j < n; j++) x[j] = q->powers ? trunc(x[j]) : floor(x[j]);
}

static void store_sequence (const sequence *q, const lcu_dtype *t, char *out) {
  int64_t ints[SEQUENCE_PIECE];
  double doubles[SEQUENCE_PIECE];
  const lcu_dtype *from = &lcu_dtypes[q->integer ? LCU_INT64 : LCU_FLOAT64];
  for (int64_t k = 0; k < q->n; k += SEQUENCE_PIECE) {
    int64_t now = q->n - k < SEQUENCE_PIECE ? q->n - k : SEQUENCE_PIECE;
    for (int64_t j = 0; j < now; j++) {
      if (q->integer) ints[j] = (int64_t)((uint64_t)q->i + (uint64_t)(k + j) * (uint64_t)q->istep);
      else doubles[j] = number_at(q, k + j);
    }
    if (q->ends && k + now == q->n) doubles[now - 1] = q->last;
    finish(q, doubles, now);
    const void *src = q->integer ? (const void *)ints : (const void *)doubles;
    lcu_dtype_convert(t, out + k * t->size, t->size, from, src, 8, (size_t)now);
  }
}

static int push_sequence (lua_State *L, lcul_maker *m, const sequence *q) {
  lcul_shape s = { .ndim = 1, .dims = { q->n } };
  lcul_array *a = lcul_maker_push(L, m, &s);
  char *data = lcul_maker_open(L, m, a);
  store_sequence(q, m->dtype, data);
  lcul_maker_close(L, m, data);
  return 1;
}

static double number_arg (lua_State *L, int idx, const char *fn, const char *param) {
  char got[96];
  if (lua_type(L, idx) != LUA_TNUMBER)
    lcul_fail_arg(L, fn, idx, param, "expected a number, got %s",
                  lcul_describe(L, idx, got, sizeof got));
  double d = lua_tonumber(L, idx);
  if (isnan(d)) lcul_fail_arg(L, fn, idx, param, "expected a finite number, got nan");
  if (isinf(d)) lcul_fail_arg(L, fn, idx, param, "expected a finite number, got %g", d);
  return d;
}

/* If the dtype can hold both ends, it can hold all elements between them. */
static void check_ends (lua_State *L, const lcul_maker *m, const sequence *q) {
  lcu_scalar v;
  if (q->n > INT64_MAX / (int64_t)m->dtype->size)
    lcul_misuse(L, "%s: %" PRId64 " elements of %s are more than any memory holds", m->fn, q->n,
                m->dtype->name);
  char why[224];
  if (q->n == 0) return;
  for (int end = 0; end < 2; end++) {
    int64_t k = end ? q->n - 1 : 0;
    if (q->integer)
      lua_pushinteger(L, (lua_Integer)((uint64_t)q->i + (uint64_t)k * (uint64_t)q->istep));
    else {
      double d = q->ends && end ? q->last : number_at(q, k);
      finish(q, &d, 1);
      lua_pushnumber(L, d);
    }
    lcul_fit fit = lcul_scalar_get(L, -1, m->dtype, &v);
    if (fit != LCUL_FITS)
      lcul_misuse(L, "%s: %s", m->fn, lcul_scalar_why(L, -1, m->dtype, fit, why, sizeof why));
    lua_pop(L, 1);
  }
}

static void refuse_kinds (lua_State *L, const lcul_maker *m) {
  if (m->dtype->kind == LCU_KIND_BOOL || m->dtype->kind == LCU_KIND_STRUCT)
    lcul_misuse(L, "%s: expected a dtype of numbers, got %s", m->fn, m->dtype->name);
}

static bool is_whole (const lcu_dtype *t) {
  return t->kind == LCU_KIND_INT || t->kind == LCU_KIND_UINT;
}


/* ---- arange ---- */

static int64_t count_integers (int64_t first, int64_t stop, int64_t step) {
  if (step > 0 ? first >= stop : first <= stop) return 0;
  uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)first : (uint64_t)first - (uint64_t)stop;
  uint64_t width = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  uint64_t n = (span - 1) / width + 1;
  return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* How many arguments at the beginning are numbers. */
static int leading_numbers (lua_State *L, int most) {
  int n = 0;
  while (n < most && lua_type(L, n + 1) == LUA_TNUMBER) n++;
  return n;
}

static bool all_integers (lua_State *L, int n) {
  for (int i = 1; i <= n; i++)
    if (!lua_isinteger(L, i)) return false;
  return true;
}

static sequence integer_range (lua_State *L, int n) {
  int64_t first = n > 1 ? lua_tointeger(L, 1) : 0, stop = lua_tointeger(L, n > 1 ? 2 : 1),
          step = n > 2 ? lua_tointeger(L, 3) : 1;
  if (step == 0) lcul_fail_arg(L, "arange", 3, "step", "the step cannot be 0");
  return (
    sequence){ .integer = true, .i = first, .istep = step, .n = count_integers(first, stop, step) };
}

static sequence float_range (lua_State *L, int n) {
  double first = n > 1 ? number_arg(L, 1, "arange", "first") : 0;
  double stop = number_arg(L, n > 1 ? 2 : 1, "arange", "stop"),
         step = n > 2 ? number_arg(L, 3, "arange", "step") : 1;
  if (step == 0) lcul_fail_arg(L, "arange", 3, "step", "the step cannot be 0");
  double width = stop - first;
  double count = ceil(isinf(width) ? stop / step - first / step : width / step);
  if (count >= 0x1p62) lcul_misuse(L, "arange: %g elements are more than any memory holds", count);
  return (sequence){ .d = first, .dstep = step, .n = count > 0 ? (int64_t)count : 0 };
}

/* arange([first,] stop [, step] [, dtype] [, options]) */
static int core_arange (lua_State *L) {
  lcul_maker m = { .fn = "arange" };
  char got[96];
  int n = leading_numbers(L, 3);
  if (n == 0)
    return lcul_fail_arg(L, "arange", 1, "stop", "expected a number, got %s",
                         lcul_describe(L, 1, got, sizeof got));
  bool integers = all_integers(L, n);
  sequence q = integers ? integer_range(L, n) : float_range(L, n);
  lcul_maker_args(L, &m, n + 1, lcul_make_options, NULL);
  lcul_maker_default_dtype(&m, integers ? LCU_INT64 : LCU_FLOAT32);
  refuse_kinds(L, &m);
  if (is_whole(m.dtype) && !integers && (floor(q.d) != q.d || floor(q.dstep) != q.dstep))
    return lcul_misuse(L, "arange: steps with a fraction do not make %s elements", m.dtype->name);
  check_ends(L, &m, &q);
  return push_sequence(L, &m, &q);
}


/* ---- linspace and logspace ---- */

/* (first, last [, n] [, dtype] [, options]): n numbers (50), both ends included unless endpoint =
 * false */
static sequence read_spaced (lua_State *L, lcul_maker *m, const char *const options[]) {
  double first = number_arg(L, 1, m->fn, "first"), last = number_arg(L, 2, m->fn, "last");
  bool counted = lua_type(L, 3) == LUA_TNUMBER || lua_isnil(L, 3);
  lcul_maker_args(L, m, counted ? 4 : 3, options, NULL);
  int64_t n = lcul_count_arg(L, 3, m->fn, "n", m->opts, 50);
  lcul_maker_default_dtype(m, LCU_FLOAT32);
  refuse_kinds(L, m);
  bool ends = lcul_opt_bool(L, m->opts ? m->opts : lua_gettop(L) + 1, "endpoint", true);
  int64_t steps = ends ? n - 1 : n;
  return (sequence){ .d = first,
                     .dstep = steps > 0 ? (last - first) / (double)steps : 0,
                     .width = steps > 0 ? last - first : 0,
                     .steps = (double)steps,
                     .ends = ends && n > 1,
                     .whole = is_whole(m->dtype),
                     .last = last,
                     .n = n };
}

static const char *const linspace_options[] = { "device", "stream",   "out", "dtype",
                                                "ipc",    "endpoint", "n",   NULL };

static int core_linspace (lua_State *L) {
  lcul_maker m = { .fn = "linspace" };
  sequence q = read_spaced(L, &m, linspace_options);
  check_ends(L, &m, &q);
  return push_sequence(L, &m, &q);
}

static double base_option (lua_State *L, const lcul_maker *m) {
  char got[96];
  if (m->opts == 0 || !lcul_opt_push(L, m->opts, "base")) return 10;
  if (lua_type(L, -1) != LUA_TNUMBER)
    lcul_misuse(L, "%s: option 'base': expected a number, got %s", m->fn,
                lcul_describe(L, -1, got, sizeof got));
  double base = lua_tonumber(L, -1);
  if (!isfinite(base))
    lcul_misuse(L, "%s: option 'base': expected a finite number, got %s", m->fn,
                isnan(base) ? "nan" : "inf");
  lua_pop(L, 1);
  return base;
}

static const char *const logspace_options[] = { "device",   "stream", "out",  "dtype", "ipc",
                                                "endpoint", "n",      "base", NULL };

/* The powers base ^ x of the numbers x of linspace. */
static int core_logspace (lua_State *L) {
  lcul_maker m = { .fn = "logspace" };
  sequence q = read_spaced(L, &m, logspace_options);
  q.powers = true;
  q.base = base_option(L, &m);
  if (q.whole && q.base < 0 && (floor(q.d) != q.d || floor(q.dstep) != q.dstep))
    return lcul_misuse(L,
                       "logspace: exponents with a fraction of a negative base do not make %s "
                       "elements",
                       m.dtype->name);
  check_ends(L, &m, &q);
  return push_sequence(L, &m, &q);
}


/* ---- eye ---- */

static const char *const eye_options[] = { "device", "stream",  "out",    "dtype",
                                           "ipc",    "columns", "offset", NULL };

static void store_eye (const lcu_dtype *t, int64_t rows, int64_t columns, int64_t offset,
                       char *out) {
  char one[16];
  lcu_dtype_store(t, one, &(lcu_scalar){ .i = 1, .d = 1 });
  memset(out, 0, (size_t)(rows * columns) * t->size);
  for (int64_t i = 0; i < rows; i++) {
    if (offset > 0 && i >= columns - offset) break;
    if (i + offset >= 0 && i + offset < columns)
      memcpy(out + (i * columns + i + offset) * t->size, one, t->size);
  }
}

/* eye(n [, dtype] [, { columns =, offset = }]): ones on a diagonal */
static int core_eye (lua_State *L) {
  lcul_maker m = { .fn = "eye" };
  int64_t n = lcul_integer_arg(L, 1, m.fn, 1, "n");
  if (n < 0) return lcul_fail_arg(L, m.fn, 1, "n", "an axis cannot have %" PRId64 " elements", n);
  lcul_maker_args(L, &m, 2, eye_options, NULL);
  lcul_maker_default_dtype(&m, LCU_FLOAT32);
  if (m.dtype->kind == LCU_KIND_STRUCT) return lcul_misuse(L, "eye: a struct dtype has no value 1");
  int opts = m.opts ? m.opts : lua_gettop(L) + 1;
  int64_t columns = lcul_opt_integer(L, opts, "columns", n, 0, INT64_MAX), most = (int64_t)1 << 62;
  int64_t offset = lcul_opt_integer(L, opts, "offset", 0, -most, most);
  lcul_shape s = { .ndim = 2, .dims = { n, columns } };
  lcul_array *a = lcul_maker_push(L, &m, &s);
  char *data = lcul_maker_open(L, &m, a);
  if (a->size > 0) store_eye(m.dtype, n, columns, offset, data);
  lcul_maker_close(L, &m, data);
  return 1;
}

void lcul_open_array_sequence (lua_State *L) {
  static const luaL_Reg functions[] = { { "arange", core_arange },
                                        { "linspace", core_linspace },
                                        { "logspace", core_logspace },
                                        { "eye", core_eye },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
