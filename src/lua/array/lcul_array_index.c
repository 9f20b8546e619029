/* lcul_array_index.c: single elements and parts: a[i], a[i] = v, item, setitem. */
#include <string.h>

#include "lcu_copy.h"
#include "lcu_wait.h"
#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_check.h"
#include "lcul_collect.h"
#include "lcul_content.h"
#include "lcul_describe.h"
#include "lcul_dims.h"
#include "lcul_element.h"
#include "lcul_error.h"
#include "lcul_library.h"
#include "lcul_position.h"
#include "lcul_record.h"
#include "lcul_scope.h"
#include "lcul_shape.h"
#include "lcul_stream.h"
#include "lcul_strides.h"


/* ---- one element, at a byte offset of the block ---- */

static void push_element (lua_State *L, const lcul_array *a, int64_t offset, const char *what) {
  _Alignas(16) char small[LCUL_SMALL_ELEMENT];
  lcu_stream *s = lcul_host_turn(L, a->block->device, what);
  const char *host = lcul_block_host(a->block);
  if (lcu_likely(host != NULL && a->dtype->kind != LCU_KIND_STRUCT)) {
    lcul_status(L, lcu_block_wait(a->block, s, false));
    lcul_element_push(L, a->dtype, host + offset);
    return;
  }
  /* reading a struct makes tables: a finalizer may free the array between two fields */
  void *p = lcul_element_space(L, a->dtype, small);
  lcul_array_still_open(L, a);
  lcul_status(L, lcu_copy_out(p, a->block, (size_t)offset, a->dtype->size,
                              lcul_stream_current(L, a->block->device)));
  lcul_element_push(L, a->dtype, p);
}

/* The value at idx, argument `arg`, becomes the element. It is converted before anything is
 * written. */
static void set_element (lua_State *L, const lcul_array *a, int64_t offset, int idx, const char *fn,
                         int arg) {
  _Alignas(16) char small[LCUL_SMALL_ELEMENT];
  lcul_array_writable(L, a, fn);
  void *p = lcul_element_space(L, a->dtype, small);
  lcul_element_arg(L, idx, a->dtype, p, fn, arg, "value");
  lcul_array_still_open(L, a);
  char *host = lcul_block_host(a->block);
  if (lcu_likely(host != NULL && !lcul_is_recording(L))) {
    lcul_array_wait_part(L, a, NULL, (size_t)offset, a->dtype->size, fn);
    memcpy(host + offset, p, a->dtype->size);
    return;
  }
  lcul_status(L, lcu_copy_in(a->block, (size_t)offset, p, a->dtype->size,
                             lcul_stream_current(L, a->block->device)));
}


/* ---- a[i] ---- */

/* The key at 2 as an index from 0; n for the index after the last, -1 for others out of range. */
static int64_t key_index (lua_State *L, const lcul_array *a, lua_Integer *given) {
  char got[96];
  *given = 0;
  bool ok = lcul_to_integer(L, 2, given);
  if (lua_type(L, 2) == LUA_TTABLE || lcul_dims_test(L, 2) != NULL)
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
  uint8_t lanes = ((const lcul_array *)lcul_toobject(L, idx))->lanes;
  lcul_array *v = lcul_array_alias(L, idx, 0);
  v->lanes = lanes;
  v->offset += at * v->strides[0];
  v->ndim--;
  memmove(v->shape, v->shape + 1, (size_t)v->ndim * sizeof v->shape[0]);
  memmove(v->strides, v->strides + 1, (size_t)v->ndim * sizeof v->strides[0]);
  lcul_array_measure(v);
  return v;
}

/* Is the key at 2 an array: a mask, or indices? */
static bool keyed_by_array (lua_State *L) {
  return lua_type(L, 2) == LUA_TUSERDATA && lcul_array_test(L, 2) != NULL;
}

/* Calls a function of luacuda.array.index, loaded once per state, with the values on the stack. */
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
  lcul_array_set_value(L, lua_gettop(L), 3, 0, "a[i] = v", 3);
  return 0;
}


/* ---- v.x ---- */

/* Replaces the key at 2, the name of an element of a vector, by its index. */
static bool to_lane (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  const char *name = lua_tostring(L, 2);
  static const char lanes[] = "xyzw";
  const char *at = name[0] != '\0' && name[1] == '\0' ? strchr(lanes, name[0]) : NULL;
  if (at == NULL || a->ndim != 1 || at - lanes >= a->lanes) return false;
  lua_pushinteger(L, at - lanes + 1);
  lua_replace(L, 2);
  return true;
}

int lcul_array_lane (lua_State *L) { return to_lane(L) ? lcul_array_index(L) : 0; }

int lcul_array_new_lane (lua_State *L) {
  if (!to_lane(L)) return 0;
  (void)lcul_array_newindex(L);
  return 1;
}


/* ---- item, setitem ---- */

/* The indices from stack index `first` on; one for each axis, or none for an array of one
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

const luaL_Reg lcul_index_methods[] = { { "item", array_item },
                                        { "setitem", array_setitem },
                                        { NULL, NULL } };
