/* lcul_array.c: arrays as C values: making, sharing and dropping them. */
#include "lcul_array.h"

#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_shape.h"
#include "lcul_strides.h"

lcul_array *lcul_array_test (lua_State *L, int idx) { return lcul_test(L, idx, LCUL_ARRAY); }

lcul_array *lcul_array_check (lua_State *L, int idx) {
  lcul_array *a = lcul_check(L, idx, LCUL_ARRAY);
  if (lcu_unlikely(a->block == NULL)) lcul_misuse(L, "attempt to use a closed Array");
  return a;
}

/* All bytes are zero, except the pointer to the strides. */
static lcul_array *new_box (lua_State *L, int room, bool anchors) {
  size_t size = sizeof(lcul_array) + 2 * (size_t)room * sizeof(int64_t);
  lcul_array *a = lcul_newobject(L, LCUL_ARRAY, size, anchors ? LCUL_UV_COUNT : 0);
  a->anchors = anchors;
  a->strides = a->shape + room;
  return a;
}

static bool needs_anchor (const lcu_dtype *t) { return t->kind == LCU_KIND_STRUCT; }

/* For the array at the top of the stack: dtype_idx holds a struct type, or an array of one. */
static void anchor_dtype (lua_State *L, int dtype_idx) {
  if (lcul_array_test(L, dtype_idx) != NULL) lua_getiuservalue(L, dtype_idx, LCUL_UV_DTYPE);
  else lua_pushvalue(L, dtype_idx);
  lua_setiuservalue(L, -2, LCUL_UV_DTYPE);
}

static void set_shape (lcul_array *a, int ndim, const int64_t *shape) {
  a->ndim = ndim;
  for (int i = 0; i < ndim; i++) a->shape[i] = shape[i];
  lcul_array_set_rows(a);
}

lcul_array *lcul_array_box (lua_State *L, const lcu_dtype *t, int dtype_idx, bool anchors, int ndim,
                            const int64_t *shape) {
  if (dtype_idx) dtype_idx = lua_absindex(L, dtype_idx);
  lcul_array *a = new_box(L, ndim, anchors || needs_anchor(t));
  a->dtype = t;
  set_shape(a, ndim, shape);
  if (needs_anchor(t) && dtype_idx) anchor_dtype(L, dtype_idx);
  if (lcu_unlikely(lcul_getstate(L)->traces_arrays)) lcul_array_trace(L);
  return a;
}

static void copy_layout (lcul_array *a, const lcul_array *from) {
  a->offset = from->offset;
  a->size = from->size;
  a->ndim = from->ndim;
  a->contiguous = from->contiguous;
  for (int i = 0; i < from->ndim; i++) {
    a->shape[i] = from->shape[i];
    a->strides[i] = from->strides[i];
  }
}

lcul_array *lcul_array_alias_as (lua_State *L, int idx, int ndim, const lcu_dtype *t,
                                 int dtype_idx) {
  idx = lua_absindex(L, idx);
  dtype_idx = lua_absindex(L, dtype_idx);
  lcul_array *from = lcul_array_check(L, idx);
  lcul_array *a =
    new_box(L, ndim > from->ndim ? ndim : from->ndim, from->anchors || needs_anchor(t));
  (void)lcul_array_check(L, idx); /* checked again: a finalizer may have closed it */
  copy_layout(a, from);
  a->dtype = t;
  a->block = lcu_ref(from->block);
  if (needs_anchor(t)) anchor_dtype(L, dtype_idx);
  if (from->anchors) {
    lua_getiuservalue(L, idx, LCUL_UV_OWNER);
    lua_setiuservalue(L, -2, LCUL_UV_OWNER);
  }
  if (lcu_unlikely(lcul_getstate(L)->traces_arrays)) lcul_array_trace_alias(L, idx);
  return a;
}

lcul_array *lcul_array_alias (lua_State *L, int idx, int ndim) {
  return lcul_array_alias_as(L, idx, ndim, lcul_array_check(L, idx)->dtype, idx);
}

/* Called in protected mode: the caller's reference must not be lost when memory for the box runs
 * out. */
static int push_box (lua_State *L) {
  (void)new_box(L, (int)lua_tointeger(L, 1), lua_toboolean(L, 2));
  return 1;
}

lcul_array *lcul_array_push (lua_State *L, lcu_block *block, const lcu_dtype *t, int dtype_idx,
                             int64_t offset, int ndim, const int64_t *shape) {
  if (dtype_idx) dtype_idx = lua_absindex(L, dtype_idx);
  if (!lua_checkstack(L, 4)) {
    lcu_unref(block);
    lcul_misuse(L, "Array: stack overflow");
  }
  lua_pushcfunction(L, push_box);
  lua_pushinteger(L, ndim);
  lua_pushboolean(L, needs_anchor(t));
  if (lua_pcall(L, 2, 1, 0) != LUA_OK) {
    lcu_unref(block);
    lua_error(L);
  }
  lcul_array *a = lcul_toobject(L, -1);
  a->block = block;
  a->dtype = t;
  a->offset = offset;
  set_shape(a, ndim, shape);
  if (needs_anchor(t) && dtype_idx) anchor_dtype(L, dtype_idx);
  if (lcu_unlikely(lcul_getstate(L)->traces_arrays)) lcul_array_trace(L);
  return a;
}

cu_deviceptr lcul_array_address (lua_State *L, const lcul_array *a, lcu_device *d) {
  cu_deviceptr base;
  lcul_status(L, lcu_block_address(a->block, d, &base));
  return base + (cu_deviceptr)a->offset;
}

void lcul_array_label (lcu_block *b, const lcul_array *a) {
  lcu_block_label *l = &b->label;
  size_t len = strlen(a->dtype->name);
  memcpy(l->type, a->dtype->name, len < sizeof l->type ? len : sizeof l->type - 1);
  l->ndim = a->ndim;
  for (int i = 0; i < a->ndim && i < LCU_LABEL_DIMS; i++) l->dims[i] = a->shape[i];
  atomic_store_explicit(&b->labeled, true, memory_order_release);
}

lcul_array *lcul_array_make (lua_State *L, lcu_device *d, lcu_stream *home, const lcu_dtype *t,
                             int dtype_idx, const lcul_shape *s) {
  lcul_array *a = lcul_array_box(L, t, dtype_idx, false, s->ndim, s->dims);
  size_t bytes = (size_t)a->size * t->size;
  lcul_status(L, lcu_block_alloc(d, bytes, home, &a->block));
  lcul_array_label(a->block, a);
  lcul_gc_account(L, bytes);
  return a;
}

lcul_array *lcul_array_new (lua_State *L, lcu_device *d, lcu_stream *home, const lcu_dtype *t,
                            int ndim, const int64_t *shape) {
  char text[160];
  lcul_shape s = { .ndim = ndim };
  memcpy(s.dims, shape, (size_t)ndim * sizeof shape[0]);
  if (!lcul_shape_measure(&s, t->size))
    lcul_misuse(L, "an array of %s and shape %s is more than any memory holds", t->name,
                lcul_shape_text(shape, ndim, text, sizeof text));
  return lcul_array_make(L, d, home, t, 0, &s);
}

void lcul_array_drop (lua_State *L, int idx) {
  lcul_array *a = lcul_toobject(L, idx);
  lcu_unref(a->block);
  a->block = NULL;
}

void lcul_array_shape_of (const lcul_array *a, lcul_shape *out) {
  out->ndim = a->ndim;
  out->size = a->size;
  memcpy(out->dims, a->shape, (size_t)a->ndim * sizeof a->shape[0]);
}

bool lcul_array_same_shape (const lcul_array *a, const lcul_array *b) {
  return a->ndim == b->ndim &&
         memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof a->shape[0]) == 0;
}
