/* lcul_array_copy.c: copy, contiguous, to, astype; cuda.copy. */
#include <string.h>

#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_assign.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_content.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_dtype.h"
#include "lcul_foreign.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_shape.h"
#include "lcul_stream.h"
#include "lcul_strides.h"

/* Index of the options table at idx, or 0. */
static int options_at (lua_State *L, int idx, const char *fn) {
  static const char *const names[] = { "stream", "out", NULL };
  return lcul_options(L, idx, fn, names) ? idx : 0;
}

/* Pushes a copy of the array at 1 on device d, with dtype t. */
static int push_array_copy (lua_State *L, const lcu_dtype *t, int dtype_idx, lcu_device *d,
                            int opts, const char *fn) {
  const lcul_array *a = lcul_toobject(L, 1);
  lcu_device *work = d->host_memory ? a->block->device : d;
  (void)lcul_array_converted(L, 1, t, dtype_idx, d, lcul_work_stream(L, opts, work), fn);
  return 1;
}

/* Pushes the array given as `out` in the options at opts, checked; false without one. The array at
 * 1 is checked checked again: a metamethod of the options may have closed it. */
static bool push_out (lua_State *L, int opts, const lcul_array *like, const lcu_dtype *t,
                      const char *fn) {
  char want[160], got[160];
  bool given = opts && lua_getfield(L, opts, "out") != LUA_TNIL;
  if (given) (void)lcul_foreign_replace(L, -1);
  (void)lcul_array_check(L, 1);
  if (!given) return false;
  const lcul_array *o = lcul_array_test(L, -1);
  if (o == NULL)
    lcul_misuse(L, "%s: option 'out': expected Array, got %s", fn,
                lcul_describe(L, -1, got, sizeof got));
  (void)lcul_array_check(L, -1);
  if (o->dtype->id != t->id || !lcul_array_same_shape(o, like))
    lcul_misuse(L, "%s: option 'out': expected Array %s %s, got %s", fn, t->name,
                lcul_shape_text(like->shape, like->ndim, want, sizeof want),
                lcul_describe(L, -1, got, sizeof got));
  return true;
}

/* Assigns the array at 1 to the array that push_out pushed, which is the result. */
static int fill_out (lua_State *L, int opts, const char *fn) {
  lcu_device *work = lcul_work_device(lcul_toobject(L, -1), lcul_toobject(L, 1));
  lcul_array_assign(L, -1, 1, lcul_work_stream(L, opts, work), fn);
  return 1;
}

static int array_copy (lua_State *L) {
  lcul_check_most(L, 2);
  const lcul_array *a = lcul_array_check(L, 1);
  int opts = options_at(L, 2, "copy");
  if (push_out(L, opts, a, a->dtype, "copy")) return fill_out(L, opts, "copy");
  return push_array_copy(L, a->dtype, 1, a->block->device, opts, "copy");
}

static int array_contiguous (lua_State *L) {
  lcul_check_most(L, 2);
  const lcul_array *a = lcul_array_check(L, 1);
  int opts = options_at(L, 2, "contiguous");
  if (push_out(L, opts, a, a->dtype, "contiguous")) return fill_out(L, opts, "contiguous");
  if (!a->contiguous) return push_array_copy(L, a->dtype, 1, a->block->device, opts, "contiguous");
  lua_settop(L, 1);
  return 1;
}

static int array_to (lua_State *L) {
  lcul_check_most(L, 3);
  const lcul_array *a = lcul_array_check(L, 1);
  lcu_device *d = lcul_device_arg(L, 2);
  int opts = options_at(L, 3, "to");
  if (push_out(L, opts, a, a->dtype, "to")) {
    if (((lcul_array *)lcul_toobject(L, -1))->block->device != d)
      lcul_misuse(L, "to: option 'out': the array is not on %s", d->label);
    return fill_out(L, opts, "to");
  }
  if (a->block->device != d) return push_array_copy(L, a->dtype, 1, d, opts, "to");
  lua_settop(L, 1);
  return 1;
}

static int array_astype (lua_State *L) {
  lcul_check_most(L, 3);
  const lcul_array *a = lcul_array_check(L, 1);
  const lcu_dtype *t = lcul_dtype_check(L, 2);
  int opts = options_at(L, 3, "astype");
  if (t->kind == LCU_KIND_STRUCT || a->dtype->kind == LCU_KIND_STRUCT)
    if (t != a->dtype)
      return lcul_misuse(L, "astype: %s elements do not convert to %s", a->dtype->name, t->name);
  if (!push_out(L, opts, a, t, "astype"))
    return push_array_copy(L, t, 2, a->block->device, opts, "astype");
  return fill_out(L, opts, "astype");
}

/* Both arrays must be dense, or have the same shape. */
static void check_copy (lua_State *L, const lcul_array *d, const lcul_array *a) {
  char to[160], from[160];
  if (lcul_array_same_type(d, a) && d->size == a->size &&
      (lcul_array_same_shape(d, a) || (d->contiguous && a->contiguous)))
    return;
  lcul_describe(L, 1, to, sizeof to);
  lcul_describe(L, 2, from, sizeof from);
  if (!lcul_array_same_type(d, a))
    lcul_misuse(L, "copy: argument 2 'src': the dtypes differ: %s into %s; dst:set(src) converts",
                from, to);
  lcul_misuse(L, "copy: argument 2 'src': the %s differ: %s into %s",
              d->size == a->size ? "shapes of views" : "sizes", from, to);
}

/* The bytes of the string at 2 become the contents of the array at 1. */
static int copy_bytes (lua_State *L) {
  const lcul_array *d = lcul_array_check(L, 1);
  long long have = (long long)lua_rawlen(L, 2), want = (long long)(d->size * d->dtype->size);
  if (have != want)
    return lcul_fail_arg(L, "copy", 2, "src", "%lld bytes do not fill an array of %lld bytes", have,
                         want);
  lcul_array_set_value(L, 1, 2, lcul_stream_options(L, 3, "copy"), "copy", 2);
  lua_settop(L, 1);
  return 1;
}

/* cuda.copy(dst, src [, { stream = }]) */
int lcul_array_copy (lua_State *L) {
  (void)lcul_foreign_arguments(L, 1, 2);
  if (lua_type(L, 2) == LUA_TSTRING) return copy_bytes(L);
  const lcul_array *d = lcul_array_check(L, 1), *a = lcul_array_check(L, 2);
  int opts = lcul_stream_options(L, 3, "copy");
  check_copy(L, d, a);
  lcu_stream *s = lcul_work_stream(L, opts, lcul_work_device(d, a));
  lua_settop(L, 2);
  if (!lcul_array_same_shape(d, a)) {
    lcul_array *v = lcul_array_alias(L, 2, d->ndim);
    v->ndim = d->ndim;
    memcpy(v->shape, d->shape, (size_t)d->ndim * sizeof d->shape[0]);
    lcul_array_set_rows(v);
    lua_replace(L, 2);
  }
  lcul_array_assign(L, 1, 2, s, "copy");
  lua_settop(L, 1);
  return 1;
}

const luaL_Reg lcul_copy_methods[] = { { "copy", array_copy },
                                       { "contiguous", array_contiguous },
                                       { "to", array_to },
                                       { "astype", array_astype },
                                       { NULL, NULL } };
