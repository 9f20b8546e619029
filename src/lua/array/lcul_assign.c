/* lcul_assign.c: assignment between arrays of any dtype, layout and memory.
 *
 *   same dtype, both without gaps         one copy of bytes, asynchronous
 *   both readable in place by the host    wait, then loops over the axes (lcul_convert.c)
 *   both on one device                    a generated kernel (luacuda.array.convert)
 *   different devices                     made dense at the source, copied, spread at the end */
#include "lcul_assign.h"

#include <string.h>

#include "lcu_copy.h"
#include "lcu_wait.h"
#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_convert.h"
#include "lcul_error.h"
#include "lcul_library.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_shape.h"
#include "lcul_stream.h"
#include "lcul_strides.h"

/* Calls the generated kernel: convert(dst, src, stream) of luacuda.array.convert. */
static void convert_on_device (lua_State *L, int dst, int src, lcu_stream *s) {
  luaL_checkstack(L, 8, "conversion");
  lcul_push_library(L, "luacuda.array.convert");
  lua_pushvalue(L, dst);
  lua_pushvalue(L, src);
  lcul_stream_push(L, s);
  lua_call(L, 3, 0);
}


/* ---- arrays of one shape ---- */

bool lcul_array_same_type (const lcul_array *a, const lcul_array *b) {
  return a->dtype == b->dtype ||
         (a->dtype->id == b->dtype->id && a->dtype->kind != LCU_KIND_STRUCT);
}

static bool same_array_layout (const lcul_array *a, const lcul_array *b) {
  return a->offset == b->offset &&
         memcmp(a->strides, b->strides, (size_t)a->ndim * sizeof a->strides[0]) == 0;
}

/* Do the two share bytes so that copying element by element could read elements it has written? */
static bool overlaps (const lcul_array *dst, const lcul_array *src) {
  return lcul_array_overlap(dst, src) &&
         !(dst->block == src->block && lcul_array_same_type(dst, src) &&
           same_array_layout(dst, src));
}

static bool copies_as_bytes (const lcul_array *dst, const lcul_array *src) {
  return lcul_array_same_type(dst, src) && dst->contiguous && src->contiguous;
}

static void assign_bytes (lua_State *L, const lcul_array *dst, const lcul_array *src, lcu_stream *s,
                          const char *fn) {
  size_t n = (size_t)dst->size * dst->dtype->size;
  lcul_block_turn(L, dst->block, s, fn);
  lcul_block_turn(L, src->block, s, fn);
  lcul_status(L, lcu_copy(dst->block, (size_t)dst->offset, src->block, (size_t)src->offset, n, s));
}

/* What is known of the source's bytes is known of the destination's after the copy. */
static void copy_marks (const lcul_array *dst, uint8_t *to, const lcul_array *src,
                        const uint8_t *from) {
  static const lcu_dtype byte = { .kind = LCU_KIND_STRUCT, .size = 1 };
  static const uint8_t written = 1;
  static const int64_t still[LCUL_MAX_DIMS] = { 0 };
  for (uint32_t k = 0; to != NULL && k < dst->dtype->size; k++) {
    const uint8_t *p = from == NULL ? &written : from + src->offset + k % src->dtype->size;
    lcul_convert_host(&byte, (char *)to + dst->offset + k, dst->strides, &byte, (const char *)p,
                      from == NULL ? still : src->strides, dst->ndim, dst->shape);
  }
}

/* The stream for work where the array is: the caller's if it belongs to that device, else the
 * current one. */
static lcu_stream *assign_stream (lua_State *L, const lcul_array *a, lcu_stream *s) {
  return s->device == a->block->device ? s : lcul_stream_current(L, a->block->device);
}

static void convert_in_place (lua_State *L, const lcul_array *dst, const lcul_array *src,
                              lcu_stream *s, const char *fn) {
  lcul_sync_allowed(L, fn);
  lcul_status(L, lcu_block_wait(src->block, assign_stream(L, src, s), false));
  lcul_array_wait_part(L, dst, assign_stream(L, dst, s), 0, 0, fn);
  copy_marks(dst, lcu_block_marks(dst->block), src, lcu_block_marks(src->block));
  lcul_convert_host(dst->dtype, lcul_block_host(dst->block) + dst->offset, dst->strides, src->dtype,
                    lcul_block_host(src->block) + src->offset, src->strides, dst->ndim, dst->shape);
}

static void assign_same (lua_State *L, int dst, int src, lcu_stream *s, const char *fn);

/* src has another dtype or gaps: make it dense in dst's dtype where it is; then copy; then
 * spread. */
static void assign_between_places (lua_State *L, int dst, int src, lcu_stream *s, const char *fn) {
  int top = lua_gettop(L);
  const lcul_array *d = lcul_toobject(L, dst), *a = lcul_toobject(L, src);
  lcul_stream_hold(L, s); /* conversions run Lua code */
  if (!lcul_array_same_type(d, a) || !a->contiguous) {
    (void)lcul_array_converted(L, src, d->dtype, dst, a->block->device, assign_stream(L, a, s), fn);
    src = lua_gettop(L);
    a = lcul_toobject(L, src);
  }
  if (!d->contiguous) {
    (void)lcul_array_converted(L, src, d->dtype, dst, d->block->device, assign_stream(L, d, s), fn);
    src = lua_gettop(L);
    a = lcul_toobject(L, src);
  }
  assign_same(L, dst, src, s, fn);
  lcul_stream_release(L, top + 1);
  lua_settop(L, top);
}

static void assign_same (lua_State *L, int dst, int src, lcu_stream *s, const char *fn) {
  const lcul_array *d = lcul_toobject(L, dst), *a = lcul_toobject(L, src);
  if (copies_as_bytes(d, a)) assign_bytes(L, d, a, s, fn);
  else if (lcul_array_in_place(L, d) && lcul_array_in_place(L, a)) convert_in_place(L, d, a, s, fn);
  else if (d->block->device == a->block->device) convert_on_device(L, dst, src, s);
  else assign_between_places(L, dst, src, s, fn);
}


/* ---- arrays of any shape ---- */

/* Pushes a view of src in the shape of dst. */
static void push_broadcast (lua_State *L, int dst, int src, const char *fn) {
  const lcul_array *d = lcul_toobject(L, dst), *a = lcul_toobject(L, src);
  lcul_array *v = lcul_array_alias(L, src, d->ndim);
  if (lcul_array_same_shape(d, a)) return;
  if (!lcul_array_broadcast_strides(a, d->ndim, d->shape, v->strides)) {
    char from[160], to[160];
    lcul_misuse(L, "%s: shape %s does not broadcast to %s", fn,
                lcul_shape_text(a->shape, a->ndim, from, sizeof from),
                lcul_shape_text(d->shape, d->ndim, to, sizeof to));
  }
  v->ndim = d->ndim;
  memcpy(v->shape, d->shape, (size_t)d->ndim * sizeof d->shape[0]);
  lcul_array_measure(v);
}

static void check_types (lua_State *L, const lcul_array *d, const lcul_array *a, const char *fn) {
  if (lcul_array_same_type(d, a) ||
      (d->dtype->kind != LCU_KIND_STRUCT && a->dtype->kind != LCU_KIND_STRUCT))
    return;
  lcul_misuse(L, "%s: %s elements do not convert to %s", fn, a->dtype->name, d->dtype->name);
}

void lcul_array_keep_parts (lua_State *L, const lcu_dtype *to, const lcu_dtype *from,
                            const char *fn, int arg) {
  bool real = to->kind == LCU_KIND_INT || to->kind == LCU_KIND_UINT || to->kind == LCU_KIND_FLOAT;
  if (from->kind != LCU_KIND_COMPLEX || !real) return;
  lcul_fail_arg(L, fn, arg, "data",
                "%s loses the imaginary part of %s; a:real() returns the real parts", to->name,
                from->name);
}

void lcul_array_assign (lua_State *L, int dst, int src, lcu_stream *s, const char *fn) {
  luaL_checkstack(L, 12, fn);
  dst = lua_absindex(L, dst);
  src = lua_absindex(L, src);
  const lcul_array *d = lcul_array_check(L, dst), *a = lcul_array_check(L, src);
  check_types(L, d, a, fn);
  lcul_array_writable(L, d, fn);
  int base = lua_gettop(L);
  /* own handles: a finalizer may close the caller's */
  d = lcul_array_alias(L, dst, 0);
  dst = base + 1;
  push_broadcast(L, dst, src, fn);
  int view = base + 2;
  bool separate = d->size > 0 && overlaps(d, lcul_toobject(L, view));
  if (separate) {
    a = lcul_toobject(L, view);
    lcul_stream_hold(L, s); /* a conversion may run Lua code */
    (void)lcul_array_converted(L, view, a->dtype, view, a->block->device, assign_stream(L, a, s),
                               fn);
    lcul_array_drop(L, view);
    lua_replace(L, view);
  }
  if (d->size > 0) assign_same(L, dst, view, s, fn);
  if (separate) lcul_stream_release(L, view + 1);
  lcul_array_drop(L, view);
  lcul_array_drop(L, dst);
  lua_settop(L, base);
}

lcul_array *lcul_array_converted (lua_State *L, int src, const lcu_dtype *t, int dtype_idx,
                                  lcu_device *d, lcu_stream *s, const char *fn) {
  lcul_shape shape;
  src = lua_absindex(L, src);
  lcul_array_shape_of(lcul_toobject(L, src), &shape);
  lcul_shape_measure_arg(L, &shape, t, fn, 1);
  lcul_array *a = lcul_array_make(L, d, s->device == d ? s : NULL, t, dtype_idx, &shape);
  lcul_array_assign(L, -1, src, s, fn);
  return a;
}


/* ---- host memory and single elements ---- */

void lcul_array_store (lua_State *L, int dst, const void *data, lcu_stream *s, const char *fn) {
  const lcul_array *d = lcul_toobject(L, dst);
  (void)fn;
  lcul_status(L,
              lcu_copy_in(d->block, (size_t)d->offset, data, (size_t)d->size * d->dtype->size, s));
}

/* Pushes an array with one element on the device of dst, for kernels. */
static void push_single (lua_State *L, int dst, const void *element, lcu_stream *s) {
  const lcul_array *d = lcul_toobject(L, dst);
  lcul_shape one = { .ndim = 0, .size = 1 };
  lcul_array *a = lcul_array_make(L, d->block->device, s, d->dtype, dst, &one);
  lcul_status(L, lcu_copy_in(a->block, 0, element, d->dtype->size, s));
}

static bool fill_width (const lcu_dtype *t) {
  return t->size <= 16 && (t->size & (t->size - 1)) == 0;
}

void lcul_array_fill_element (lua_State *L, int dst, const void *element, lcu_stream *s,
                              const char *fn) {
  static const int64_t still[LCUL_MAX_DIMS] = { 0 };
  dst = lua_absindex(L, dst);
  const lcul_array *d = lcul_array_check(L, dst);
  lcul_array_writable(L, d, fn);
  if (d->size == 0) return;
  if (d->contiguous && fill_width(d->dtype)) {
    lcul_status(L,
                lcu_fill(d->block, (size_t)d->offset, element, d->dtype->size, (size_t)d->size, s));
  } else if (lcul_array_in_place(L, d)) {
    lcul_array_wait_part(L, d, assign_stream(L, d, s), 0, 0, fn);
    copy_marks(d, lcu_block_marks(d->block), d, NULL);
    lcul_convert_host(d->dtype, lcul_block_host(d->block) + d->offset, d->strides, d->dtype,
                      element, still, d->ndim, d->shape);
  } else {
    push_single(L, dst, element, s);
    lcul_array_assign(L, dst, -1, s, fn);
    lua_pop(L, 1);
  }
}
