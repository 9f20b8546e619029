/* lcul_maker.c: functions that make arrays: their arguments, and the array that they fill. */
#include "lcul_maker.h"

#include <inttypes.h>
#include <string.h>

#include "lcu_wait.h"
#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_assign.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_dtype.h"
#include "lcul_element.h"
#include "lcul_error.h"
#include "lcul_foreign.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_shape.h"
#include "lcul_stream.h"
#include "lcul_typed.h"

const char *const lcul_make_options[] = { "device", "stream", "out", "dtype", "ipc", NULL };


/* ---- arguments ---- */

static bool is_dtype (lua_State *L, int idx) {
  return lua_type(L, idx) == LUA_TSTRING ||
         (lua_type(L, idx) == LUA_TUSERDATA && lcul_test(L, idx, LCUL_STRUCT) != NULL);
}

/* A number in place of the dtype usually means a shape passed as several arguments. */
static void fail_dtype (lua_State *L, const lcul_maker *m, int idx) {
  char got[96], expected[64];
  if (lua_type(L, idx) == LUA_TNUMBER && lua_type(L, 1) == LUA_TNUMBER && idx == 2)
    lcul_fail_arg(L, m->fn, idx, "dtype",
                  "expected a dtype, got a number; a shape of several axes is a list: {%lld, %lld}",
                  (long long)lua_tonumber(L, 1), (long long)lua_tonumber(L, 2));
  lcul_dtype_expected(L, idx, "a dtype or a table of options", expected, sizeof expected);
  lcul_fail_arg(L, m->fn, idx, "dtype", "expected %s, got %s", expected,
                lcul_describe(L, idx, got, sizeof got));
}

static void read_dtype (lua_State *L, lcul_maker *m, int idx) {
  m->dtype = lcul_dtype_check(L, idx);
  m->dtype_idx = idx;
}

/* Reads option `dtype`, which stays at the top of the stack. */
static void read_option_dtype (lua_State *L, lcul_maker *m) {
  char expected[64];
  if (lua_getfield(L, m->opts, "dtype") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  if (m->dtype != NULL) lcul_misuse(L, "%s: the dtype is given twice", m->fn);
  if (!is_dtype(L, -1))
    lcul_misuse(L, "%s: option 'dtype': expected %s, got %s", m->fn,
                lcul_dtype_expected(L, -1, "a dtype", expected, sizeof expected),
                luaL_typename(L, -1));
  read_dtype(L, m, lua_gettop(L));
}

static void option_out (lua_State *L, lcul_maker *m) {
  char got[96];
  if (lua_getfield(L, m->opts, "out") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  if (lcul_array_test(L, -1) == NULL && !lcul_foreign_replace(L, -1))
    lcul_misuse(L, "%s: option 'out': expected Array, got %s", m->fn,
                lcul_describe(L, -1, got, sizeof got));
  m->out = true;
  const lcul_array *o = lcul_array_check(L, -1);
  m->out_idx = lua_gettop(L);
  m->device = o->block->device;
  if (m->dtype != NULL) return;
  m->dtype = o->dtype; /* the array to fill determines the dtype */
  m->dtype_idx = m->out_idx;
}

/* Options `device` and `out` must agree. */
static void check_out_device (lua_State *L, const lcul_maker *m) {
  if (lua_getfield(L, m->opts, "device") != LUA_TNIL && lcul_device_arg(L, -1) != m->device)
    lcul_misuse(L, "%s: option 'out': the array is on %s, option 'device' names another", m->fn,
                m->device->label);
}

/* Called again after the caller's code may have run, which may close streams and make another one
 * current. */
static void find_maker_stream (lua_State *L, lcul_maker *m) {
  m->stream = lcul_work_stream(L, m->opts, m->device);
}

/* Chooses the device of option `out`, option `device`, option `stream`, the model, or the current
 * one. */
static void choose_device (lua_State *L, lcul_maker *m, lcu_device *model) {
  if (m->out) check_out_device(L, m);
  else if (m->opts && lua_getfield(L, m->opts, "device") != LUA_TNIL)
    m->device = lcul_device_arg(L, -1);
  else if (m->opts && m->device == NULL && lua_getfield(L, m->opts, "stream") != LUA_TNIL &&
           lcul_test(L, -1, LCUL_STREAM) != NULL)
    m->device = lcul_stream_check(L, -1)->device;
  if (m->device == NULL) m->device = model != NULL ? model : lcul_device_current(L);
  find_maker_stream(L, m);
}

void lcul_maker_args (lua_State *L, lcul_maker *m, int idx, const char *const names[],
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
    read_option_dtype(L, m);
    option_out(L, m);
    m->ipc = lcul_opt_bool(L, m->opts, "ipc", false);
    if (m->ipc && m->out) lcul_misuse(L, "%s: options 'ipc' and 'out' exclude each other", m->fn);
  }
  choose_device(L, m, model);
}

void lcul_maker_default_dtype (lcul_maker *m, lcu_dtype_id id) {
  if (m->dtype == NULL) m->dtype = &lcu_dtypes[id];
}

void lcul_maker_dtype_of (lua_State *L, lcul_maker *m, int idx) {
  if (m->dtype != NULL) return;
  const lcul_typed *v = lcul_test(L, idx, LCUL_SCALAR);
  if (v != NULL) m->dtype = v->dtype;
  else if (lua_type(L, idx) == LUA_TBOOLEAN) m->dtype = &lcu_dtypes[LCU_BOOL];
  else if (lcul_test(L, idx, LCUL_COMPLEX) != NULL) m->dtype = &lcu_dtypes[LCU_COMPLEX64];
  else m->dtype = &lcu_dtypes[LCU_FLOAT32];
}

const void *lcul_maker_element (lua_State *L, const lcul_maker *m, bool guessed, int idx,
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
  lcul_element_arg(L, idx, m->dtype, p, m->fn, idx, param);
  return p;
}


/* ---- the array ---- */

static lcul_array *check_out (lua_State *L, const lcul_maker *m, const lcul_shape *s) {
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

lcul_array *lcul_maker_push (lua_State *L, lcul_maker *m, lcul_shape *s) {
  lcul_shape_measure_arg(L, s, m->dtype, m->fn, 1);
  find_maker_stream(L, m); /* other options may have run metamethods */
  if (m->ipc) return lcul_array_make_ipc(L, m, s);
  if (!m->out) return lcul_array_make(L, m->device, m->stream, m->dtype, m->dtype_idx, s);
  lcul_array *o = check_out(L, m, s);
  lua_pushvalue(L, m->out_idx);
  return o;
}

char *lcul_maker_open (lua_State *L, const lcul_maker *m, const lcul_array *a) {
  if (!m->out && a->size > 0 && lcul_array_in_place(L, a)) {
    lcul_status(L, lcu_block_wait(a->block, NULL, true));
    lua_pushnil(L);
    return lcul_block_host(a->block) + a->offset;
  }
  return lcul_scratch(L, (size_t)a->size * a->dtype->size);
}

/* The array is below the value that lcul_maker_open pushed, which is removed. */
void lcul_maker_close (lua_State *L, lcul_maker *m, const char *data) {
  int at = lua_gettop(L) - 1;
  if (!lua_isnil(L, -1)) find_maker_stream(L, m);
  /* checked again: a metamethod of the data may have closed `out` */
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

/* `element` NULL: the contents stay uninitialized. */
int lcul_maker_fill (lua_State *L, lcul_maker *m, lcul_shape *s, const void *element) {
  (void)lcul_maker_push(L, m, s);
  if (element != NULL) lcul_array_fill_element(L, lua_gettop(L), element, m->stream, m->fn);
  return 1;
}
