/* lcul_box_copy.c: copies between arrays and CUDA arrays, in rows and slices.
 *
 *   memory that the device reaches, rows of one pitch    one copy of the driver
 *   other strides, or memory of another device           a dense array on the device between
 *   two CUDA arrays of different devices                 a dense array on each device between */
#include "lcul_box_copy.h"

#include "lcul_array_memory.h"
#include "lcul_assign.h"
#include "lcul_error.h"
#include "lcul_scope.h"
#include "lcul_stream.h"


/* ---- the sides ---- */

/* Bytes from row to row and from slice to slice. False: the elements of a row have gaps. */
static bool strides_of (const lcul_array *a, const lcul_cuda_array *like, int64_t *pitch,
                        int64_t *slice) {
  int w = like->ndim - 1;
  int64_t texel = (int64_t)lcul_cuda_array_texel(like);
  lcul_extent e = lcul_cuda_array_extent(like);
  if (like->channels > 1 && a->strides[w + 1] != a->dtype->size) return false;
  if (e.width > 1 && a->strides[w] != texel) return false;
  *pitch = e.height > 1  ? a->strides[w - 1]
           : e.depth > 1 ? a->strides[0]
                         : (int64_t)e.width * texel;
  *slice = e.depth > 1 ? a->strides[0] : *pitch * (int64_t)e.height;
  return true;
}

void lcul_side_of_array (lua_State *L, int idx, const lcul_cuda_array *like, lcul_side *out) {
  const lcul_array *a = lcul_array_check(L, idx);
  lcul_extent e = lcul_cuda_array_extent(like);
  int64_t width = (int64_t)(e.width * lcul_cuda_array_texel(like)), height = (int64_t)e.height,
          pitch = width, slice = width * height;
  *out = (lcul_side){ .idx = idx };
  if (!a->contiguous && !strides_of(a, like, &pitch, &slice)) return;
  out->rows = pitch >= width && pitch <= INT32_MAX && slice >= pitch * height && slice % pitch == 0;
  if (!out->rows) return;
  out->pitch = (size_t)pitch;
  out->height = (size_t)(slice / pitch);
}

static void core_side (lua_State *L, const lcul_side *s, lcu_box_side *out) {
  const lcul_cuda_array *c = lcul_cuda_array_test(L, s->idx);
  if (c != NULL) {
    *out = (lcu_box_side){ .block = c->block, .array = c->handle, .x = s->x, .y = s->y, .z = s->z };
    return;
  }
  const lcul_array *a = lcul_toobject(L, s->idx);
  *out = (lcu_box_side){
    .block = a->block, .offset = (size_t)a->offset, .pitch = s->pitch, .height = s->height
  };
}

static bool is_cuda_array (lua_State *L, const lcul_side *s) {
  return lcul_cuda_array_test(L, s->idx) != NULL;
}

lcu_device *lcul_box_copy_device (lua_State *L, int dst, int src) {
  int idx = lcul_cuda_array_test(L, dst) != NULL ? dst : src;
  if (lcul_cuda_array_test(L, idx) != NULL) return lcul_cuda_array_check(L, idx)->block->device;
  return lcul_work_device(lcul_toobject(L, dst), lcul_toobject(L, src));
}


/* ---- with a dense array between ---- */

/* Pushes a second handle: a finalizer may close the caller's. */
static void push_alias (lua_State *L, int idx) {
  if (lcul_cuda_array_test(L, idx) == NULL) {
    (void)lcul_array_alias(L, idx, 0);
    return;
  }
  lcul_cuda_array *v = lcul_newobject(L, LCUL_CUDA_ARRAY, sizeof *v, 0);
  const lcul_cuda_array *a = lcul_cuda_array_check(L, idx);
  (void)lcu_ref(a->block);
  *v = *a;
}

/* The side of the dense array at the top of the stack. */
static lcul_side dense_side (lua_State *L, const lcul_box *c) {
  return (lcul_side){ .idx = lua_gettop(L), .rows = true, .pitch = c->width, .height = c->height };
}

static void copy_sides (lua_State *L, lcul_box c, lcu_stream *s, const char *fn);

static void from_other_memory (lua_State *L, lcul_box c, lcu_stream *s, const char *fn) {
  const lcul_array *a = lcul_toobject(L, c.src.idx);
  (void)lcul_array_converted(L, c.src.idx, a->dtype, c.src.idx, s->device, s, fn);
  c.src = dense_side(L, &c);
  copy_sides(L, c, s, fn);
}

static void to_other_memory (lua_State *L, lcul_box c, lcu_stream *s, const char *fn) {
  const lcul_array *a = lcul_toobject(L, c.dst.idx);
  int dst = c.dst.idx;
  lcul_shape shape;
  lcul_array_shape_of(a, &shape);
  const lcul_array *dense = lcul_array_make(L, s->device, s, a->dtype, dst, &shape);
  c.dst = dense_side(L, &c);
  copy_sides(L, c, s, fn);
  lcu_device *work = lcul_work_device(lcul_toobject(L, dst), dense);
  lcul_array_assign(L, dst, c.dst.idx, s->device == work ? s : lcul_stream_current(L, work), fn);
}

static void between_devices (lua_State *L, lcul_box c, lcu_stream *s, const char *fn) {
  lcu_device *from = ((lcul_cuda_array *)lcul_toobject(L, c.src.idx))->block->device;
  lcul_shape shape = { .ndim = 1, .dims = { (int64_t)(c.width * c.height * c.depth) } };
  lcu_stream *there = lcul_stream_current(L, from);
  lcul_box half = c;
  shape.size = shape.dims[0];
  (void)lcul_array_make(L, from, there, &lcu_dtypes[LCU_UINT8], 0, &shape);
  half.dst = c.src = dense_side(L, &c);
  copy_sides(L, half, there, fn);
  from_other_memory(L, c, s, fn);
}

static void copy_direct (lua_State *L, const lcu_box *box, lcu_stream *s, const char *fn) {
  if (lcu_box_waits(box)) {
    lcul_sync_allowed(L, fn);
    lcul_block_turn(L, box->dst.block, s, fn);
    lcul_block_turn(L, box->src.block, s, fn);
  }
  lcul_status(L, lcu_copy_box(box, s));
}

static void copy_between (lua_State *L, lcul_box c, lcu_stream *s, const char *fn) {
  if (is_cuda_array(L, &c.dst) && is_cuda_array(L, &c.src)) between_devices(L, c, s, fn);
  else if (is_cuda_array(L, &c.dst)) from_other_memory(L, c, s, fn);
  else if (is_cuda_array(L, &c.src)) to_other_memory(L, c, s, fn);
  else lcul_array_assign(L, c.dst.idx, c.src.idx, s, fn);
}

/* Could the copy read bytes that it has written? */
static bool overlaps (lua_State *L, const lcul_box *c) {
  return !is_cuda_array(L, &c->dst) && !is_cuda_array(L, &c->src) &&
         lcul_array_overlap(lcul_toobject(L, c->dst.idx), lcul_toobject(L, c->src.idx));
}

static bool side_has_rows (lua_State *L, const lcul_side *s) {
  return s->rows || is_cuda_array(L, s);
}

static bool get_direct (lua_State *L, const lcul_box *c, const lcu_stream *s, lcu_box *box) {
  if (!side_has_rows(L, &c->dst) || !side_has_rows(L, &c->src) || overlaps(L, c)) return false;
  core_side(L, &c->dst, &box->dst);
  core_side(L, &c->src, &box->src);
  box->width = c->width;
  box->height = c->height;
  box->depth = c->depth;
  return lcu_box_is_direct(box) && lcu_box_device(box) == s->device;
}

static void copy_sides (lua_State *L, lcul_box c, lcu_stream *s, const char *fn) {
  lcu_box box;
  if (get_direct(L, &c, s, &box)) copy_direct(L, &box, s, fn);
  else copy_between(L, c, s, fn);
}

/* Conversions run Lua code, which may close what the caller gave. */
void lcul_box_copy (lua_State *L, const lcul_box *c, lcu_stream *s, const char *fn) {
  lcu_box box;
  lcul_box own = *c;
  int top = lua_gettop(L);
  if (lcu_likely(get_direct(L, c, s, &box))) {
    copy_direct(L, &box, s, fn);
    return;
  }
  luaL_checkstack(L, 16, fn);
  lcul_stream_hold(L, s);
  push_alias(L, c->dst.idx);
  own.dst.idx = lua_gettop(L);
  push_alias(L, c->src.idx);
  own.src.idx = lua_gettop(L);
  copy_between(L, own, s, fn);
  lcul_stream_release(L, top + 1);
  lua_settop(L, top);
}
