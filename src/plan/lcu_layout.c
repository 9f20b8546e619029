/* lcu_layout.c: drops, reorders and merges axes, chooses vectors, and computes the numbers for the
 * kernel. */
#include "lcu_layout.h"

#include <limits.h>

#include "lcu_axes.h"

/* extent below which a tile is not worth its shared memory */
enum { LEAST_TILED = 16 };
enum { LEAST_ROW = 32 }; /* units: the lanes of a warp */

/* ---- axes ---- */

static lcu_axes layout_axes (lcu_layout *l) { return (lcu_axes){ l->dims, l->operands, l->num }; }

static void drop_ones (lcu_layout *l) {
  int n = 0;
  for (int d = 0; d < l->ndim; d++)
    if (l->dims[d] != 1) lcu_axes_move(layout_axes(l), n++, d);
  l->ndim = n;
}

/* A single element: one axis of one element, adjacent for all operands. */
static void one_axis (lcu_layout *l) {
  l->ndim = 1;
  l->dims[0] = 1;
  for (int j = 0; j < l->num; j++) l->operands[j].strides[0] = l->operands[j].itemsize;
}

static void classify_layout (lcu_layout *l) {
  int p = l->ndim - 1;
  for (int j = 0; j < l->num; j++) {
    lcu_operand *o = &l->operands[j];
    o->along = o->strides[p] == (int64_t)o->itemsize ? LCU_STRIDE_UNIT
               : o->strides[p] == 0                  ? LCU_STRIDE_ZERO
                                                     : LCU_STRIDE_ANY;
  }
}

static bool all_unit (const lcu_layout *l) {
  for (int j = 0; j < l->num; j++)
    if (l->operands[j].along != LCU_STRIDE_UNIT) return false;
  return true;
}


/* ---- vectors ---- */

/* As many elements as one access of the largest type holds. Structs may have any size; accesses
 * hold a power of two. */
static int widest_layout (const lcu_layout *l) {
  uint32_t most = 1;
  for (int j = 0; j < l->num; j++) {
    uint32_t n = l->operands[j].itemsize;
    if ((n & (n - 1)) != 0) return 1;
    if (n > most) most = n;
  }
  return most < LCU_MOST_ACCESS ? (int)(LCU_MOST_ACCESS / most) : 1;
}

static uint64_t access_bytes (const lcu_operand *o, int v) {
  uint64_t n = (uint64_t)v * o->itemsize;
  return n < LCU_MOST_ACCESS ? n : LCU_MOST_ACCESS;
}

/* Are vectors of v elements aligned in every row? */
static bool is_aligned_layout (const lcu_layout *l, int v) {
  for (int j = 0; j < l->num; j++) {
    const lcu_operand *o = &l->operands[j];
    uint64_t bits = o->address, step = access_bytes(o, v);
    if (o->along != LCU_STRIDE_UNIT) continue;
    if (l->walk == LCU_WALK_STRIDED)
      for (int d = 0; d < l->ndim - 1; d++) bits |= (uint64_t)o->strides[d];
    if ((bits & (step - 1)) != 0) return false; /* both are powers of two */
  }
  return true;
}

static void choose_layout_vector (lcu_layout *l) {
  int64_t inner = l->walk == LCU_WALK_STRIDED ? l->dims[l->ndim - 1] : 0;
  int v = widest_layout(l);
  while (v > 1 && ((inner & (v - 1)) != 0 || !is_aligned_layout(l, v))) v /= 2;
  l->vector = v;
}


/* ---- tiles ---- */

static int adjacent_axis (const lcu_operand *o, int p) {
  for (int d = 0; d < p; d++)
    if (o->strides[d] == (int64_t)o->itemsize) return d;
  return -1;
}

/* Operands that are adjacent along an axis other than the innermost are read through tiles; the
 * first of them determines that axis. */
static bool find_tiles (lcu_layout *l, int lead) {
  int p = l->ndim - 1, q = -1;
  if (p < 1 || l->dims[p] < LEAST_TILED || l->operands[lead].along != LCU_STRIDE_UNIT) return false;
  for (int j = 0; j < l->num; j++) {
    lcu_operand *o = &l->operands[j];
    int axis = o->along == LCU_STRIDE_ANY ? adjacent_axis(o, p) : -1;
    if (axis < 0 || l->dims[axis] < LEAST_TILED || (q >= 0 && axis != q)) continue;
    q = axis;
    o->along = LCU_STRIDE_TILE;
  }
  l->q = q;
  return q >= 0;
}


/* ---- the plan ---- */

void lcu_layout_plan_flat (lcu_layout *l) {
  l->walk = LCU_WALK_FLAT;
  l->ndim = 1;
  for (int j = 0; j < l->num; j++) l->operands[j].along = LCU_STRIDE_UNIT;
  choose_layout_vector(l);
  l->wide = l->size >= LCU_FIRST_WIDE;
}

void lcu_layout_plan (lcu_layout *l, int lead, bool keep_order) {
  drop_ones(l);
  if (!keep_order) lcu_axes_sort(layout_axes(l), &l->operands[lead], 0, l->ndim);
  l->ndim = lcu_axes_merge(layout_axes(l), 0, 0, l->ndim);
  if (l->ndim == 0) one_axis(l);
  classify_layout(l);
  if (l->ndim == 1 && all_unit(l)) {
    lcu_layout_plan_flat(l);
    return;
  }
  l->wide = l->size >= LCU_FIRST_WIDE;
  l->vector = 1;
  if (!keep_order && find_tiles(l, lead)) {
    l->walk = LCU_WALK_TILE;
    return;
  }
  l->walk = LCU_WALK_STRIDED;
  choose_layout_vector(l);
  l->wide =
    keep_order ? l->size >= LCU_FIRST_WIDE : l->size / (uint64_t)l->vector >= LCU_FIRST_WIDE;
}


void lcu_layout_by_rows (lcu_layout *l) {
  if (l->walk == LCU_WALK_STRIDED && l->dims[l->ndim - 1] / l->vector >= LEAST_ROW)
    l->walk = LCU_WALK_ROWS;
}


/* ---- numbers for the kernel ---- */

/* Division of u < 2^31 by d: ((u * m) >> 32) + u, shifted right by s (Granlund and Montgomery 1994,
 * figure 4.1). */
static int64_t magic (int64_t divisor) {
  uint64_t d = (uint64_t)divisor, s = 0;
  if (d >= LCU_FIRST_WIDE) return 0; /* only wide kernels have such an axis, and they divide */
  while (((uint64_t)1 << s) < d) s++;
  uint64_t m = (((uint64_t)1 << 32) * (((uint64_t)1 << s) - d)) / d + 1;
  return (int64_t)(m & UINT32_MAX) | (int64_t)(s << 32);
}

static size_t pack_strided (const lcu_layout *l, int64_t *v, uint64_t *units) {
  size_t n = 0;
  int p = l->ndim - 1;
  *units = l->size / (uint64_t)l->vector;
  v[n++] = (int64_t)l->size;
  v[n++] = (int64_t)*units;
  for (int d = 1; d < l->ndim; d++) {
    int64_t extent = d == p ? l->dims[d] / l->vector : l->dims[d];
    v[n++] = extent;
    v[n++] = magic(extent);
  }
  for (int j = 0; j < l->num; j++)
    for (int d = 0; d < l->ndim; d++) v[n++] = l->operands[j].strides[d] * (d == p ? l->vector : 1);
  return n;
}

static size_t pack_tile (const lcu_layout *l, int tile, int64_t *v, uint64_t *units) {
  size_t n = 0;
  int p = l->ndim - 1, q = l->q;
  v[n++] = (int64_t)l->size;
  v[n++] = l->dims[p];
  v[n++] = l->dims[q];
  v[n++] = (l->dims[p] + tile - 1) / tile;
  v[n++] = (l->dims[q] + tile - 1) / tile;
  *units = (uint64_t)v[3] * (uint64_t)v[4];
  for (int d = 0; d < p; d++) {
    if (d == q) continue;
    v[n++] = l->dims[d];
    *units *= (uint64_t)l->dims[d];
  }
  if (*units > INT_MAX) *units = 0;
  for (int j = 0; j < l->num; j++) {
    const int64_t *s = l->operands[j].strides;
    v[n++] = s[p];
    v[n++] = s[q];
    for (int d = 0; d < p; d++)
      if (d != q) v[n++] = s[d];
  }
  return n;
}

size_t lcu_layout_pack (const lcu_layout *l, int tile, int64_t *v, uint64_t *units) {
  if (l->walk == LCU_WALK_STRIDED || l->walk == LCU_WALK_ROWS) return pack_strided(l, v, units);
  if (l->walk == LCU_WALK_TILE) return pack_tile(l, tile, v, units);
  v[0] = (int64_t)l->size;
  *units = (l->size + (uint64_t)l->vector - 1) / (uint64_t)l->vector;
  return 1;
}
