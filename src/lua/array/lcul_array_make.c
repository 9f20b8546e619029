/* lcul_array_make.c: functions that make arrays: core.array, empty, zeros, ones, full, arange,
 * linspace, eye, *_like. */
#include "lcul_array_impl.h"
#include "lcul_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The arguments every maker takes behind its own: [dtype] [, options]. */

typedef struct maker {
  const char *fn;
  const lcu_dtype *dtype; /* NULL: not given */
  int dtype_idx;          /* stack index of the dtype, or of an array that has it */
  int opts;               /* stack index of the options, or 0 */
  lcu_device *device;
  lcu_stream *stream;
  bool out; /* option out: the array at out_idx is filled */
  int out_idx;
} maker;

static const char *const make_options[] = { "device", "stream", "out", "dtype", NULL };
static const char *const array_options[] = { "device", "stream", "out", "dtype", "shape", NULL };
static const char *const linspace_options[] = {
  "device", "stream", "out", "dtype", "endpoint", NULL
};
static const char *const eye_options[] = { "device",  "stream", "out", "dtype",
                                           "columns", "offset", NULL };

static bool is_dtype (lua_State *L, int idx) {
  return lua_type(L, idx) == LUA_TSTRING ||
         (lua_type(L, idx) == LUA_TUSERDATA && lcul_test(L, idx, LCUL_STRUCT));
}

/* A number where the dtype belongs: somebody spelled the shape as several arguments. */
static void fail_dtype (lua_State *L, const maker *m, int idx) {
  char got[96];
  if (lua_type(L, idx) == LUA_TNUMBER && lua_type(L, 1) == LUA_TNUMBER && idx == 2)
    lcul_fail_arg(L, m->fn, idx, "dtype",
                  "expected a dtype, got a number; a shape of several axes is a list: {%lld, %lld}",
                  (long long)lua_tonumber(L, 1), (long long)lua_tonumber(L, 2));
  lcul_fail_arg(L, m->fn, idx, "dtype", "expected a dtype or a table of options, got %s",
                lcul_describe(L, idx, got, sizeof got));
}

static void read_dtype (lua_State *L, maker *m, int idx) {
  m->dtype = lcul_dtype_check(L, idx);
  m->dtype_idx = idx;
}

/* The option dtype, moved to the stack's end. */
static void option_dtype (lua_State *L, maker *m) {
  if (lua_getfield(L, m->opts, "dtype") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  if (m->dtype) lcul_misuse(L, "%s: the dtype is given twice", m->fn);
  if (!is_dtype(L, -1))
    lcul_misuse(L, "%s: option 'dtype': expected a dtype, got %s", m->fn, luaL_typename(L, -1));
  read_dtype(L, m, lua_gettop(L));
}

static void option_out (lua_State *L, maker *m) {
  char got[96];
  if (lua_getfield(L, m->opts, "out") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  if (!lcul_array_test(L, -1))
    lcul_misuse(L, "%s: option 'out': expected Array, got %s", m->fn,
                lcul_describe(L, -1, got, sizeof got));
  m->out = true;
  const lcul_array *o = lcul_array_check(L, -1);
  m->out_idx = lua_gettop(L);
  m->device = o->block->device;
  if (m->dtype) return;
  m->dtype = o->dtype; /* what is filled says what with */
  m->dtype_idx = m->out_idx;
}

/* Option device beside out: the two must agree. */
static void check_out_device (lua_State *L, const maker *m) {
  if (lua_getfield(L, m->opts, "device") != LUA_TNIL && lcul_device_arg(L, -1) != m->device)
    lcul_misuse(L, "%s: option 'out': the array lives on %s, option 'device' names another", m->fn,
                m->device->label);
}

/* Again after whatever may run the caller's code: that may close streams, and make another one
 * current. */
static void find_stream (lua_State *L, maker *m) {
  m->stream = lcul_work_stream(L, m->opts, m->device);
}

/* The device: that of out, of the option, of the stream, of the model, or the current one. */
static void choose_device (lua_State *L, maker *m, lcu_device *model) {
  if (m->out) check_out_device(L, m);
  else if (m->opts && lua_getfield(L, m->opts, "device") != LUA_TNIL)
    m->device = lcul_device_arg(L, -1);
  else if (m->opts && !m->device && lua_getfield(L, m->opts, "stream") != LUA_TNIL &&
           lcul_test(L, -1, LCUL_STREAM))
    m->device = lcul_stream_check(L, -1)->device;
  if (!m->device) m->device = model ? model : lcul_device_current(L);
  find_stream(L, m);
}

/* [dtype] [, options] from stack index idx on. Values the options hold are left on the stack. */
static void maker_args (lua_State *L, maker *m, int idx, const char *const names[],
                        lcu_device *model) {
  if (is_dtype(L, idx)) read_dtype(L, m, idx++);
  else if (lua_isnil(L, idx) && lua_gettop(L) > idx) idx++;
  if (!lua_isnoneornil(L, idx)) {
    if (lua_type(L, idx) != LUA_TTABLE) fail_dtype(L, m, idx);
    lcul_options(L, idx, m->fn, names);
    m->opts = idx;
  }
  if (lua_gettop(L) > idx) {
    lua_settop(L, idx + 1);
    lcul_misuse(L, "%s: too many arguments (%d)", m->fn, idx + 1);
  }
  lua_settop(L, idx);
  if (m->opts) {
    option_dtype(L, m);
    option_out(L, m);
  }
  choose_device(L, m, model);
}

static void default_dtype (maker *m, lcu_dtype_id id) {
  if (!m->dtype) m->dtype = &lcu_dtypes[id];
}

static lcul_array *check_out (lua_State *L, const maker *m, const lcul_shape *s) {
  char want[160], got[160];
  lcul_array *o = lcul_array_check(L, m->out_idx);
  bool same =
    o->ndim == s->ndim && memcmp(o->shape, s->dims, (size_t)s->ndim * sizeof s->dims[0]) == 0;
  if (o->dtype->id != m->dtype->id || !same ||
      (o->dtype->kind == LCU_KIND_STRUCT && o->dtype != m->dtype))
    lcul_misuse(L, "%s: option 'out': expected Array %s %s, got %s", m->fn, m->dtype->name,
                lcul_shape_text(s->dims, s->ndim, want, sizeof want),
                lcul_describe(L, m->out_idx, got, sizeof got));
  return o;
}

/* Pushes the array to fill: `out`, or a new one. */
static lcul_array *push_target (lua_State *L, maker *m, lcul_shape *s) {
  lcul_shape_measure_arg(L, s, m->dtype, m->fn, 1);
  find_stream(L, m); /* other options may have run metamethods */
  if (!m->out) return lcul_array_make(L, m->device, m->stream, m->dtype, m->dtype_idx, s);
  lcul_array *o = check_out(L, m, s);
  lua_pushvalue(L, m->out_idx);
  return o;
}

/* Where contents are to be made: the array's own memory where the host can write it and nobody else
 * sees it yet, else scratch memory, which is pushed. */
static char *open_target (lua_State *L, const maker *m, const lcul_array *a) {
  if (!m->out && a->size > 0 && lcul_array_is_host(a)) {
    lcul_status(L, lcu_block_wait(a->block, true));
    lua_pushnil(L);
    return lcul_block_host(a->block) + a->offset;
  }
  return lcul_scratch(L, (size_t)a->size * a->dtype->size);
}

/* The array is below what open_target pushed, which goes. */
static void close_target (lua_State *L, maker *m, const char *data) {
  int at = lua_gettop(L) - 1;
  if (!lua_isnil(L, -1)) find_stream(L, m);
  /* again: a metamethod of the data may have closed `out` */
  lcul_array *a = lcul_array_check(L, at);
  if (!lua_isnil(L, -1)) {
    if (a->size == 0) (void)0;
    else if (a->contiguous) lcul_array_store(L, at, data, m->stream, m->fn);
    else {
      lcul_shape s;
      lcul_array_shape_of(a, &s);
      (void)lcul_array_make(L, m->device, m->stream, a->dtype, at, &s);
      lcul_array_store(L, lua_gettop(L), data, m->stream, m->fn);
      lcul_array_assign(L, at, -1, m->stream, m->fn);
      lua_pop(L, 1);
    }
    lcul_scratch_free(L, at + 1);
  }
  lua_settop(L, at);
}


/* empty, zeros, ones, full */

/* element NULL: the contents stay undefined. */
static int finish_filled (lua_State *L, maker *m, lcul_shape *s, const void *element) {
  (void)push_target(L, m, s);
  if (element) lcul_array_fill_element(L, lua_gettop(L), element, m->stream, m->fn);
  return 1;
}

static void one_of (lua_State *L, const maker *m, char element[16]) {
  lcu_scalar one = { .i = 1, .d = 1, .im = 0 };
  if (m->dtype->kind == LCU_KIND_STRUCT) lcul_misuse(L, "%s: a struct has no one; use full", m->fn);
  lcu_dtype_store(m->dtype, element, &one);
}

/* A zero of any dtype: structs may be larger than any buffer of ours. */
static const void *zero_of (lua_State *L, const lcu_dtype *t) {
  void *p = lua_newuserdatauv(L, t->size, 0);
  memset(p, 0, t->size);
  return p;
}

static int make_shape (lua_State *L, maker *m, lcul_shape *s) {
  lcul_shape_check(L, 1, m->fn, 1, false, s);
  maker_args(L, m, 2, make_options, NULL);
  default_dtype(m, LCU_FLOAT32);
  return 1;
}

static int core_empty (lua_State *L) {
  maker m = { .fn = "empty" };
  lcul_shape s;
  make_shape(L, &m, &s);
  return finish_filled(L, &m, &s, NULL);
}

static int core_zeros (lua_State *L) {
  maker m = { .fn = "zeros" };
  lcul_shape s;
  make_shape(L, &m, &s);
  return finish_filled(L, &m, &s, zero_of(L, m.dtype));
}

static int core_ones (lua_State *L) {
  maker m = { .fn = "ones" };
  lcul_shape s;
  char element[16];
  make_shape(L, &m, &s);
  one_of(L, &m, element);
  return finish_filled(L, &m, &s, element);
}

/* The dtype a value asks for by itself. */
static void dtype_of_value (lua_State *L, maker *m, int idx) {
  if (m->dtype) return;
  const lcul_typed *v = lcul_test(L, idx, LCUL_SCALAR);
  if (v) m->dtype = v->dtype;
  else if (lua_type(L, idx) == LUA_TBOOLEAN) m->dtype = &lcu_dtypes[LCU_BOOL];
  else if (lcul_test(L, idx, LCUL_COMPLEX)) m->dtype = &lcu_dtypes[LCU_COMPLEX64];
  else m->dtype = &lcu_dtypes[LCU_FLOAT32];
}

/* An element of the dtype from the value at idx, in a userdata left on the stack. A dtype that was
 * not given must hold integers exactly. */
static const void *value_element (lua_State *L, const maker *m, bool guessed, int idx,
                                  const char *param) {
  if (guessed && m->dtype->id == LCU_FLOAT32 && lua_isinteger(L, idx)) {
    int64_t i = lua_tointeger(L, idx);
    if ((double)(float)i != (double)i || (int64_t)(double)i != i)
      lcul_fail_arg(L, m->fn, idx, param,
                    "float32, the default, cannot hold the integer %" PRId64
                    "; give a dtype, such as \"int64\" or \"float64\"",
                    i);
  }
  void *p = lua_newuserdatauv(L, m->dtype->size, 0);
  lcul_element_get(L, idx, m->dtype, p, m->fn, idx, param);
  return p;
}

static int core_full (lua_State *L) {
  maker m = { .fn = "full" };
  lcul_shape s;
  lcul_shape_check(L, 1, m.fn, 1, false, &s);
  lcul_check_any(L, 2);
  maker_args(L, &m, 3, make_options, NULL);
  bool guessed = m.dtype == NULL;
  dtype_of_value(L, &m, 2);
  return finish_filled(L, &m, &s, value_element(L, &m, guessed, 2, "value"));
}


/* *_like: shape, dtype and device of another array */

static const lcul_array *like_args (lua_State *L, maker *m, int idx, lcul_shape *s) {
  const lcul_array *a = lcul_array_check(L, 1);
  maker_args(L, m, idx, make_options, a->block->device);
  if (!m->dtype) {
    m->dtype = a->dtype;
    m->dtype_idx = 1;
  }
  lcul_array_shape_of(a, s);
  return a;
}

static int core_empty_like (lua_State *L) {
  maker m = { .fn = "empty_like" };
  lcul_shape s;
  like_args(L, &m, 2, &s);
  return finish_filled(L, &m, &s, NULL);
}

static int core_zeros_like (lua_State *L) {
  maker m = { .fn = "zeros_like" };
  lcul_shape s;
  like_args(L, &m, 2, &s);
  return finish_filled(L, &m, &s, zero_of(L, m.dtype));
}

static int core_ones_like (lua_State *L) {
  maker m = { .fn = "ones_like" };
  lcul_shape s;
  char element[16];
  like_args(L, &m, 2, &s);
  one_of(L, &m, element);
  return finish_filled(L, &m, &s, element);
}

static int core_full_like (lua_State *L) {
  maker m = { .fn = "full_like" };
  lcul_shape s;
  (void)lcul_array_check(L, 1);
  lcul_check_any(L, 2);
  like_args(L, &m, 3, &s);
  return finish_filled(L, &m, &s, value_element(L, &m, false, 2, "value"));
}


/* arange, linspace, eye: computed here, a block at a time, through the conversion of dtypes. */

enum { PIECE = 1024 };

/* A sequence: integers exactly, floats in double; element k is first + k * step, the last one of
 * linspace is `last`. `whole`: rounded down, for integer elements, as NumPy does. */
typedef struct sequence {
  bool integer, ends, whole;
  int64_t i, istep;
  double d, dstep, last;
  int64_t n;
} sequence;

static void store_sequence (const sequence *q, const lcu_dtype *t, char *out) {
  int64_t ints[PIECE];
  double doubles[PIECE];
  const lcu_dtype *from = &lcu_dtypes[q->integer ? LCU_INT64 : LCU_FLOAT64];
  for (int64_t k = 0; k < q->n; k += PIECE) {
    int64_t now = q->n - k < PIECE ? q->n - k : PIECE;
    for (int64_t j = 0; j < now; j++) {
      if (q->integer) ints[j] = (int64_t)((uint64_t)q->i + (uint64_t)(k + j) * (uint64_t)q->istep);
      else doubles[j] = q->d + (double)(k + j) * q->dstep;
    }
    if (q->ends && k + now == q->n) doubles[now - 1] = q->last;
    for (int64_t j = 0; q->whole && j < now; j++) doubles[j] = floor(doubles[j]);
    const void *src = q->integer ? (const void *)ints : (const void *)doubles;
    lcu_dtype_convert(t, out + k * t->size, t->size, from, src, 8, (size_t)now);
  }
}

static int push_sequence (lua_State *L, maker *m, const sequence *q) {
  lcul_shape s = { .ndim = 1, .dims = { q->n } };
  lcul_array *a = push_target(L, m, &s);
  char *data = open_target(L, m, a);
  store_sequence(q, m->dtype, data);
  close_target(L, m, data);
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

static int64_t count_integers (int64_t first, int64_t stop, int64_t step) {
  if (step > 0 ? first >= stop : first <= stop) return 0;
  uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)first : (uint64_t)first - (uint64_t)stop;
  uint64_t width = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  uint64_t n = (span - 1) / width + 1;
  return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* Both ends must be elements of the dtype: then all between are. */
static void check_ends (lua_State *L, const maker *m, const sequence *q) {
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
      double d = q->ends && end ? q->last : q->d + (double)k * q->dstep;
      lua_pushnumber(L, q->whole ? floor(d) : d);
    }
    lcul_fit fit = lcul_scalar_get(L, -1, m->dtype, &v);
    if (fit != LCUL_FITS)
      lcul_misuse(L, "%s: %s", m->fn, lcul_scalar_why(L, -1, m->dtype, fit, why, sizeof why));
    lua_pop(L, 1);
  }
}

static void refuse_kinds (lua_State *L, const maker *m) {
  if (m->dtype->kind == LCU_KIND_BOOL || m->dtype->kind == LCU_KIND_STRUCT)
    lcul_misuse(L, "%s: %s has no such sequence", m->fn, m->dtype->name);
}

static bool is_whole (const lcu_dtype *t) {
  return t->kind == LCU_KIND_INT || t->kind == LCU_KIND_UINT;
}

/* Number of leading numbers among the arguments. */
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
  double count = ceil((stop - first) / step);
  if (count >= 0x1p62) lcul_misuse(L, "arange: %g elements are more than any memory holds", count);
  return (sequence){ .d = first, .dstep = step, .n = count > 0 ? (int64_t)count : 0 };
}

/* arange([first,] stop [, step] [, dtype] [, options]) */
static int core_arange (lua_State *L) {
  maker m = { .fn = "arange" };
  char got[96];
  int n = leading_numbers(L, 3);
  if (n == 0)
    return lcul_fail_arg(L, "arange", 1, "stop", "expected a number, got %s",
                         lcul_describe(L, 1, got, sizeof got));
  bool integers = all_integers(L, n);
  sequence q = integers ? integer_range(L, n) : float_range(L, n);
  maker_args(L, &m, n + 1, make_options, NULL);
  default_dtype(&m, integers ? LCU_INT64 : LCU_FLOAT32);
  refuse_kinds(L, &m);
  if (is_whole(m.dtype) && !integers && (floor(q.d) != q.d || floor(q.dstep) != q.dstep))
    return lcul_misuse(L, "arange: steps with a fraction do not make %s elements", m.dtype->name);
  check_ends(L, &m, &q);
  return push_sequence(L, &m, &q);
}

/* linspace(first, last [, n] [, dtype] [, options]): n numbers (50), both ends included unless
 * endpoint = false */
static int core_linspace (lua_State *L) {
  maker m = { .fn = "linspace" };
  double first = number_arg(L, 1, m.fn, "first"), last = number_arg(L, 2, m.fn, "last");
  bool counted = lua_type(L, 3) == LUA_TNUMBER;
  int64_t n = counted ? lcul_integer_arg(L, 3, m.fn, 3, "n") : 50;
  if (n < 0) return lcul_fail_arg(L, m.fn, 3, "n", "expected 0 or more, got %" PRId64, n);
  maker_args(L, &m, counted ? 4 : 3, linspace_options, NULL);
  default_dtype(&m, LCU_FLOAT32);
  refuse_kinds(L, &m);
  bool ends = lcul_opt_bool(L, m.opts ? m.opts : lua_gettop(L) + 1, "endpoint", true);
  int64_t steps = ends ? n - 1 : n;
  sequence q = { .d = first,
                 .dstep = steps > 0 ? (last - first) / (double)steps : 0,
                 .ends = ends && n > 1,
                 .last = last,
                 .n = n };
  q.whole = is_whole(m.dtype);
  check_ends(L, &m, &q);
  return push_sequence(L, &m, &q);
}

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
  maker m = { .fn = "eye" };
  int64_t n = lcul_integer_arg(L, 1, m.fn, 1, "n");
  if (n < 0) return lcul_fail_arg(L, m.fn, 1, "n", "an axis cannot have %" PRId64 " elements", n);
  maker_args(L, &m, 2, eye_options, NULL);
  default_dtype(&m, LCU_FLOAT32);
  if (m.dtype->kind == LCU_KIND_STRUCT) return lcul_misuse(L, "eye: a struct has no one");
  int opts = m.opts ? m.opts : lua_gettop(L) + 1;
  int64_t columns = lcul_opt_integer(L, opts, "columns", n, 0, INT64_MAX), most = (int64_t)1 << 62;
  int64_t offset = lcul_opt_integer(L, opts, "offset", 0, -most, most);
  lcul_shape s = { .ndim = 2, .dims = { n, columns } };
  lcul_array *a = push_target(L, &m, &s);
  char *data = open_target(L, &m, a);
  if (a->size > 0) store_eye(m.dtype, n, columns, offset, data);
  close_target(L, &m, data);
  return 1;
}


/* array(data [, dtype] [, options]) */

/* cuda.array{ 1, 2, dtype = "int32" }: options among the data would be lost. */
static void refuse_options (lua_State *L, const maker *m) {
  for (size_t i = 0; array_options[i]; i++) {
    lua_pushstring(L, array_options[i]);
    if (lua_rawget(L, 1) != LUA_TNIL)
      lcul_fail_arg(L, m->fn, 1, "data",
                    "'%s' stands among the elements; options are a table of their own: array(data, "
                    "{ %s = ... })",
                    array_options[i], array_options[i]);
    lua_pop(L, 1);
  }
}

static int from_table (lua_State *L, maker *m) {
  lcul_shape s;
  const lcu_dtype *guess = NULL;
  bool guessed = m->dtype == NULL;
  if (guessed || m->dtype->kind != LCU_KIND_STRUCT) refuse_options(L, m);
  lcul_table_shape(L, 1, m->dtype, m->fn, 1, &s, &guess);
  if (guessed) m->dtype = guess;
  lcul_array *a = push_target(L, m, &s);
  char *data = open_target(L, m, a);
  lcul_table_store(L, 1, &s, m->dtype, data, m->fn, 1, guessed);
  close_target(L, m, data);
  return 1;
}

/* Option shape, for bytes; -1 stands for what the rest leaves. */
static void bytes_shape (lua_State *L, const maker *m, int64_t n, lcul_shape *s) {
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

static int from_bytes (lua_State *L, maker *m) {
  size_t len;
  lcul_shape s;
  const char *bytes = lua_tolstring(L, 1, &len);
  if (!m->dtype)
    return lcul_fail_arg(L, m->fn, 2, "dtype", "bytes need a dtype, such as \"uint8\"");
  if (len % m->dtype->size != 0)
    return lcul_fail_arg(L, m->fn, 1, "data", "%zu bytes are not whole elements of %s (%u bytes)",
                         len, m->dtype->name, m->dtype->size);
  bytes_shape(L, m, (int64_t)(len / m->dtype->size), &s);
  lcul_array *a = push_target(L, m, &s);
  char *data = open_target(L, m, a);
  if (len > 0) memcpy(data, bytes, len);
  close_target(L, m, data);
  return 1;
}

static int from_array (lua_State *L, maker *m) {
  lcul_shape s;
  const lcul_array *a = lcul_array_check(L, 1);
  if (!m->dtype) {
    m->dtype = a->dtype;
    m->dtype_idx = 1;
  }
  lcul_array_shape_of(a, &s);
  lcul_array *o = push_target(L, m, &s);
  /* again: it may have been closed */
  lcu_device *work = lcul_work_device(o, lcul_array_check(L, 1));
  lcu_stream *stream = work == m->device ? m->stream : lcul_stream_current(L, work);
  lcul_array_assign(L, lua_gettop(L), 1, stream, m->fn);
  return 1;
}

static int from_value (lua_State *L, maker *m) {
  lcul_shape s = { .ndim = 0 };
  bool guessed = m->dtype == NULL;
  dtype_of_value(L, m, 1);
  return finish_filled(L, m, &s, value_element(L, m, guessed, 1, "data"));
}

/* Anything but bytes has its shape from the data; option shape must agree in size and is laid over
 * it. */
static int with_shape (lua_State *L, const maker *m) {
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
  maker m = { .fn = "array" };
  char got[96];
  lcul_check_any(L, 1);
  lcul_dims_plain(L, 1);
  if (lcul_array_test(L, 1)) (void)lcul_array_check(L, 1);
  maker_args(L, &m, 2, array_options, NULL);
  luaL_checkstack(L, 32, m.fn);
  switch (lua_type(L, 1)) {
    case LUA_TTABLE: from_table(L, &m); return with_shape(L, &m);
    case LUA_TSTRING: return from_bytes(L, &m);
    case LUA_TNUMBER:
    case LUA_TBOOLEAN: return from_value(L, &m);
    default: break;
  }
  if (lcul_array_test(L, 1)) {
    from_array(L, &m);
    return with_shape(L, &m);
  }
  if (lcul_test(L, 1, LCUL_COMPLEX) || lcul_test(L, 1, LCUL_SCALAR)) return from_value(L, &m);
  return lcul_fail_arg(L, m.fn, 1, "data", "expected a table, an Array, bytes or a number, got %s",
                       lcul_describe(L, 1, got, sizeof got));
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

const luaL_Reg lcul_make_functions[] = { { "shape_list", core_shape_list },
                                         { "array", core_array },
                                         { "empty", core_empty },
                                         { "zeros", core_zeros },
                                         { "ones", core_ones },
                                         { "full", core_full },
                                         { "arange", core_arange },
                                         { "linspace", core_linspace },
                                         { "eye", core_eye },
                                         { "empty_like", core_empty_like },
                                         { "zeros_like", core_zeros_like },
                                         { "ones_like", core_ones_like },
                                         { "full_like", core_full_like },
                                         { NULL, NULL } };
