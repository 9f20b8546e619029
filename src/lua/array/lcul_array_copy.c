/* lcul_array_copy.c: copies between arrays of any dtype, layout and memory.
 *
 *   same dtype, both without gaps         one copy of bytes, asynchronous
 *   both readable in place by the host    wait, then loops over the axes here
 *   both on one device                    a generated kernel (luacuda.convert)
 *   two places                            made dense on the source's side, copied, spread on the
 * destination's */
#include "lcul_array_impl.h"

#include <string.h>

/* Loops over host memory. */

typedef struct nest {
  int ndim;
  int64_t shape[LCUL_MAX_DIMS], ds[LCUL_MAX_DIMS], ss[LCUL_MAX_DIMS];
} nest;

/* Axes of one element go, neighbours that step alike in both become one. */
static void nest_make (nest *n, int ndim, const int64_t *shape, const int64_t *ds,
                       const int64_t *ss) {
  n->ndim = 0;
  for (int i = 0; i < ndim; i++) {
    if (shape[i] == 1) continue;
    int last = n->ndim - 1;
    if (last >= 0 && n->ds[last] == ds[i] * shape[i] && n->ss[last] == ss[i] * shape[i]) {
      n->shape[last] *= shape[i];
    } else {
      last = n->ndim++;
      n->shape[last] = shape[i];
    }
    n->ds[last] = ds[i];
    n->ss[last] = ss[i];
  }
}

/* The axis along which the destination is densest comes last. */
static void nest_sort (nest *n) {
  for (int i = 1; i < n->ndim; i++)
    for (int j = i; j > 0; j--) {
      int64_t a = n->ds[j - 1] < 0 ? -n->ds[j - 1] : n->ds[j - 1],
              b = n->ds[j] < 0 ? -n->ds[j] : n->ds[j];
      if (a >= b) break;
      int64_t t;
      t = n->shape[j];
      n->shape[j] = n->shape[j - 1];
      n->shape[j - 1] = t;
      t = n->ds[j];
      n->ds[j] = n->ds[j - 1];
      n->ds[j - 1] = t;
      t = n->ss[j];
      n->ss[j] = n->ss[j - 1];
      n->ss[j - 1] = t;
    }
}

/* Elements of a struct are bytes to lcu_dtype_convert's strided loop. */
static void copy_structs (size_t size, char *dst, int64_t ds, const char *src, int64_t ss,
                          int64_t n) {
  for (int64_t i = 0; i < n; i++) memmove(dst + i * ds, src + i * ss, size);
}

static void convert_run (const lcu_dtype *dt, char *dst, int64_t ds, const lcu_dtype *st,
                         const char *src, int64_t ss, int64_t n) {
  if (dt->kind == LCU_KIND_STRUCT) copy_structs(dt->size, dst, ds, src, ss, n);
  else lcu_dtype_convert(dt, dst, ds, st, src, ss, (size_t)n);
}

static void run_axis (const nest *n, int axis, const lcu_dtype *dt, char *dst, const lcu_dtype *st,
                      const char *src) {
  if (axis + 1 >= n->ndim) {
    bool one = n->ndim == 0;
    convert_run(dt, dst, one ? dt->size : n->ds[axis], st, src, one ? st->size : n->ss[axis],
                one ? 1 : n->shape[axis]);
    return;
  }
  for (int64_t i = 0; i < n->shape[axis]; i++)
    run_axis(n, axis + 1, dt, dst + i * n->ds[axis], st, src + i * n->ss[axis]);
}

void lcul_convert_host (const lcu_dtype *dt, char *dst, const int64_t *ds, const lcu_dtype *st,
                        const char *src, const int64_t *ss, int ndim, const int64_t *shape) {
  nest n;
  for (int i = 0; i < ndim; i++)
    if (shape[i] == 0) return;
  nest_make(&n, ndim, shape, ds, ss);
  nest_sort(&n);
  run_axis(&n, 0, dt, dst, st, src);
}


/* The generated kernel: convert(dst, src, stream) of luacuda.array.convert. */
static void convert_on_device (lua_State *L, int dst, int src, lcu_stream *s) {
  luaL_checkstack(L, 8, "conversion");
  lcul_push_library(L, "luacuda.array.convert");
  lua_pushvalue(L, dst);
  lua_pushvalue(L, src);
  lcul_stream_push(L, s);
  lua_call(L, 3, 0);
}


/* Assignment. dst and src have the same shape from here on. */

static bool same_type (const lcul_array *a, const lcul_array *b) {
  return a->dtype == b->dtype ||
         (a->dtype->id == b->dtype->id && a->dtype->kind != LCU_KIND_STRUCT);
}

static bool same_layout (const lcul_array *a, const lcul_array *b) {
  return a->offset == b->offset &&
         memcmp(a->strides, b->strides, (size_t)a->ndim * sizeof a->strides[0]) == 0;
}

/* Do the two share bytes in a way that copying element by element could read what it wrote? */
static bool overlaps (const lcul_array *dst, const lcul_array *src) {
  return lcul_array_overlap(dst, src) &&
         !(dst->block == src->block && same_type(dst, src) && same_layout(dst, src));
}

static bool copies_as_bytes (const lcul_array *dst, const lcul_array *src) {
  return same_type(dst, src) && dst->contiguous && src->contiguous;
}

static void copy_bytes (lua_State *L, const lcul_array *dst, const lcul_array *src, lcu_stream *s) {
  size_t n = (size_t)dst->size * dst->dtype->size;
  lcul_status(L, lcu_copy(dst->block, (size_t)dst->offset, src->block, (size_t)src->offset, n, s));
}

static void convert_in_place (lua_State *L, const lcul_array *dst, const lcul_array *src,
                              const char *fn) {
  lcul_array_wait(L, src, false, fn);
  lcul_array_wait(L, dst, true, fn);
  lcul_convert_host(dst->dtype, lcul_block_host(dst->block) + dst->offset, dst->strides, src->dtype,
                    lcul_block_host(src->block) + src->offset, src->strides, dst->ndim, dst->shape);
}

static void assign_same (lua_State *L, int dst, int src, lcu_stream *s, const char *fn);

/* The stream to work on in the place of an array: the caller's where it is of that device. */
static lcu_stream *stream_at (lua_State *L, const lcul_array *a, lcu_stream *s) {
  return s->device == a->block->device ? s : lcul_stream_current(L, a->block->device);
}

/* src has another dtype or gaps: make it dense in dst's dtype where it is; then copy; then
 * spread. */
static void assign_between_places (lua_State *L, int dst, int src, lcu_stream *s, const char *fn) {
  int top = lua_gettop(L);
  const lcul_array *d = lcul_toobject(L, dst), *a = lcul_toobject(L, src);
  lcul_stream_hold(L, s); /* conversions run Lua code */
  if (!same_type(d, a) || !a->contiguous) {
    (void)lcul_array_converted(L, src, d->dtype, dst, a->block->device, stream_at(L, a, s), fn);
    src = lua_gettop(L);
    a = lcul_toobject(L, src);
  }
  if (!d->contiguous) {
    (void)lcul_array_converted(L, src, d->dtype, dst, d->block->device, stream_at(L, d, s), fn);
    src = lua_gettop(L);
    a = lcul_toobject(L, src);
  }
  assign_same(L, dst, src, s, fn);
  lcul_stream_release(L, top + 1);
  lua_settop(L, top);
}

static void assign_same (lua_State *L, int dst, int src, lcu_stream *s, const char *fn) {
  const lcul_array *d = lcul_toobject(L, dst), *a = lcul_toobject(L, src);
  if (copies_as_bytes(d, a)) copy_bytes(L, d, a, s);
  else if (lcul_array_is_host(d) && lcul_array_is_host(a)) convert_in_place(L, d, a, fn);
  else if (d->block->device == a->block->device) convert_on_device(L, dst, src, s);
  else assign_between_places(L, dst, src, s, fn);
}

/* Pushes src seen in dst's shape. */
static void push_broadcast (lua_State *L, int dst, int src, const char *fn) {
  const lcul_array *d = lcul_toobject(L, dst), *a = lcul_toobject(L, src);
  lcul_array *v = lcul_array_alias(L, src, d->ndim);
  if (lcul_shape_same(d, a)) return;
  if (!lcul_layout_broadcast(a, d->ndim, d->shape, v->strides)) {
    char from[160], to[160];
    lcul_misuse(L, "%s: shape %s does not broadcast to %s", fn,
                lcul_shape_text(a->shape, a->ndim, from, sizeof from),
                lcul_shape_text(d->shape, d->ndim, to, sizeof to));
  }
  v->ndim = d->ndim;
  memcpy(v->shape, d->shape, (size_t)d->ndim * sizeof d->shape[0]);
  lcul_layout_update(v);
}

static void check_types (lua_State *L, const lcul_array *d, const lcul_array *a, const char *fn) {
  if (same_type(d, a) || (d->dtype->kind != LCU_KIND_STRUCT && a->dtype->kind != LCU_KIND_STRUCT))
    return;
  lcul_misuse(L, "%s: %s elements do not convert to %s", fn, a->dtype->name, d->dtype->name);
}

void lcul_array_assign (lua_State *L, int dst, int src, lcu_stream *s, const char *fn) {
  luaL_checkstack(L, 12, fn);
  dst = lua_absindex(L, dst);
  src = lua_absindex(L, src);
  const lcul_array *d = lcul_array_check(L, dst), *a = lcul_array_check(L, src);
  check_types(L, d, a, fn);
  lcul_array_writable(L, d, fn);
  int base = lua_gettop(L);
  /* handles of our own: a finaliser may close the caller's */
  d = lcul_array_alias(L, dst, 0);
  dst = base + 1;
  push_broadcast(L, dst, src, fn);
  int view = base + 2;
  bool separate = d->size > 0 && overlaps(d, lcul_toobject(L, view));
  if (separate) {
    a = lcul_toobject(L, view);
    lcul_stream_hold(L, s); /* a conversion may run Lua code */
    (void)lcul_array_converted(L, view, a->dtype, view, a->block->device, stream_at(L, a, s), fn);
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


/* From host memory and single elements. */

void lcul_array_store (lua_State *L, int dst, const void *data, lcu_stream *s, const char *fn) {
  const lcul_array *d = lcul_toobject(L, dst);
  (void)fn;
  lcul_status(L,
              lcu_copy_in(d->block, (size_t)d->offset, data, (size_t)d->size * d->dtype->size, s));
}

/* An array of one element next to dst, for kernels. Pushes it. */
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
  } else if (lcul_array_is_host(d)) {
    lcul_array_wait(L, d, true, fn);
    lcul_convert_host(d->dtype, lcul_block_host(d->block) + d->offset, d->strides, d->dtype,
                      element, still, d->ndim, d->shape);
  } else {
    push_single(L, dst, element, s);
    lcul_array_assign(L, dst, -1, s, fn);
    lua_pop(L, 1);
  }
}


/* Methods and functions. */

static const char *const stream_only[] = { "stream", NULL };
static const char *const copy_options[] = { "stream", "out", NULL };

/* Index of the options table at idx, or 0. */
static int options_at (lua_State *L, int idx, const char *fn, const char *const names[]) {
  return lcul_options(L, idx, fn, names) ? idx : 0;
}

/* Makes a copy of the array at 1 on device d, dtype t; s: where the work runs. */
static int push_copy (lua_State *L, const lcu_dtype *t, int dtype_idx, lcu_device *d, int opts,
                      const char *fn) {
  const lcul_array *a = lcul_toobject(L, 1);
  lcu_device *work = d->host_memory ? a->block->device : d;
  (void)lcul_array_converted(L, 1, t, dtype_idx, d, lcul_work_stream(L, opts, work), fn);
  return 1;
}

/* Pushes the array given as `out` in the options at opts, checked; false without one. The array at
 * 1 is checked again: a metamethod of the options may have closed it. */
static bool push_out (lua_State *L, int opts, const lcul_array *like, const lcu_dtype *t,
                      const char *fn) {
  char want[160], got[160];
  bool given = opts && lua_getfield(L, opts, "out") != LUA_TNIL;
  (void)lcul_array_check(L, 1);
  if (!given) return false;
  const lcul_array *o = lcul_array_test(L, -1);
  if (!o)
    lcul_misuse(L, "%s: option 'out': expected Array, got %s", fn,
                lcul_describe(L, -1, got, sizeof got));
  (void)lcul_array_check(L, -1);
  if (o->dtype->id != t->id || !lcul_shape_same(o, like))
    lcul_misuse(L, "%s: option 'out': expected Array %s %s, got %s", fn, t->name,
                lcul_shape_text(like->shape, like->ndim, want, sizeof want),
                lcul_describe(L, -1, got, sizeof got));
  return true;
}

/* The array at 1 into the array that push_out pushed, which is the result. */
static int fill_out (lua_State *L, int opts, const char *fn) {
  lcu_device *work = lcul_work_device(lcul_toobject(L, -1), lcul_toobject(L, 1));
  lcul_array_assign(L, -1, 1, lcul_work_stream(L, opts, work), fn);
  return 1;
}

static int array_copy (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  int opts = options_at(L, 2, "copy", copy_options);
  if (push_out(L, opts, a, a->dtype, "copy")) return fill_out(L, opts, "copy");
  return push_copy(L, a->dtype, 1, a->block->device, opts, "copy");
}

static int array_contiguous (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  int opts = options_at(L, 2, "contiguous", copy_options);
  if (push_out(L, opts, a, a->dtype, "contiguous")) return fill_out(L, opts, "contiguous");
  if (!a->contiguous) return push_copy(L, a->dtype, 1, a->block->device, opts, "contiguous");
  lua_settop(L, 1);
  return 1;
}

static int array_to (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lcu_device *d = lcul_device_arg(L, 2);
  int opts = options_at(L, 3, "to", copy_options);
  if (push_out(L, opts, a, a->dtype, "to")) {
    if (((lcul_array *)lcul_toobject(L, -1))->block->device != d)
      lcul_misuse(L, "to: option 'out': the array does not live on %s", d->label);
    return fill_out(L, opts, "to");
  }
  if (a->block->device != d) return push_copy(L, a->dtype, 1, d, opts, "to");
  lua_settop(L, 1);
  return 1;
}

static int array_astype (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  const lcu_dtype *t = lcul_dtype_check(L, 2);
  int opts = options_at(L, 3, "astype", copy_options);
  if (t->kind == LCU_KIND_STRUCT || a->dtype->kind == LCU_KIND_STRUCT)
    if (t != a->dtype)
      return lcul_misuse(L, "astype: %s elements do not convert to %s", a->dtype->name, t->name);
  if (!push_out(L, opts, a, t, "astype"))
    return push_copy(L, t, 2, a->block->device, opts, "astype");
  return fill_out(L, opts, "astype");
}

/* Both dense, or the same shape. */
static void check_copy (lua_State *L, const lcul_array *d, const lcul_array *a) {
  char to[160], from[160];
  if (same_type(d, a) && d->size == a->size &&
      (lcul_shape_same(d, a) || (d->contiguous && a->contiguous)))
    return;
  lcul_describe(L, 1, to, sizeof to);
  lcul_describe(L, 2, from, sizeof from);
  if (!same_type(d, a))
    lcul_misuse(L, "copy: argument 2 'src': the dtypes differ: %s into %s; dst:set(src) converts",
                from, to);
  lcul_misuse(L, "copy: argument 2 'src': the %s differ: %s into %s",
              d->size == a->size ? "shapes of views" : "sizes", from, to);
}

/* cuda.copy(dst, src [, { stream = }]) */
static int core_copy (lua_State *L) {
  const lcul_array *d = lcul_array_check(L, 1), *a = lcul_array_check(L, 2);
  int opts = options_at(L, 3, "copy", stream_only);
  check_copy(L, d, a);
  lcu_stream *s = lcul_work_stream(L, opts, lcul_work_device(d, a));
  lua_settop(L, 2);
  if (!lcul_shape_same(d, a)) {
    lcul_array *v = lcul_array_alias(L, 2, d->ndim);
    v->ndim = d->ndim;
    memcpy(v->shape, d->shape, (size_t)d->ndim * sizeof d->shape[0]);
    lcul_layout_rows(v);
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
const luaL_Reg lcul_copy_functions[] = { { "copy", core_copy }, { NULL, NULL } };
