/* lcul_cuda_array_copy.c: cuda.copy with CUDA arrays; set, array, totable. */
#include "lcul_array_memory.h"
#include "lcul_box_copy.h"
#include "lcul_check.h"
#include "lcul_content.h"
#include "lcul_cuda_array.h"
#include "lcul_describe.h"
#include "lcul_foreign.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_stream.h"

static bool same_shape (const lcul_cuda_array *a, const lcul_cuda_array *b) {
  lcul_extent x = lcul_cuda_array_extent(a), y = lcul_cuda_array_extent(b);
  return a->channels == b->channels && x.width == y.width && x.height == y.height &&
         x.depth == y.depth;
}

/* Has the array the shape of the CUDA array, or is it dense and of its size? */
static bool array_fits (const lcul_array *a, const lcul_cuda_array *c) {
  lcul_shape s;
  lcul_cuda_array_shape(c, &s);
  bool same = a->ndim == s.ndim;
  for (int i = 0; same && i < s.ndim; i++) same = a->shape[i] == s.dims[i];
  return same || (a->contiguous && a->size == s.size);
}

static int fail_copy (lua_State *L, const char *what) {
  char to[160], from[160];
  lcul_describe(L, 1, to, sizeof to);
  lcul_describe(L, 2, from, sizeof from);
  return lcul_misuse(L, "copy: argument 2 'src': the %s differ: %s into %s", what, from, to);
}

static const lcu_dtype *dtype_at (lua_State *L, int idx) {
  const lcul_cuda_array *c = lcul_cuda_array_test(L, idx);
  return c != NULL ? lcul_cuda_array_check(L, idx)->dtype : lcul_array_check(L, idx)->dtype;
}

static void check_copy (lua_State *L) {
  const lcu_dtype *to = dtype_at(L, 1), *from = dtype_at(L, 2);
  const lcul_cuda_array *d = lcul_cuda_array_test(L, 1), *a = lcul_cuda_array_test(L, 2);
  if (to != from) fail_copy(L, "dtypes");
  bool fits = d != NULL && a != NULL ? same_shape(d, a)
              : d != NULL            ? array_fits(lcul_toobject(L, 2), d)
                                     : array_fits(lcul_toobject(L, 1), a);
  if (!fits) fail_copy(L, "shapes");
}

static void side_of (lua_State *L, int idx, const lcul_cuda_array *like, lcul_side *out) {
  if (lcul_cuda_array_test(L, idx) != NULL) *out = (lcul_side){ .idx = idx };
  else lcul_side_of_array(L, idx, like, out);
}

/* Copies all of the value at src to that at dst; one of them is a CUDA array. */
static void copy_all (lua_State *L, int dst, int src, lcu_stream *s, const char *fn) {
  const lcul_cuda_array *like = lcul_cuda_array_test(L, dst);
  if (like == NULL) like = lcul_cuda_array_test(L, src);
  lcul_extent e = lcul_cuda_array_extent(like);
  lcul_box c = { .width = e.width * lcul_cuda_array_texel(like),
                 .height = e.height,
                 .depth = e.depth };
  side_of(L, dst, like, &c.dst);
  side_of(L, src, like, &c.src);
  lcul_box_copy(L, &c, s, fn);
}

/* cuda.copy(dst, src [, { stream = }]) */
static int core_copy (lua_State *L) {
  lcul_check_most(L, 3);
  if (lcul_cuda_array_test(L, 1) == NULL && lcul_cuda_array_test(L, 2) == NULL)
    return lcul_array_copy(L);
  int opts = lcul_stream_options(L, 3, "copy");
  if (lua_type(L, 2) == LUA_TSTRING) {
    lcul_cuda_array_set(L, 1, 2, opts, "copy");
    lua_settop(L, 1);
    return 1;
  }
  check_copy(L);
  lcu_stream *s = lcul_work_stream(L, opts, lcul_box_copy_device(L, 1, 2));
  check_copy(L); /* checked again: a metamethod of the options may have closed one */
  if (lcul_array_test(L, 1) != NULL) lcul_array_writable(L, lcul_toobject(L, 1), "copy");
  copy_all(L, 1, 2, s, "copy");
  lua_settop(L, 1);
  return 1;
}


/* ---- set ---- */

/* Pushes a dense array on the device of the CUDA array at idx, with the shape of its elements. */
static void push_dense (lua_State *L, int idx, lcu_stream *s) {
  const lcul_cuda_array *a = lcul_cuda_array_check(L, idx);
  lcul_shape shape;
  lcul_cuda_array_shape(a, &shape);
  (void)lcul_array_make(L, a->block->device, s, a->dtype, 0, &shape);
}

static bool copies_directly (lua_State *L, int idx, const lcul_cuda_array *a) {
  const lcul_array *from = lcul_array_test(L, idx);
  return from != NULL && from->block != NULL && from->dtype == a->dtype && array_fits(from, a);
}

void lcul_cuda_array_set (lua_State *L, int dst, int idx, int opts, const char *fn) {
  const lcul_cuda_array *a = lcul_cuda_array_check(L, dst);
  lcu_stream *s = lcul_work_stream(L, opts, a->block->device);
  int top = lua_gettop(L);
  if (!copies_directly(L, idx, lcul_cuda_array_check(L, dst))) {
    push_dense(L, dst, s);
    lcul_array_set_value(L, top + 1, idx, opts, fn, 1);
    s = lcul_work_stream(L, opts, lcul_cuda_array_check(L, dst)->block->device);
    (void)lcul_cuda_array_check(L, dst);
    idx = top + 1;
  }
  copy_all(L, dst, idx, s, fn);
  lua_settop(L, top);
}

/* a:set(value [, { stream = }]) -> a */
static int cuda_array_set (lua_State *L) {
  (void)lcul_cuda_array_check(L, 1);
  lcul_check_any(L, 2);
  lcul_check_most(L, 3);
  int opts = lcul_stream_options(L, 3, "set");
  lcul_cuda_array_set(L, 1, 2, opts, "set");
  lua_settop(L, 1);
  return 1;
}


/* ---- array, totable ---- */

/* Pushes option `out`, checked; false where it is not given. */
static bool push_out (lua_State *L, int opts) {
  char got[160];
  if (opts == 0 || !lcul_opt_push(L, opts, "out")) return false;
  (void)lcul_foreign_replace(L, -1);
  const lcul_cuda_array *a = lcul_cuda_array_check(L, 1);
  if (lcul_array_test(L, -1) == NULL) lcul_wrong_option(L, "out", "Array");
  const lcul_array *o = lcul_array_check(L, -1);
  if (o->dtype != a->dtype || !array_fits(o, a))
    lcul_misuse(L,
                "array: option 'out': the array does not have the dtype and shape of the CUDA "
                "array: %s",
                lcul_describe(L, -1, got, sizeof got));
  lcul_array_writable(L, o, "array");
  return true;
}

/* a:array([{ out =, stream = }]) -> Array of all elements, on the device of a */
static int cuda_array_array (lua_State *L) {
  static const char *const names[] = { "out", "stream", NULL };
  const lcul_cuda_array *a = lcul_cuda_array_check(L, 1);
  lcul_check_most(L, 2);
  int opts = lcul_options(L, 2, "array", names) ? 2 : 0;
  lcu_stream *s = lcul_work_stream(L, opts, a->block->device);
  if (!push_out(L, opts)) push_dense(L, 1, s);
  (void)lcul_cuda_array_check(L, 1);
  copy_all(L, lua_gettop(L), 1, s, "array");
  return 1;
}

/* a:totable([reuse]) -> nested tables */
static int cuda_array_totable (lua_State *L) {
  const lcul_cuda_array *a = lcul_cuda_array_check(L, 1);
  lcul_check_most(L, 2);
  lua_settop(L, 2);
  lcu_stream *s = lcul_work_stream(L, 0, a->block->device);
  push_dense(L, 1, s);
  (void)lcul_cuda_array_check(L, 1);
  copy_all(L, 3, 1, s, "totable");
  lua_getfield(L, 3, "totable");
  lua_pushvalue(L, 3);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  lcul_array_drop(L, 3);
  return 1;
}

const luaL_Reg lcul_cuda_array_copy_methods[] = { { "set", cuda_array_set },
                                                  { "array", cuda_array_array },
                                                  { "totable", cuda_array_totable },
                                                  { NULL, NULL } };

void lcul_open_cuda_array_copy (lua_State *L) {
  static const luaL_Reg functions[] = { { "copy", core_copy }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
