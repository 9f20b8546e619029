/* test_layout.c: tests the plans of elementwise kernels. A plan is walked as the generated kernels
 * walk it (docs/design/elementwise.md) and compared with loops over the shape: both must visit the
 * same elements, each once, at the same addresses in every operand. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lcu_layout.h"

enum { TILE = 32, MOST_FAILURES = 10 };

static const int64_t edge = (int64_t)1 << 31;

static uint64_t seed = 1;
static uint64_t draw64 (void) {
  uint64_t z = seed += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static int draw (int n) { return (int)(draw64() % (uint64_t)n); }

/* ---- visits ---- */

/* The number of visited elements, and a sum over them that does not depend on the order. */
typedef struct tally {
  int64_t count;
  uint64_t sum;
} tally;

static void visit (tally *t, const uint64_t *at, int num, int64_t index) {
  uint64_t h = (uint64_t)index * 0x9e3779b97f4a7c15u + 1;
  for (int j = 0; j < num; j++) {
    h = (h ^ at[j]) * 0xff51afd7ed558ccdu;
    h ^= h >> 29;
  }
  t->count++;
  t->sum += h * h;
}

/* Visits all elements in C order. `index`: the index of an element is part of the sum. */
static tally walk_shape (const lcu_layout *l, bool index) {
  tally t = { 0, 0 };
  int64_t at[LCU_LAYOUT_DIMS] = { 0 };
  for (int64_t k = 0; k < (int64_t)l->size; k++) {
    uint64_t place[LCU_LAYOUT_OPERANDS];
    for (int j = 0; j < l->num; j++) {
      place[j] = l->operands[j].address;
      for (int d = 0; d < l->ndim; d++) place[j] += (uint64_t)(at[d] * l->operands[j].strides[d]);
    }
    visit(&t, place, l->num, index ? k : 0);
    for (int d = l->ndim - 1; d >= 0 && ++at[d] == l->dims[d]; d--) at[d] = 0;
  }
  return t;
}


/* ---- walking a plan as the kernels do ---- */

/* A single element is loaded with its own alignment. */
static void check_access (const lcu_layout *l, int j, uint64_t place) {
  uint64_t bytes = (uint64_t)l->vector * l->operands[j].itemsize;
  if (l->vector == 1) return;
  CHECK(bytes > 0 && (bytes & (bytes - 1)) == 0);
  CHECK(place % (bytes < 16 ? bytes : 16) == 0);
}

static void walk_flat (const lcu_layout *l, const int64_t *v, uint64_t units, bool index,
                       tally *t) {
  uint64_t place[LCU_LAYOUT_OPERANDS];
  int64_t whole = v[0] / l->vector;
  CHECK((int64_t)units == (v[0] + l->vector - 1) / l->vector);
  for (int64_t e = 0; e < v[0]; e++) {
    for (int j = 0; j < l->num; j++)
      place[j] = l->operands[j].address + (uint64_t)e * l->operands[j].itemsize;
    for (int j = 0; j < l->num && e % l->vector == 0 && e / l->vector < whole; j++)
      check_access(l, j, place[j]);
    visit(t, place, l->num, index ? e : 0);
  }
}

/* Division as in kernels with 32-bit indices. */
static uint64_t divide (uint64_t u, int64_t magic) {
  uint64_t high = (u * (uint64_t)(uint32_t)magic) >> 32;
  return (uint32_t)(high + u) >> (int)(magic >> 32);
}

static void coordinates (const lcu_layout *l, const int64_t *v, uint64_t u, uint64_t *c) {
  for (int d = l->ndim - 1; d > 0; d--) {
    uint64_t extent = (uint64_t)v[2 * d], q = l->wide ? u / extent : divide(u, v[2 * d + 1]);
    c[d] = u - q * extent;
    u = q;
  }
  c[0] = u;
}

static void visit_unit (const lcu_layout *l, const int64_t *v, uint64_t u, bool index, tally *t) {
  uint64_t c[LCU_LAYOUT_DIMS], first[LCU_LAYOUT_OPERANDS] = { 0 }, place[LCU_LAYOUT_OPERANDS];
  int64_t step[LCU_LAYOUT_OPERANDS] = { 0 };
  int p = l->ndim - 1;
  coordinates(l, v, u, c);
  for (int j = 0; j < l->num; j++) {
    const lcu_operand *o = &l->operands[j];
    const int64_t *s = v + 2 + 2 * p + j * l->ndim;
    int64_t along = o->along == LCU_STRIDE_UNIT   ? l->vector * (int64_t)o->itemsize
                    : o->along == LCU_STRIDE_ZERO ? 0
                                                  : s[p];
    step[j] = along / l->vector;
    first[j] = o->address + c[p] * (uint64_t)along;
    for (int d = 0; d < p; d++) first[j] += c[d] * (uint64_t)s[d];
    if (o->along == LCU_STRIDE_UNIT) check_access(l, j, first[j]);
  }
  for (int k = 0; k < l->vector; k++) {
    for (int j = 0; j < l->num; j++) place[j] = first[j] + (uint64_t)(k * step[j]);
    visit(t, place, l->num, index ? (int64_t)u * l->vector + k : 0);
  }
}

static void walk_strided (const lcu_layout *l, const int64_t *v, uint64_t units, bool index,
                          tally *t) {
  CHECK(v[1] * l->vector == v[0] && (int64_t)units == v[1]);
  for (uint64_t u = 0; u < units; u++) visit_unit(l, v, u, index, t);
}

static void visit_tile (const lcu_layout *l, const int64_t *v, uint64_t block, tally *t) {
  int others = l->ndim - 2;
  uint64_t b1 = block / (uint64_t)v[3], b2 = b1 / (uint64_t)v[4], c[LCU_LAYOUT_DIMS],
           place[LCU_LAYOUT_OPERANDS];
  int64_t p = (int64_t)(block - b1 * (uint64_t)v[3]) * TILE,
          q = (int64_t)(b1 - b2 * (uint64_t)v[4]) * TILE;
  for (int d = others - 1; d > 0; d--) {
    c[d] = b2 % (uint64_t)v[5 + d];
    b2 /= (uint64_t)v[5 + d];
  }
  if (others > 0) c[0] = b2;
  for (int64_t y = q; y < v[2] && y < q + TILE; y++)
    for (int64_t x = p; x < v[1] && x < p + TILE; x++) {
      for (int j = 0; j < l->num; j++) {
        const lcu_operand *o = &l->operands[j];
        const int64_t *s = v + 5 + others + j * l->ndim;
        int64_t size = o->itemsize, along_p = o->along == LCU_STRIDE_UNIT   ? size
                                              : o->along == LCU_STRIDE_ZERO ? 0
                                                                            : s[0];
        place[j] =
          o->address + (uint64_t)(x * along_p + y * (o->along == LCU_STRIDE_TILE ? size : s[1]));
        for (int d = 0; d < others; d++) place[j] += c[d] * (uint64_t)s[2 + d];
      }
      visit(t, place, l->num, 0);
    }
}

static size_t numbers (const lcu_layout *l) {
  if (l->walk == LCU_WALK_FLAT) return 1;
  return (size_t)((l->walk == LCU_WALK_STRIDED ? 2 + 2 * (l->ndim - 1) : 5 + l->ndim - 2) +
                  l->num * l->ndim);
}

static tally walk_plan (const lcu_layout *l, bool index) {
  int64_t v[LCU_LAYOUT_NUMBERS];
  uint64_t units;
  tally t = { 0, 0 };
  CHECK(lcu_layout_pack(l, TILE, v, &units) == numbers(l) && numbers(l) <= LCU_LAYOUT_NUMBERS);
  CHECK((l->vector & (l->vector - 1)) == 0 && v[0] == (int64_t)l->size);
  if (l->walk == LCU_WALK_FLAT) walk_flat(l, v, units, index, &t);
  else if (l->walk == LCU_WALK_STRIDED) walk_strided(l, v, units, index, &t);
  else
    for (uint64_t b = 0; b < units; b++) visit_tile(l, v, b, &t);
  return t;
}


/* ---- random layouts ---- */

static void shuffle (int *order, int n) {
  for (int d = n - 1; d > 0; d--) {
    int e = draw(d + 1), t = order[d];
    order[d] = order[e];
    order[e] = t;
  }
}

/* That of a dtype, or of a struct. */
static uint32_t draw_itemsize (void) {
  static const uint32_t structs[] = { 3, 6, 12, 20, 24, 32, 40 };
  return draw(8) == 0 ? structs[draw(7)] : 1u << draw(5);
}

/* Chooses the axes' order in memory (that of the shape, one common to all operands, or a random
 * one), gaps, reversed axes and broadcast axes. */
static void draw_operand (lcu_layout *l, int j, const int *common) {
  lcu_operand *o = &l->operands[j];
  int order[LCU_LAYOUT_DIMS], style = draw(4);
  for (int d = 0; d < l->ndim; d++) order[d] = style == 0 ? common[d] : l->ndim - 1 - d;
  if (style == 1) shuffle(order, l->ndim);
  o->itemsize = draw_itemsize();
  o->address = (uint64_t)(1 << 24) + (uint64_t)j * (1 << 26) +
               (draw(3) == 0 ? (uint64_t)draw(20) * o->itemsize : 0);
  int64_t stride = o->itemsize * (draw(6) == 0 ? 2 : 1);
  bool plain = draw(3) == 0;
  for (int d = 0; d < l->ndim; d++) {
    int64_t n = l->dims[order[d]], s = !plain && draw(6) == 0   ? 0
                                       : !plain && draw(6) == 0 ? -stride
                                                                : stride;
    o->strides[order[d]] = n == 1 && draw(2) ? 0 : s;
    stride *= n;
    if (!plain && draw(6) == 0) stride += (int64_t)o->itemsize * draw(20);
  }
}

static void draw_shape (lcu_layout *l, int most) {
  static const int extents[] = { 1, 2, 3, 4, 5, 8, 16, 17, 31, 32, 33, 64, 100 };
  l->size = 1;
  for (int d = 0; d < l->ndim; d++) {
    l->dims[d] = extents[draw(13)];
    if ((int64_t)l->size * l->dims[d] > most) l->dims[d] = 1;
    l->size *= (uint64_t)l->dims[d];
  }
}

static int seen[3][2];

/* Long rows, and only these, are walked one after the other, with the same numbers. */
static void check_rows (const lcu_layout *l) {
  int64_t v[LCU_LAYOUT_NUMBERS], w[LCU_LAYOUT_NUMBERS];
  uint64_t units, same;
  lcu_layout rows = *l;
  bool expected = l->walk == LCU_WALK_STRIDED && l->dims[l->ndim - 1] / l->vector >= 32;
  lcu_layout_by_rows(&rows);
  CHECK(rows.walk == (expected ? LCU_WALK_ROWS : l->walk));
  size_t n = lcu_layout_pack(l, TILE, v, &units);
  CHECK(lcu_layout_pack(&rows, TILE, w, &same) == n && units == same);
  CHECK(memcmp(v, w, n * sizeof v[0]) == 0);
}

static void test_random (void) {
  for (int round = 0; round < 20000 && failed < MOST_FAILURES; round++) {
    lcu_layout l = { .ndim = draw(round % 50 == 0 ? LCU_LAYOUT_DIMS + 1 : 6), .num = 1 + draw(4) };
    int common[LCU_LAYOUT_DIMS];
    bool keep = draw(3) == 0;
    draw_shape(&l, 20000);
    for (int d = 0; d < l.ndim; d++) common[d] = d;
    shuffle(common, l.ndim);
    for (int j = 0; j < l.num; j++) draw_operand(&l, j, common);
    tally want = walk_shape(&l, keep);
    lcu_layout_plan(&l, draw(l.num), keep);
    tally got = walk_plan(&l, keep);
    CHECK(l.ndim >= 1 && !l.wide);
    CHECK(!(keep && l.walk == LCU_WALK_TILE));
    CHECK(want.count == got.count && want.sum == got.sum);
    seen[l.walk][l.vector > 1]++;
    check_rows(&l);
  }
  for (int walk = LCU_WALK_FLAT; walk <= LCU_WALK_TILE; walk++) CHECK(seen[walk][0] > 100);
  CHECK(seen[LCU_WALK_FLAT][1] > 100 && seen[LCU_WALK_STRIDED][1] > 100 &&
        seen[LCU_WALK_TILE][1] == 0);
}

/* Flat operands of any size and address. */
static void test_flat (void) {
  for (int round = 0; round < 2000 && failed < MOST_FAILURES; round++) {
    lcu_layout l = { .ndim = 3, .num = 1 + draw(5), .size = 1 + (uint64_t)draw(200) };
    tally want = { 0, 0 };
    for (int j = 0; j < l.num; j++) {
      l.operands[j].itemsize = draw_itemsize();
      l.operands[j].address =
        ((uint64_t)j + 1) * 65536 + (uint64_t)draw(9) * l.operands[j].itemsize;
    }
    for (uint64_t e = 0; e < l.size; e++) {
      uint64_t place[LCU_LAYOUT_OPERANDS];
      for (int j = 0; j < l.num; j++) place[j] = l.operands[j].address + e * l.operands[j].itemsize;
      visit(&want, place, l.num, (int64_t)e);
    }
    lcu_layout_plan_flat(&l);
    tally got = walk_plan(&l, true);
    CHECK(want.count == got.count && want.sum == got.sum);
  }
}

/* ---- division ---- */

static int64_t magic_of (int64_t extent) {
  lcu_layout l = { .ndim = 2,
                   .size = (uint64_t)extent,
                   .dims = { 1, extent },
                   .walk = LCU_WALK_STRIDED,
                   .vector = 1 };
  int64_t v[LCU_LAYOUT_NUMBERS];
  uint64_t units;
  lcu_layout_pack(&l, TILE, v, &units);
  return v[3];
}

static bool divides (int64_t d, int64_t magic, int64_t u) {
  return u < 0 || u >= edge || divide((uint64_t)u, magic) == (uint64_t)(u / d);
}

/* The rounding error grows with u, so the last multiples would fail first. */
static bool divides_all (int64_t d, int tries) {
  int64_t magic = magic_of(d), last = (edge - 1) / d * d;
  bool good = divides(d, magic, 0) && divides(d, magic, d - 1) && divides(d, magic, d) &&
              divides(d, magic, edge - 1);
  good =
    good && divides(d, magic, last) && divides(d, magic, last - 1) && divides(d, magic, last + 1);
  for (int k = 0; k < tries; k++) {
    int64_t u = (int64_t)(draw64() % (uint64_t)edge), multiple = u / d * d;
    good = good && divides(d, magic, u) && divides(d, magic, multiple) &&
           divides(d, magic, multiple - 1);
  }
  return good;
}

static void test_division (void) {
  for (int64_t d = 1; d <= 1 << 16; d++) CHECK(divides_all(d, 8));
  for (int round = 0; round < 200000; round++) {
    int64_t d = (int64_t)(draw64() % (uint64_t)(edge - 1)) + 1;
    CHECK(divides_all(draw(2) ? d : 1 + (d >> draw(20)), 4));
  }
  for (int s = 0; s < 31; s++)
    for (int64_t d = ((int64_t)1 << s) - 1; d <= ((int64_t)1 << s) + 1; d++)
      CHECK(d == 0 || divides_all(d, 1000));
  CHECK(divides_all(edge - 1, 1000));
}


/* ---- sizes around 2^31: the first, the last and random units ---- */

/* Visits unit u of the plan's axes with plain division. */
static void visit_plainly (const lcu_layout *l, uint64_t u, tally *t) {
  for (int k = 0; k < l->vector; k++) {
    uint64_t place[LCU_LAYOUT_OPERANDS], rest = u * (uint64_t)l->vector + (uint64_t)k, index = rest;
    for (int j = 0; j < l->num; j++) place[j] = l->operands[j].address;
    for (int d = l->ndim - 1; d >= 0; d--) {
      uint64_t c = d > 0 ? rest % (uint64_t)l->dims[d] : rest;
      rest /= (uint64_t)l->dims[d];
      for (int j = 0; j < l->num; j++) place[j] += c * (uint64_t)l->operands[j].strides[d];
    }
    visit(t, place, l->num, (int64_t)index);
  }
}

static void check_large (const lcu_layout *l) {
  int64_t v[LCU_LAYOUT_NUMBERS];
  uint64_t units;
  lcu_layout_pack(l, TILE, v, &units);
  CHECK(units == l->size / (uint64_t)l->vector && (l->wide || units < (uint64_t)edge));
  for (int k = 0; k < 200; k++) {
    uint64_t u = k == 0 ? 0 : k == 1 ? units - 1 : draw64() % units;
    tally want = { 0, 0 }, got = { 0, 0 };
    visit_plainly(l, u, &want);
    visit_unit(l, v, u, true, &got);
    CHECK(want.sum == got.sum);
  }
}

static void plan_large (int64_t rows, int64_t columns, uint32_t itemsize, bool keep) {
  lcu_layout l = {
    .ndim = 2, .num = 2, .size = (uint64_t)rows * (uint64_t)columns, .dims = { rows, columns }
  };
  l.operands[0] = (lcu_operand){ .address = 1 << 20,
                                 .itemsize = itemsize,
                                 .strides = { columns * itemsize, itemsize } };
  l.operands[1] = (lcu_operand){ .address = (uint64_t)1 << 50,
                                 .itemsize = itemsize,
                                 .strides = { itemsize * 2, 0 } };
  lcu_layout_plan(&l, 0, keep);
  CHECK(l.walk == LCU_WALK_STRIDED);
  check_large(&l);
}

static void test_large (void) {
  static const int64_t sizes[] = { ((int64_t)1 << 31) - 1,  (int64_t)1 << 31,
                                   ((int64_t)1 << 31) + 1,  ((int64_t)1 << 31) + 8,
                                   ((int64_t)1 << 32) + 16, ((int64_t)1 << 35) + 48 };
  for (int k = 0; k < 6; k++)
    for (uint32_t itemsize = 1; itemsize <= 16; itemsize *= 2)
      for (int keep = 0; keep < 2; keep++) {
        plan_large(1, sizes[k], itemsize, keep);
        plan_large(2, sizes[k] / 2, itemsize, keep);
        plan_large(sizes[k] / 3, 3, itemsize, keep);
        plan_large(46341, 46341, itemsize, keep);
      }
  lcu_layout l = { .num = 1, .operands = { { .address = 16, .itemsize = 4 } } };
  for (int k = 0; k < 6; k++) {
    l.size = (uint64_t)sizes[k];
    lcu_layout_plan_flat(&l);
    CHECK(l.wide == (sizes[k] >= edge));
  }
}

int main (void) {
  test_random();
  test_flat();
  test_division();
  test_large();
  return check_result();
}
