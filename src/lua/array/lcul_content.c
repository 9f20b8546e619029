/* lcul_content.c: whole contents, from Lua and to Lua: set, fill, totable, tobytes, equals. */
#include "lcul_content.h"

#include <stdio.h>
#include <string.h>

#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_assign.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_convert.h"
#include "lcul_describe.h"
#include "lcul_dims.h"
#include "lcul_element.h"
#include "lcul_foreign.h"
#include "lcul_host.h"
#include "lcul_lanes.h"
#include "lcul_position.h"
#include "lcul_shape.h"
#include "lcul_stream.h"
#include "lcul_strides.h"
#include "lcul_table.h"


/* ---- set, fill ---- */

/* The stream of the options at `opts` (0: none), else the current one, for work on the array at dst
 * that reads the array at src (0: none). Metamethods of the options may close arrays. */
static lcu_stream *find_copy_stream (lua_State *L, int opts, int dst, int src) {
  const lcul_array *a = lcul_array_check(L, dst), *b = src ? lcul_array_check(L, src) : NULL;
  lcu_stream *s = lcul_work_stream(L, opts, lcul_work_device(a, b));
  lcul_array_still_open(L, a);
  return s;
}

static void fill_value (lua_State *L, int dst, int idx, int opts, const char *fn, int arg) {
  _Alignas(16) char small[LCUL_SMALL_ELEMENT];
  const lcul_array *a = lcul_toobject(L, dst);
  int top = lua_gettop(L);
  void *p = lcul_element_space(L, a->dtype, small);
  lcul_element_arg(L, idx, a->dtype, p, fn, arg, "value");
  lcul_array_fill_element(L, dst, p, find_copy_stream(L, opts, dst, 0), fn);
  lua_settop(L, top);
}

/* Fills dst with elements in its dtype and C order, from scratch memory at the top of the stack. */
static void put_scratch (lua_State *L, int dst, const char *data, int opts, const char *fn) {
  int scratch = lua_gettop(L);
  lcu_stream *s = find_copy_stream(L, opts, dst, 0);
  const lcul_array *a = lcul_toobject(L, dst);
  lcul_array_writable(L, a, fn);
  if (a->contiguous) {
    lcul_array_store(L, dst, data, s, fn);
  } else {
    lcul_shape shape;
    lcul_array_shape_of(a, &shape);
    (void)lcul_array_make(L, a->block->device, s->device == a->block->device ? s : NULL, a->dtype,
                          dst, &shape);
    lcul_array_store(L, lua_gettop(L), data, s, fn);
    lcul_array_assign(L, dst, -1, s, fn);
    lcul_array_drop(L, -1);
  }
  lcul_scratch_free(L, scratch);
  lua_settop(L, scratch - 1);
}

static void set_table (lua_State *L, int dst, int idx, int opts, const char *fn, int arg) {
  const lcul_array *a = lcul_toobject(L, dst);
  lcul_shape got, want;
  char from[160], to[160];
  lcul_array_shape_of(a, &want);
  lcul_table_shape(L, idx, a->dtype, fn, arg, &got, NULL);
  if (got.ndim != want.ndim ||
      memcmp(got.dims, want.dims, (size_t)got.ndim * sizeof got.dims[0]) != 0)
    lcul_fail_arg(L, fn, arg, "data", "a table of shape %s does not fit an array of shape %s",
                  lcul_shape_text(got.dims, got.ndim, from, sizeof from),
                  lcul_shape_text(want.dims, want.ndim, to, sizeof to));
  lcul_array_writable(L, a, fn);
  char *data = lcul_scratch(L, (size_t)a->size * a->dtype->size);
  lcul_table_store(L, idx, &want, a->dtype, data, fn, arg, false);
  put_scratch(L, dst, data, opts, fn);
}

static void set_bytes (lua_State *L, int dst, int idx, int opts, const char *fn, int arg) {
  const lcul_array *a = lcul_toobject(L, dst);
  size_t len;
  const char *bytes = lua_tolstring(L, idx, &len);
  if (len != (size_t)a->size * a->dtype->size)
    lcul_fail_arg(L, fn, arg, "data", "%zu bytes do not fill an array of %lld bytes", len,
                  (long long)(a->size * a->dtype->size));
  if (a->contiguous) {
    lcul_array_store(L, dst, bytes, find_copy_stream(L, opts, dst, 0), fn);
    return;
  }
  char *data = lcul_scratch(L, len);
  memcpy(data, bytes, len);
  put_scratch(L, dst, data, opts, fn);
}

/* Assigns the value at idx to the whole array at dst: a table, an array, bytes, or one value for
 * all elements. */
/* A table { x =, y =, ... } for a vector, at an absolute index, becomes a list. */
static void lanes_as_list (lua_State *L, const lcul_array *a, int idx, const char *fn, int arg) {
  int lanes = a->ndim == 1 ? a->lanes : 0;
  char type[48], why[160];
  if (lanes == 0 || !lua_istable(L, idx) || lua_rawlen(L, idx) > 0) return;
  snprintf(type, sizeof type, "a vector of %d %s", lanes, a->dtype->name);
  if (!lcul_lanes_fit(L, idx, lanes, type, why, sizeof why))
    lcul_misuse(L, "%s: argument %d: %s", fn, arg, why);
  lua_createtable(L, lanes, 0);
  for (int k = 0; k < lanes; k++) {
    lcul_lane_push(L, idx, k);
    lua_rawseti(L, -2, k + 1);
  }
  lua_replace(L, idx);
}

void lcul_array_set_value (lua_State *L, int dst, int idx, int opts, const char *fn, int arg) {
  const lcul_array *a = lcul_toobject(L, dst);
  bool structs = a->dtype->kind == LCU_KIND_STRUCT;
  lcul_dims_plain(L, idx);
  lanes_as_list(L, a, idx, fn, arg);
  (void)lcul_foreign_replace(L, idx);
  a = lcul_array_check(L, dst);
  lcul_array_writable(L, a, fn);
  const lcul_array *src = lcul_array_test(L, idx);
  if (src != NULL) {
    lcul_array_keep_parts(L, a->dtype, src->dtype, fn, arg);
    lcul_array_assign(L, dst, idx, find_copy_stream(L, opts, dst, idx), fn);
  } else if (lua_type(L, idx) == LUA_TTABLE && !(structs && a->ndim == 0))
    set_table(L, dst, idx, opts, fn, arg);
  else if (lua_type(L, idx) == LUA_TSTRING) set_bytes(L, dst, idx, opts, fn, arg);
  else fill_value(L, dst, idx, opts, fn, arg);
}

static int array_set (lua_State *L) {
  lcul_check_most(L, 3);
  (void)lcul_array_check(L, 1);
  lcul_check_any(L, 2);
  lcul_array_set_value(L, 1, 2, lcul_stream_options(L, 3, "set"), "set", 1);
  lua_settop(L, 1);
  return 1;
}

static int array_fill (lua_State *L) {
  lcul_check_most(L, 3);
  (void)lcul_array_check(L, 1);
  lcul_check_any(L, 2);
  fill_value(L, 1, 2, lcul_stream_options(L, 3, "fill"), "fill", 1);
  lua_settop(L, 1);
  return 1;
}


/* ---- totable, tobytes ---- */

static int array_totable (lua_State *L) {
  lcul_check_most(L, 2);
  lcul_pieces p;
  const lcul_array *a = lcul_array_check(L, 1);
  if (!lua_isnoneornil(L, 2) && lua_type(L, 2) != LUA_TTABLE) {
    char got[96];
    return lcul_fail_arg(L, "totable", 1, "reuse", "expected a table, got %s",
                         lcul_describe(L, 2, got, sizeof got));
  }
  lua_settop(L, 2);
  lcul_pieces_open(L, 1, "totable", &p);
  lcul_table_push(L, a, &p, lua_isnil(L, 2) ? 0 : 2);
  lcul_pieces_done(L, &p);
  return 1;
}

/* Pushes the elements in C order. */
static void push_gathered (lua_State *L, const lcul_array *a, const lcul_host *h, size_t n) {
  int64_t rows[LCUL_MAX_DIMS];
  luaL_Buffer b;
  lcul_strides_rows(a->dtype, a->ndim, a->shape, rows);
  char *p = luaL_buffinitsize(L, &b, n);
  lcul_convert_host(a->dtype, p, rows, a->dtype, h->data, h->strides, a->ndim, a->shape);
  luaL_pushresultsize(&b, n);
}

/* Elements without gaps are copied only once, into the string. */
static int array_tobytes (lua_State *L) {
  lcul_check_most(L, 1);
  lcul_host h;
  const lcul_array *a = lcul_array_check(L, 1);
  size_t n = (size_t)a->size * a->dtype->size;
  lua_settop(L, 1);
  lcul_host_read(L, 1, "tobytes", &h);
  if (a->contiguous) lua_pushlstring(L, h.data, n);
  else push_gathered(L, a, &h, n);
  lcul_host_done(L, &h);
  return 1;
}


/* ---- equals ---- */

static bool parts_equal (const lcu_dtype *at, const lcu_scalar *a, const lcu_dtype *bt,
                         const lcu_scalar *b) {
  bool af = at->kind == LCU_KIND_FLOAT || at->kind == LCU_KIND_COMPLEX,
       bf = bt->kind == LCU_KIND_FLOAT || bt->kind == LCU_KIND_COMPLEX;
  if (af && bf) return a->d == b->d && a->im == b->im;
  if (!af && !bf) return a->i == b->i && (at->kind == bt->kind || a->i >= 0);
  const lcu_scalar *f = af ? a : b, *i = af ? b : a;
  const lcu_dtype *it = af ? bt : at;
  if (f->im != 0) return false;
  if (it->id == LCU_UINT64 && i->i < 0)
    return f->d < 0x1p64 && f->d >= 0x1p63 && (uint64_t)f->d == (uint64_t)i->i;
  return f->d >= -0x1p63 && f->d < 0x1p63 && f->d == (double)(int64_t)f->d && (int64_t)f->d == i->i;
}

static bool elements_equal (const lcu_dtype *at, const char *a, const lcu_dtype *bt,
                            const char *b) {
  lcu_scalar x, y;
  if (at->kind == LCU_KIND_STRUCT) return memcmp(a, b, at->size) == 0;
  lcu_dtype_load(at, a, &x);
  lcu_dtype_load(bt, b, &y);
  return parts_equal(at, &x, bt, &y);
}

static bool axes_equal (const lcul_array *a, const lcul_host *x, const char *p, const lcul_array *b,
                        const lcul_host *y, const char *q, int axis) {
  if (axis == a->ndim) return elements_equal(a->dtype, p, b->dtype, q);
  for (int64_t i = 0; i < a->shape[axis]; i++)
    if (!axes_equal(a, x, p + i * x->strides[axis], b, y, q + i * y->strides[axis], axis + 1))
      return false;
  return true;
}

/* Can the bytes be compared instead of the elements? Yes for integers and structs of one dtype,
 * without gaps. */
static bool bytes_decide (const lcul_array *a, const lcul_array *b) {
  bool exact = a->dtype->kind == LCU_KIND_INT || a->dtype->kind == LCU_KIND_UINT ||
               a->dtype->kind == LCU_KIND_STRUCT;
  return exact && a->dtype == b->dtype && a->contiguous && b->contiguous;
}

static int array_equals (lua_State *L) {
  lcul_check_most(L, 2);
  const lcul_array *b = lcul_foreign_check(L, 2), *a = lcul_array_check(L, 1);
  lcul_host x, y;
  lua_settop(L, 2);
  bool structs = a->dtype->kind == LCU_KIND_STRUCT || b->dtype->kind == LCU_KIND_STRUCT, equal;
  bool alike = lcul_array_same_shape(a, b) && (!structs || a->dtype == b->dtype);
  if (!alike || a->size == 0) {
    lua_pushboolean(L, alike);
    return 1;
  }
  lcul_host_read(L, 1, "equals", &x);
  lcul_host_read(L, 2, "equals", &y);
  if (bytes_decide(a, b)) equal = memcmp(x.data, y.data, (size_t)a->size * a->dtype->size) == 0;
  else equal = axes_equal(a, &x, x.data, b, &y, y.data, 0);
  lcul_host_done(L, &y);
  lcul_host_done(L, &x);
  lua_pushboolean(L, equal);
  return 1;
}

const luaL_Reg lcul_content_methods[] = {
  { "set", array_set },         { "fill", array_fill },     { "totable", array_totable },
  { "tobytes", array_tobytes }, { "equals", array_equals }, { NULL, NULL }
};
