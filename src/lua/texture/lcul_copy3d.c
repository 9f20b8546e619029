/* lcul_copy3d.c: cuda.copy2d and cuda.copy3d: copies of rectangles and boxes of bytes. */
#include <inttypes.h>
#include <stdio.h>

#include "lcul_array_memory.h"
#include "lcul_box_copy.h"
#include "lcul_check.h"
#include "lcul_cuda_array.h"
#include "lcul_describe.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_strides.h"

/* One call: the table of options is argument 1. */
typedef struct job {
  const char *fn;
  bool three; /* copy3d */
  lcul_box c;
} job;

/* What the options of one side are called. */
typedef struct side_names {
  const char *side, *x, *y, *z, *pitch, *height;
} side_names;
static const side_names dst_names = { "dst", "dst_x", "dst_y", "dst_z", "dst_pitch", "dst_height" };
static const side_names src_names = { "src", "src_x", "src_y", "src_z", "src_pitch", "src_height" };

#define MOST (INT64_MAX / 4)

static size_t size_option (lua_State *L, const char *name, size_t def) {
  return (size_t)lcul_opt_integer(L, 1, name, (lua_Integer)def, 0, MOST);
}

static bool given (lua_State *L, const char *name) {
  bool there = lcul_opt_push(L, 1, name);
  if (there) lua_pop(L, 1);
  return there;
}


/* ---- CUDA arrays ---- */

/* Where the box begins. */
static void read_place (lua_State *L, const job *j, const side_names *n, lcul_side *s) {
  s->x = size_option(L, n->x, 0);
  s->y = size_option(L, n->y, 0);
  s->z = j->three ? size_option(L, n->z, 0) : 0;
}

static size_t rest (size_t extent, size_t from) { return from < extent ? extent - from : 0; }

/* The default extents are what a CUDA array has from the place on. */
static void default_extents (const lcul_cuda_array *a, const lcul_side *s, lcul_box *c) {
  lcul_extent e = lcul_cuda_array_extent(a);
  c->width = rest(e.width * lcul_cuda_array_texel(a), s->x);
  c->height = rest(e.height, s->y);
  c->depth = rest(e.depth, s->z);
}

static void check_region (lua_State *L, const job *j, const side_names *n, const lcul_side *s) {
  const lcul_cuda_array *a = lcul_cuda_array_check(L, s->idx);
  const lcul_box *c = &j->c;
  lcul_extent e = lcul_cuda_array_extent(a);
  size_t texel = lcul_cuda_array_texel(a), row = e.width * texel;
  if (s->x > row || c->width > row - s->x || s->y > e.height || c->height > e.height - s->y ||
      s->z > e.depth || c->depth > e.depth - s->z)
    lcul_misuse(L,
                "%s: option '%s': the box reaches past the CUDA array (%zu bytes, %zu rows, %zu "
                "slices)",
                j->fn, n->side, row, e.height, e.depth);
  if (s->x % texel != 0 || c->width % texel != 0)
    lcul_misuse(L, "%s: option '%s': the box does not hold whole texels of %zu bytes", j->fn,
                n->side, texel);
}


/* ---- memory ---- */

/* Has the array rows, whose elements follow each other without gaps, as those of alloc_pitch? */
static bool array_has_rows (const lcul_array *a) {
  int last = a->ndim - 1;
  return a->ndim >= 2 && a->ndim <= 3 && a->strides[last - 1] > 0 &&
         (a->shape[last] <= 1 || a->strides[last] == a->dtype->size) &&
         (a->ndim == 2 || (a->strides[0] > 0 && a->strides[0] % a->strides[1] == 0));
}

/* Pitch and height that the array itself has. */
static void layout_of (const lcul_array *a, const job *j, size_t *pitch, size_t *height) {
  bool rows = array_has_rows(a) && (j->three || a->ndim == 2);
  *pitch = rows ? (size_t)a->strides[a->ndim - 2] : j->c.width;
  *height = rows && a->ndim == 3 ? (size_t)(a->strides[0] / a->strides[1]) : j->c.height;
}

/* a * b + c, or MOST where that is more. */
static size_t grow (size_t a, size_t b, size_t c) {
  size_t v;
  if (__builtin_mul_overflow(a, b, &v) || __builtin_add_overflow(v, c, &v) || v > (size_t)MOST)
    return (size_t)MOST;
  return v;
}

static void check_layout (lua_State *L, const job *j, const side_names *n, const lcul_side *s) {
  if (s->pitch < j->c.width)
    lcul_misuse(L, "%s: option '%s' is less than 'width'", j->fn, n->pitch);
  if (s->x > s->pitch)
    lcul_misuse(L, "%s: options '%s' and '%s' are outside the array", j->fn, n->x, n->y);
  if (j->c.depth > 1 && s->height < j->c.height)
    lcul_misuse(L, "%s: option '%s' is less than 'height'", j->fn, n->height);
}

/* Pushes the bytes of the box as a view of the array at idx. */
static void push_box (lua_State *L, const job *j, lcul_side *s) {
  const lcul_box *c = &j->c;
  lcul_array *v = lcul_array_alias_as(L, s->idx, 3, &lcu_dtypes[LCU_UINT8], s->idx);
  int64_t first, last;
  const lcul_array *a = lcul_array_check(L, s->idx);
  lcul_array_extent(a, &first, &last);
  size_t have = (size_t)(last - first), slice = grow(s->pitch, s->height, 0),
         offset = grow(grow(s->z, s->height, s->y), s->pitch, s->x), end = offset;
  bool empty = c->width == 0 || c->height == 0 || c->depth == 0;
  if (!empty)
    end = grow(c->depth - 1, slice, grow(c->height - 1, s->pitch, grow(1, c->width, offset)));
  if (end > have)
    lcul_misuse(L, "%s: %s of %zu bytes reach past the end of the array (%zu bytes)", j->fn,
                j->three ? "slices" : "rows", c->width, have);
  v->offset = first + (int64_t)offset;
  v->ndim = 3;
  v->shape[0] = (int64_t)c->depth;
  v->shape[1] = (int64_t)c->height;
  v->shape[2] = (int64_t)c->width;
  v->strides[0] = (int64_t)slice;
  v->strides[1] = (int64_t)s->pitch;
  v->strides[2] = 1;
  lcul_array_measure(v);
  s->idx = lua_gettop(L);
  s->rows = s->pitch <= INT32_MAX;
}

static void read_memory (lua_State *L, const job *j, const side_names *n, lcul_side *s) {
  const lcul_array *a = lcul_array_check(L, s->idx);
  size_t pitch, height;
  if (s == &j->c.dst) lcul_array_permits_write(L, a, j->fn);
  if (!a->contiguous && !array_has_rows(a))
    lcul_misuse(L, "%s: option '%s': expected a contiguous array or one of whole rows", j->fn,
                n->side);
  layout_of(a, j, &pitch, &height);
  s->pitch = size_option(L, n->pitch, pitch);
  s->height = j->three ? size_option(L, n->height, height) : height;
  check_layout(L, j, n, s);
  push_box(L, j, s);
}


/* ---- the call ---- */

/* Pushes the value of option dst or src. */
static void push_side (lua_State *L, const job *j, const side_names *n, lcul_side *s) {
  char got[96];
  s->idx = lua_gettop(L) + 1;
  if (!lcul_opt_push(L, 1, n->side)) lua_pushnil(L);
  if (lcul_cuda_array_test(L, s->idx) != NULL) (void)lcul_cuda_array_check(L, s->idx);
  else if (lcul_array_test(L, s->idx) != NULL) (void)lcul_array_check(L, s->idx);
  else
    lcul_misuse(L, "%s: option '%s': expected Array or CuArray, got %s", j->fn, n->side,
                lcul_describe(L, s->idx, got, sizeof got));
  read_place(L, j, n, s);
}

static void extent_option (lua_State *L, const job *j, const char *name, bool has_default,
                           size_t *extent) {
  if (!has_default && !given(L, name)) lcul_misuse(L, "%s: option '%s' is missing", j->fn, name);
  *extent = size_option(L, name, *extent);
}

/* Extents that are not given are those of a CUDA array, dst before src. */
static void read_extents (lua_State *L, job *j) {
  lcul_box *c = &j->c;
  const lcul_cuda_array *to = lcul_cuda_array_test(L, c->dst.idx),
                        *from = lcul_cuda_array_test(L, c->src.idx);
  bool has_default = to != NULL || from != NULL;
  c->depth = 1;
  if (to != NULL) default_extents(to, &c->dst, c);
  else if (from != NULL) default_extents(from, &c->src, c);
  extent_option(L, j, "width", has_default, &c->width);
  extent_option(L, j, "height", has_default, &c->height);
  if (j->three) extent_option(L, j, "depth", true, &c->depth);
  else c->depth = 1;
}

/* Closed CUDA arrays raise as well. */
static void check_regions (lua_State *L, const job *j) {
  if (lcul_cuda_array_test(L, j->c.dst.idx) != NULL) check_region(L, j, &dst_names, &j->c.dst);
  if (lcul_cuda_array_test(L, j->c.src.idx) != NULL) check_region(L, j, &src_names, &j->c.src);
}

static int run (lua_State *L, job *j, const char *const names[]) {
  lcul_box *c = &j->c;
  lcul_check_table(L, 1);
  lcul_check_most(L, 1);
  lcul_options(L, 1, j->fn, names);
  push_side(L, j, &dst_names, &c->dst);
  push_side(L, j, &src_names, &c->src);
  read_extents(L, j);
  check_regions(L, j);
  if (lcul_cuda_array_test(L, c->dst.idx) == NULL) read_memory(L, j, &dst_names, &c->dst);
  if (lcul_cuda_array_test(L, c->src.idx) == NULL) read_memory(L, j, &src_names, &c->src);
  lcu_device *d = lcul_box_copy_device(L, c->dst.idx, c->src.idx);
  lcu_stream *s = lcul_work_stream(L, 1, d);
  check_regions(L, j); /* again: a metamethod of the options may have closed one */
  lcul_box_copy(L, c, s, j->fn);
  return 0;
}

/* copy2d{ dst =, src =, width = bytes, height =, dst_pitch =, src_pitch =, dst_x =, dst_y =, src_x
 * =, src_y =, stream = } */
static int core_copy2d (lua_State *L) {
  static const char *const names[] = { "dst",       "src",       "width",  "height",
                                       "dst_pitch", "src_pitch", "dst_x",  "dst_y",
                                       "src_x",     "src_y",     "stream", NULL };
  job j = { .fn = "copy2d", .three = false };
  return run(L, &j, names);
}

/* copy3d: the same with depth =, dst_z =, src_z =, dst_height =, src_height = (rows from slice to
 * slice) */
static int core_copy3d (lua_State *L) {
  static const char *const names[] = { "dst",        "src",       "width",     "height",
                                       "depth",      "dst_pitch", "src_pitch", "dst_height",
                                       "src_height", "dst_x",     "dst_y",     "dst_z",
                                       "src_x",      "src_y",     "src_z",     "stream",
                                       NULL };
  job j = { .fn = "copy3d", .three = true };
  return run(L, &j, names);
}

void lcul_open_copy3d (lua_State *L) {
  static const luaL_Reg functions[] = { { "copy2d", core_copy2d },
                                        { "copy3d", core_copy3d },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
