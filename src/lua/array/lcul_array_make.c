/* lcul_array_make.c: empty, zeros, ones, full, and their *_like variants. */
#include <string.h>

#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_dtype.h"
#include "lcul_foreign.h"
#include "lcul_maker.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_shape.h"
#include "lcul_stream.h"

static void one_of (lua_State *L, const lcul_maker *m, char element[16]) {
  lcu_scalar one = { .i = 1, .d = 1, .im = 0 };
  if (m->dtype->kind == LCU_KIND_STRUCT)
    lcul_misuse(L, "%s: a struct dtype has no value 1; use full", m->fn);
  lcu_dtype_store(m->dtype, element, &one);
}

/* A zero of any dtype, in a userdata because structs may be large. */
static const void *zero_of (lua_State *L, const lcu_dtype *t) {
  void *p = lua_newuserdatauv(L, t->size, 0);
  memset(p, 0, t->size);
  return p;
}


/* ---- of a shape ---- */

static int make_shape (lua_State *L, lcul_maker *m, lcul_shape *s) {
  lcul_shape_check(L, 1, m->fn, 1, false, s);
  lcul_maker_args(L, m, 2, lcul_make_options, NULL);
  lcul_maker_default_dtype(m, LCU_FLOAT32);
  return 1;
}

/* Option `reserve`: the first extent that the array may grow to; 0: it does not grow. */
static int64_t reserve_option (lua_State *L, const lcul_maker *m, const lcul_shape *s) {
  if (m->opts == 0) return 0;
  int64_t rows =
    lcul_opt_integer(L, m->opts, "reserve", 0, s->ndim > 0 ? s->dims[0] : 0, INT64_MAX);
  if (lua_getfield(L, m->opts, "reserve") == LUA_TNIL) rows = 0;
  else if (s->ndim == 0) lcul_misuse(L, "empty: option 'reserve' needs a shape with an axis");
  else if (m->out) lcul_misuse(L, "empty: options 'reserve' and 'out' exclude each other");
  else if (m->ipc) lcul_misuse(L, "empty: options 'reserve' and 'ipc' exclude each other");
  else if (rows == 0) lcul_misuse(L, "empty: option 'reserve': expected 1 or more");
  lua_pop(L, 1);
  return rows;
}

static int core_empty (lua_State *L) {
  static const char *const names[] = { "device", "stream", "out", "dtype", "ipc", "reserve", NULL };
  lcul_maker m = { .fn = "empty" };
  lcul_shape s;
  lcul_shape_check(L, 1, m.fn, 1, false, &s);
  lcul_maker_args(L, &m, 2, names, NULL);
  lcul_maker_default_dtype(&m, LCU_FLOAT32);
  int64_t rows = reserve_option(L, &m, &s);
  if (rows > 0) return lcul_array_reserve(L, &m, &s, rows);
  return lcul_maker_fill(L, &m, &s, NULL);
}

static int core_zeros (lua_State *L) {
  lcul_maker m = { .fn = "zeros" };
  lcul_shape s;
  make_shape(L, &m, &s);
  return lcul_maker_fill(L, &m, &s, zero_of(L, m.dtype));
}

static int core_ones (lua_State *L) {
  lcul_maker m = { .fn = "ones" };
  lcul_shape s;
  char element[16];
  make_shape(L, &m, &s);
  one_of(L, &m, element);
  return lcul_maker_fill(L, &m, &s, element);
}

static int core_full (lua_State *L) {
  lcul_maker m = { .fn = "full" };
  lcul_shape s;
  lcul_shape_check(L, 1, m.fn, 1, false, &s);
  lcul_check_any(L, 2);
  lcul_maker_args(L, &m, 3, lcul_make_options, NULL);
  bool guessed = m.dtype == NULL;
  lcul_maker_dtype_of(L, &m, 2);
  return lcul_maker_fill(L, &m, &s, lcul_maker_element(L, &m, guessed, 2, "value"));
}


/* ---- of the shape, dtype and device of another array ---- */

static const lcul_array *like_args (lua_State *L, lcul_maker *m, int idx, lcul_shape *s) {
  const lcul_array *a = lcul_foreign_check(L, 1);
  lcul_maker_args(L, m, idx, lcul_make_options, a->block->device);
  if (m->dtype == NULL) {
    m->dtype = a->dtype;
    m->dtype_idx = 1;
  }
  lcul_array_shape_of(a, s);
  return a;
}

static int core_empty_like (lua_State *L) {
  lcul_maker m = { .fn = "empty_like" };
  lcul_shape s;
  like_args(L, &m, 2, &s);
  return lcul_maker_fill(L, &m, &s, NULL);
}

static int core_zeros_like (lua_State *L) {
  lcul_maker m = { .fn = "zeros_like" };
  lcul_shape s;
  like_args(L, &m, 2, &s);
  return lcul_maker_fill(L, &m, &s, zero_of(L, m.dtype));
}

static int core_ones_like (lua_State *L) {
  lcul_maker m = { .fn = "ones_like" };
  lcul_shape s;
  char element[16];
  like_args(L, &m, 2, &s);
  one_of(L, &m, element);
  return lcul_maker_fill(L, &m, &s, element);
}

static int core_full_like (lua_State *L) {
  lcul_maker m = { .fn = "full_like" };
  lcul_shape s;
  (void)lcul_foreign_check(L, 1);
  lcul_check_any(L, 2);
  like_args(L, &m, 3, &s);
  return lcul_maker_fill(L, &m, &s, lcul_maker_element(L, &m, false, 2, "value"));
}


/* ---- for the library ---- */

/* The stream at idx; without one the current stream of the device. */
static lcu_stream *stream_option_at (lua_State *L, int idx, lcu_device *d) {
  if (lcu_likely(lua_isnoneornil(L, idx))) return lcul_stream_current(L, d);
  return lcul_stream_for(L, idx, d);
}

/* core.new(like, shape, dtype [, stream]) -> core.empty(shape, dtype, { device = like.device,
 * stream = stream }) at less cost; an array as the shape stands for its shape. */
static int core_new (lua_State *L) {
  lcul_maker m = { .fn = "empty", .dtype_idx = 3 };
  lcul_shape s;
  m.device = lcul_array_check(L, 1)->block->device;
  const lcul_array *model = lcul_array_test(L, 2);
  if (model != NULL) lcul_array_shape_of(lcul_array_check(L, 2), &s);
  else lcul_shape_check(L, 2, m.fn, 1, false, &s);
  m.dtype = lcul_dtype_check(L, 3);
  lcul_shape_measure_arg(L, &s, m.dtype, m.fn, 1);
  (void)lcul_array_make(L, m.device, stream_option_at(L, 4, m.device), m.dtype, m.dtype_idx, &s);
  return 1;
}

void lcul_open_array_make (lua_State *L) {
  static const luaL_Reg functions[] = { { "empty", core_empty },
                                        { "new", core_new },
                                        { "zeros", core_zeros },
                                        { "ones", core_ones },
                                        { "full", core_full },
                                        { "empty_like", core_empty_like },
                                        { "zeros_like", core_zeros_like },
                                        { "ones_like", core_ones_like },
                                        { "full_like", core_full_like },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
