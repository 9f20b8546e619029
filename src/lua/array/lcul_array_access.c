/* lcul_array_access.c: elements and whole contents, from Lua and to Lua. */
#include "lcul_array_impl.h"
#include "lcul_list.h"

#include <stdio.h>
#include <string.h>

#include "lcul_record.h"

/* One element, at a byte offset of the block. */

/* Memory for one element: `small` where it fits, else a userdata left on the stack. */
enum { SMALL = 64 };
static void *element_space (lua_State *L, const lcu_dtype *t, void *small) {
  return t->size <= SMALL ? small : lua_newuserdatauv(L, t->size, 0);
}

/* A finalizer, or a metamethod of a value, may have closed it. */
static void still_open (lua_State *L, const lcul_array *a) {
  if (lcu_unlikely(a->block == NULL)) lcul_misuse(L, "attempt to use a closed Array");
}

static void push_element (lua_State *L, const lcul_array *a, int64_t offset, const char *what) {
  _Alignas(16) char small[SMALL];
  lcul_sync_allowed(L, what);
  const char *host = lcul_block_host(a->block);
  if (lcu_likely(host != NULL && a->dtype->kind != LCU_KIND_STRUCT)) {
    lcul_status(L, lcu_block_wait(a->block, false));
    lcul_element_put(L, a->dtype, host + offset);
    return;
  }
  /* a struct becomes tables: finalizers may free the array between two fields */
  void *p = element_space(L, a->dtype, small);
  still_open(L, a);
  lcul_status(L, lcu_copy_out(p, a->block, (size_t)offset, a->dtype->size,
                              lcul_stream_current(L, a->block->device)));
  lcul_element_put(L, a->dtype, p);
}

/* The value at idx, argument `arg`, becomes the element. It is converted before anything is
 * touched. */
static void set_element (lua_State *L, const lcul_array *a, int64_t offset, int idx, const char *fn,
                         int arg) {
  _Alignas(16) char small[SMALL];
  lcul_array_writable(L, a, fn);
  void *p = element_space(L, a->dtype, small);
  lcul_element_get(L, idx, a->dtype, p, fn, arg, "value");
  still_open(L, a);
  char *host = lcul_block_host(a->block);
  if (lcu_likely(host != NULL)) {
    lcul_array_wait(L, a, true, fn);
    memcpy(host + offset, p, a->dtype->size);
    return;
  }
  lcul_status(L, lcu_copy_in(a->block, (size_t)offset, p, a->dtype->size,
                             lcul_stream_current(L, a->block->device)));
}


/* a[i] */

/* The key at 2 as an index from 0; n for the one behind the last, -1 outside. */
static int64_t key_index (lua_State *L, const lcul_array *a, lua_Integer *given) {
  int ok = 0;
  char got[96];
  *given = lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &ok) : 0;
  if (lua_type(L, 2) == LUA_TTABLE || lcul_dims_test(L, 2))
    lcul_misuse(L,
                "an Array is indexed with integers or Arrays, got %s; a[i][j] and a:item(i, j) "
                "read an element, a:take(list) several, "
                "a:slice(...) makes a view",
                lcul_describe(L, 2, got, sizeof got));
  if (!ok)
    lcul_misuse(L, "an Array is indexed with integers, got %s",
                lcul_describe(L, 2, got, sizeof got));
  if (a->ndim == 0)
    lcul_misuse(L, "an Array without axes cannot be indexed; a:item() reads its element");
  if (*given > 0 && *given - 1 == a->shape[0]) return a->shape[0];
  return lcul_index_norm(*given, a->shape[0]);
}

static void fail_index (lua_State *L, lua_Integer i, int64_t n) {
  if (n == 0) lcul_misuse(L, "index %lld: the array is empty", (long long)i);
  lcul_misuse(L, "index %lld is outside an axis of %lld elements (1 to %lld, or -%lld to -1)",
              (long long)i, (long long)n, (long long)n, (long long)n);
}

/* Pushes the part of the array at idx with index `at` on the first axis. */
static lcul_array *push_part (lua_State *L, int idx, int64_t at) {
  lcul_array *v = lcul_array_alias(L, idx, 0);
  v->offset += at * v->strides[0];
  v->ndim--;
  memmove(v->shape, v->shape + 1, (size_t)v->ndim * sizeof v->shape[0]);
  memmove(v->strides, v->strides + 1, (size_t)v->ndim * sizeof v->strides[0]);
  lcul_layout_update(v);
  return v;
}

/* Is the key at 2 an array: a mask, or indices? */
static bool keyed_by_array (lua_State *L) {
  return lua_type(L, 2) == LUA_TUSERDATA && lcul_array_test(L, 2) != NULL;
}

/* Calls a function of luacuda.array.index, found once per state, with what is on the stack. */
static void call_array_index (lua_State *L, const char *fn, int results) {
  (void)lcul_array_check(L, 2);
  lcul_push_library(L, "luacuda.array.index");
  lua_getfield(L, -1, fn);
  lua_replace(L, -2);
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, results);
}

int lcul_array_index (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lua_Integer given;
  if (lcu_unlikely(keyed_by_array(L))) {
    call_array_index(L, "get", 1);
    return 1;
  }
  int64_t at = key_index(L, a, &given);
  if (lcu_unlikely(at < 0)) fail_index(L, given, a->shape[0]);
  if (at == a->shape[0]) lua_pushnil(L); /* ends ipairs */
  else if (a->ndim > 1) (void)push_part(L, 1, at);
  else if (lcu_unlikely(a->dtype->kind == LCU_KIND_STRUCT))
    lcul_record_push(L, 1, a->offset + at * a->strides[0]);
  else push_element(L, a, a->offset + at * a->strides[0], "a[i]");
  return 1;
}


/* set, fill */

/* The stream of the options at `opts` (0: none), else the current one, for work on the array at dst
 * from the one at src (0: none), which may bring its own. Metamethods of the options may close
 * arrays. */
static lcu_stream *find_stream (lua_State *L, int opts, int dst, int src) {
  const lcul_array *a = lcul_array_check(L, dst), *b = src ? lcul_array_check(L, src) : NULL;
  lcu_stream *s = lcul_work_stream(L, opts, lcul_work_device(a, b));
  still_open(L, a);
  return s;
}

static void fill_value (lua_State *L, int dst, int idx, int opts, const char *fn, int arg) {
  _Alignas(16) char small[SMALL];
  const lcul_array *a = lcul_toobject(L, dst);
  int top = lua_gettop(L);
  void *p = element_space(L, a->dtype, small);
  lcul_element_get(L, idx, a->dtype, p, fn, arg, "value");
  lcul_array_fill_element(L, dst, p, find_stream(L, opts, dst, 0), fn);
  lua_settop(L, top);
}

/* Contents in dst's dtype and C order, from scratch memory at the top of the stack. */
static void put_scratch (lua_State *L, int dst, const char *data, int opts, const char *fn) {
  int scratch = lua_gettop(L);
  lcu_stream *s = find_stream(L, opts, dst, 0);
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
    lcul_array_store(L, dst, bytes, find_stream(L, opts, dst, 0), fn);
    return;
  }
  char *data = lcul_scratch(L, len);
  memcpy(data, bytes, len);
  put_scratch(L, dst, data, opts, fn);
}

/* The value at idx into the whole array at dst: table, array, bytes, or one value for all
 * elements. */
static void set_value (lua_State *L, int dst, int idx, int opts, const char *fn, int arg) {
  const lcul_array *a = lcul_toobject(L, dst);
  bool structs = a->dtype->kind == LCU_KIND_STRUCT;
  lcul_dims_plain(L, idx);
  a = lcul_array_check(L, dst);
  lcul_array_writable(L, a, fn);
  if (lcul_array_test(L, idx)) {
    lcul_array_assign(L, dst, idx, find_stream(L, opts, dst, idx), fn);
  } else if (lua_type(L, idx) == LUA_TTABLE && !(structs && a->ndim == 0))
    set_table(L, dst, idx, opts, fn, arg);
  else if (lua_type(L, idx) == LUA_TSTRING) set_bytes(L, dst, idx, opts, fn, arg);
  else fill_value(L, dst, idx, opts, fn, arg);
}

static const char *const stream_only[] = { "stream", NULL };

/* Index of the options at idx, or 0. */
static int options_at (lua_State *L, int idx, const char *fn) {
  return lcul_options(L, idx, fn, stream_only) ? idx : 0;
}

static int array_set (lua_State *L) {
  (void)lcul_array_check(L, 1);
  lcul_check_any(L, 2);
  set_value(L, 1, 2, options_at(L, 3, "set"), "set", 1);
  lua_settop(L, 1);
  return 1;
}

static int array_fill (lua_State *L) {
  (void)lcul_array_check(L, 1);
  lcul_check_any(L, 2);
  fill_value(L, 1, 2, options_at(L, 3, "fill"), "fill", 1);
  lua_settop(L, 1);
  return 1;
}

int lcul_array_newindex (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lua_Integer given;
  if (lcu_unlikely(keyed_by_array(L))) {
    call_array_index(L, "set", 0);
    return 0;
  }
  int64_t at = key_index(L, a, &given);
  if (lcu_unlikely(at < 0 || at == a->shape[0])) fail_index(L, given, a->shape[0]);
  if (lcu_likely(a->ndim == 1)) {
    set_element(L, a, a->offset + at * a->strides[0], 3, "a[i] = v", 3);
    return 0;
  }
  (void)push_part(L, 1, at);
  set_value(L, lua_gettop(L), 3, 0, "a[i] = v", 3);
  return 0;
}


/* item, setitem */

/* The indices from stack index `first` on; all axes must be named. None at all will do for one
 * element. */
static int64_t item_offset (lua_State *L, const lcul_array *a, int first, const char *fn) {
  int given = lua_gettop(L) - first + 1;
  if (given <= 0 && a->size == 1) return a->offset;
  if (given != a->ndim)
    lcul_misuse(L, "%s: %d indices for an array of %d axes", fn, given < 0 ? 0 : given, a->ndim);
  int64_t offset = a->offset;
  for (int i = 0; i < given; i++) {
    lua_Integer v = lcul_integer_arg(L, first + i, fn, first + i - 1, "index");
    int64_t at = lcul_index_norm(v, a->shape[i]);
    if (at < 0)
      lcul_fail_arg(L, fn, first + i - 1, "index", "%lld is outside an axis of %lld elements",
                    (long long)v, (long long)a->shape[i]);
    offset += at * a->strides[i];
  }
  return offset;
}

static int array_item (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  int64_t offset = item_offset(L, a, 2, "item");
  push_element(L, a, offset, "item");
  return 1;
}

static int array_setitem (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lcul_check_any(L, 2);
  int64_t offset = item_offset(L, a, 3, "setitem");
  set_element(L, a, offset, 2, "setitem", 1);
  lua_settop(L, 1);
  return 1;
}


/* totable, tobytes */

static int array_totable (lua_State *L) {
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
  lcul_row_strides(a->dtype, a->ndim, a->shape, rows);
  char *p = luaL_buffinitsize(L, &b, n);
  lcul_convert_host(a->dtype, p, rows, a->dtype, h->data, h->strides, a->ndim, a->shape);
  luaL_pushresultsize(&b, n);
}

/* Elements without gaps are copied once, into the string. */
static int array_tobytes (lua_State *L) {
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


/* equals */

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

/* Bytes that say all: integers of one dtype, without gaps. */
static bool bytes_decide (const lcul_array *a, const lcul_array *b) {
  bool exact = a->dtype->kind == LCU_KIND_INT || a->dtype->kind == LCU_KIND_UINT ||
               a->dtype->kind == LCU_KIND_STRUCT;
  return exact && a->dtype == b->dtype && a->contiguous && b->contiguous;
}

static int array_equals (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1), *b = lcul_array_check(L, 2);
  lcul_host x, y;
  lua_settop(L, 2);
  bool structs = a->dtype->kind == LCU_KIND_STRUCT || b->dtype->kind == LCU_KIND_STRUCT, equal;
  bool alike = lcul_shape_same(a, b) && (!structs || a->dtype == b->dtype);
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

const luaL_Reg lcul_access_methods[] = { { "set", array_set },         { "fill", array_fill },
                                         { "item", array_item },       { "setitem", array_setitem },
                                         { "totable", array_totable }, { "tobytes", array_tobytes },
                                         { "equals", array_equals },   { NULL, NULL } };
