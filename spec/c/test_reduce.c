/* test_reduce.c: tests the plans of reductions. A plan is walked as the kernels walk it and
 * compared with loops over the shape. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lcu_reduce.h"

enum { MOST_RESULTS = 1 << 16, BLOCK = 256, WARP = 32 };

static uint64_t seed = 1;
static int draw (int n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (int)((seed >> 33) % (uint64_t)n);
}

/* For each result, by its byte offset in the output: the number of elements, the sum of their
 * offsets, and the sum of their indices along the reduced axes. */
typedef struct tally {
  int64_t count, offsets, indices;
} tally;
static tally want[MOST_RESULTS], got[MOST_RESULTS];

/* The operands are the input, the output and the index along the reduced axes. */
static void visit (tally *t, int64_t in, int64_t out, int64_t j) {
  t[out / 4].count++;
  t[out / 4].offsets += in;
  t[out / 4].indices += j;
}

static void walk_shape (const lcu_reduce *r) {
  int64_t at[LCU_REDUCE_DIMS] = { 0 }, size = 1;
  for (int d = 0; d < r->ndim; d++) size *= r->dims[d];
  for (int64_t k = 0; k < size; k++) {
    int64_t offset[3] = { 0 };
    for (int d = 0; d < r->ndim; d++)
      for (int j = 0; j < 3; j++) offset[j] += at[d] * r->operands[j].strides[d];
    visit(want, offset[0], offset[1], offset[2]);
    for (int d = r->ndim - 1; d >= 0 && ++at[d] == r->dims[d]; d--) at[d] = 0;
  }
}

/* Adds the offsets of the three operands for the linear index k along the `n` axes from `first` on.
 * `extents` has the extents of these axes except the first. */
static void add_offsets (const lcu_reduce *r, const int64_t *v, int64_t k, int first, int n,
                         const int64_t *extents, int64_t offset[3]) {
  const int64_t *strides = v + 5 + r->kept - 1 + r->inner - 1;
  for (int d = n - 1; d >= 0; d--) {
    int64_t c = d > 0 ? k % extents[d - 1] : k;
    if (d > 0) k /= extents[d - 1];
    for (int j = 0; j < 3; j++) offset[j] += c * strides[j * (r->kept + r->inner) + first + d];
  }
}

/* A vector of adjacent elements is one access, `at` bytes after the first element. */
static void check_access (const lcu_reduce *r, int64_t at) {
  const lcu_operand *in = &r->operands[0];
  uint64_t size = in->itemsize, bytes = (uint64_t)r->vector * size;
  if (r->vector == 1 || in->along != LCU_STRIDE_UNIT) return;
  CHECK((bytes & (bytes - 1)) == 0);
  uint64_t aligned = r->peeled ? size : bytes < 16 ? bytes : 16;
  CHECK((in->address + (uint64_t)at) % aligned == 0);
}

/* Visits all lanes of the vector at result (or vector of results) `o`, unit (or row) `u`. */
static void visit_vector (const lcu_reduce *r, const int64_t *v, int64_t o, int64_t u) {
  bool rows = r->mode == LCU_REDUCE_ROWS;
  int64_t offset[3] = { 0 };
  add_offsets(r, v, o, 0, r->kept, v + 5, offset);
  add_offsets(r, v, u, r->kept, r->inner, v + 5 + r->kept - 1, offset);
  const int64_t *strides = v + 5 + r->kept - 1 + r->inner - 1;
  int p = rows ? r->kept + r->inner - 1 : r->kept - 1, axes = r->kept + r->inner;
  check_access(r, offset[0]);
  for (int l = 0; l < r->vector; l++) {
    int64_t step[3];
    for (int j = 0; j < 3; j++) step[j] = strides[j * axes + p] / r->vector * l;
    visit(got, offset[0] + step[0], offset[1] + step[1], offset[2] + step[2]);
  }
}

/* Visits the elements of a row after its last whole vector. */
static void visit_tail (const lcu_reduce *r, const int64_t *v, int64_t o) {
  const int64_t *strides = v + 5 + r->kept - 1;
  int axes = r->kept + 1;
  for (int64_t e = v[2] * r->vector; e < v[1]; e++) {
    int64_t offset[3] = { 0 };
    add_offsets(r, v, o, 0, r->kept, v + 5, offset);
    for (int j = 0; j < 3; j++) offset[j] += strides[j * axes + r->kept] / r->vector * e;
    visit(got, offset[0], offset[1], offset[2]);
  }
}

static void walk_plan (const lcu_reduce *r) {
  int64_t v[LCU_REDUCE_NUMBERS];
  bool rows = r->mode == LCU_REDUCE_ROWS;
  CHECK(lcu_reduce_pack(r, v) <= LCU_REDUCE_NUMBERS);
  int64_t outer = rows ? v[0] : v[2], inner = rows ? v[2] : v[4];
  for (int64_t segment = 0; segment < (int64_t)r->segments; segment++)
    for (int64_t o = 0; o < outer; o++) {
      for (int64_t u = segment * v[3]; u < inner && u < (segment + 1) * v[3]; u++)
        visit_vector(r, v, o, u);
      if (rows && r->inner == 1 && segment == (int64_t)r->segments - 1) visit_tail(r, v, o);
    }
}

static void check_blocks (const lcu_reduce *r) {
  uint32_t threads = r->block[0] * r->block[1];
  CHECK(threads >= 1 && threads <= BLOCK);
  CHECK(r->mode == LCU_REDUCE_COLUMNS || threads % WARP == 0);
  CHECK((r->block[0] & (r->block[0] - 1)) == 0 && (r->block[1] & (r->block[1] - 1)) == 0);
  CHECK(r->grid[1] == r->segments && r->grid[1] <= 65535);
  uint64_t per = r->mode == LCU_REDUCE_ROWS ? r->block[1] * r->rows : r->block[0],
           all = r->mode == LCU_REDUCE_ROWS ? r->results : r->units;
  CHECK(r->grid[0] * per >= all && (r->grid[0] - 1) * per < all);
}

static void set_operands (lcu_reduce *r) {
  int64_t out = 4, j = 1;
  r->num = 3;
  r->num_inputs = 1;
  r->operands[1] = (lcu_operand){ .address = 1 << 20, .itemsize = 4 };
  r->operands[2] = (lcu_operand){ .itemsize = 0 };
  for (int d = r->ndim - 1; d >= 0; d--) {
    bool reduced = r->reduced >> d & 1;
    r->operands[1].strides[d] = reduced ? 0 : out;
    r->operands[2].strides[d] = reduced ? j : 0;
    if (reduced) j *= r->dims[d];
    else out *= r->dims[d];
  }
}

/* Chooses the order of the axes in memory, gaps, reversed axes and axes of stride 0. */
static void draw_input (lcu_reduce *r) {
  static const uint32_t structs[] = { 3, 6, 12, 20, 24, 32, 40 };
  lcu_operand *in = &r->operands[0];
  int order[LCU_REDUCE_DIMS];
  int64_t stride;
  *in = (lcu_operand){ .itemsize = draw(6) == 0 ? structs[draw(7)] : 1u << draw(5),
                       .address = (uint64_t)(1 << 24) + 16 * (uint64_t)draw(4) };
  stride = in->itemsize * (draw(4) == 0 ? 2 : 1);
  if (draw(3) == 0) in->address += draw(3) == 0 ? in->itemsize / 2 : in->itemsize;
  for (int d = 0; d < r->ndim; d++) order[d] = r->ndim - 1 - d;
  if (draw(2))
    for (int d = r->ndim - 1; d > 0; d--) {
      int e = draw(d + 1), t = order[d];
      order[d] = order[e];
      order[e] = t;
    }
  for (int d = 0; d < r->ndim; d++) {
    in->strides[order[d]] = draw(8) == 0 ? 0 : draw(8) == 0 ? -stride : stride;
    stride *= r->dims[order[d]];
    if (draw(6) == 0) stride += in->itemsize * (uint32_t)draw(5);
  }
}

static void test_random (void) {
  for (int round = 0; round < 3000; round++) {
    lcu_reduce r = { .ndim = draw(5) };
    int64_t size = 1;
    for (int d = 0; d < r.ndim; d++) {
      static const int extents[] = { 1, 2, 3, 4, 8, 16, 31 };
      r.dims[d] = extents[draw(7)];
      if (draw(20) == 0) r.dims[d] = 700;
      if (size * r.dims[d] > 40000) r.dims[d] = 1;
      size *= r.dims[d];
    }
    r.reduced = (uint32_t)draw(1 << r.ndim);
    draw_input(&r);
    set_operands(&r);
    memset(want, 0, sizeof want);
    memset(got, 0, sizeof got);
    walk_shape(&r);
    lcu_reduce_plan(&r);
    walk_plan(&r);
    check_blocks(&r);
    CHECK(memcmp(want, got, sizeof want) == 0);
    if (failed > 10) return;
  }
}

static lcu_reduce plan_of (int64_t rows, int64_t columns, uint32_t reduced, uint32_t itemsize) {
  lcu_reduce r = { .ndim = 2, .dims = { rows, columns }, .reduced = reduced };
  r.operands[0] = (lcu_operand){ .address = 1 << 24,
                                 .itemsize = itemsize,
                                 .strides = { columns * itemsize, itemsize } };
  set_operands(&r);
  lcu_reduce_plan(&r);
  check_blocks(&r);
  return r;
}

static void test_cuts (void) {
  lcu_reduce r = plan_of(1, 1 << 28, 3, 4), final;
  CHECK(r.mode == LCU_REDUCE_ROWS && r.vector == 4 && r.segments > 1000 && !r.wide);
  lcu_reduce_plan_final(&r, &final);
  check_blocks(&final);
  CHECK(final.segments == 1 && final.units == r.segments && final.n == r.n && final.results == 1 &&
        final.num == 1);
  r = plan_of(1, 1024, 3, 4);
  CHECK(r.segments == 1 && r.grid[0] == 1);
  r = plan_of(1 << 14, 1 << 14, 2, 4);
  CHECK(r.mode == LCU_REDUCE_ROWS && r.segments == 1 && r.results == 1 << 14);
  r = plan_of(1 << 14, 1 << 14, 1, 4);
  CHECK(r.mode == LCU_REDUCE_COLUMNS && r.vector == 4 && r.segments > 8);
  lcu_reduce_plan_final(&r, &final);
  check_blocks(&final);
  CHECK(final.mode == LCU_REDUCE_COLUMNS && final.units == r.results && final.chunk == r.segments &&
        final.n == r.n);
  CHECK(plan_of(2, ((int64_t)1 << 31) + 3, 3, 1).wide &&
        plan_of(((int64_t)1 << 32) + 11, 2, 1, 1).wide);
  CHECK(plan_of(((int64_t)1 << 31) + 3, 2, 2, 1).wide);
}

/* Sums of the columns, without an index, of `rows` rows that follow each other. */
static lcu_reduce columns_of (int64_t rows, int64_t columns, uint32_t itemsize) {
  lcu_reduce r = { .ndim = 2, .dims = { rows, columns }, .reduced = 1 };
  r.operands[0] = (lcu_operand){ .address = 1 << 24,
                                 .itemsize = itemsize,
                                 .strides = { columns * itemsize, itemsize } };
  set_operands(&r);
  r.num = 2;
  lcu_reduce_plan(&r);
  check_blocks(&r);
  return r;
}

static void test_narrow_columns (void) {
  lcu_reduce r = columns_of(40000, 3, 4), final;
  CHECK(r.parts == 4 && r.vector == 4 && r.results == 12 && r.length == 10000 && r.n == 40000);
  CHECK(r.dims[0] == 12 && r.dims[1] == 10000 && r.operands[0].strides[1] == 48);
  CHECK(r.segments > 1 && r.segments * r.chunk >= r.length);
  lcu_reduce_plan_final(&r, &final);
  check_blocks(&final);
  CHECK(final.results == 3 && final.length == 4 * r.segments && final.segments == 1 &&
        final.chunk == final.length && final.dims[0] == 3 && final.n == 40000);
  CHECK(columns_of(40001, 3, 4).parts == 1); /* does not divide the rows */
  CHECK(columns_of(40000, 4, 4).parts == 1 && columns_of(40000, 4, 4).vector == 4);
  CHECK(columns_of(40000, 6, 4).parts == 2);
  CHECK(columns_of(64, 3, 4).parts == 1); /* one pass */
}

static void test_short_rows (void) {
  CHECK(plan_of(1 << 22, 32, 2, 4).rows == 4 && plan_of(1 << 22, 64, 2, 4).rows == 2);
  CHECK(plan_of(1 << 12, 32, 2, 4).rows == 1); /* too few to spare threads */
  CHECK(plan_of(1 << 22, 1 << 10, 2, 4).rows == 1);
  lcu_reduce r = plan_of(1 << 22, 10, 2, 4); /* five units of two elements */
  CHECK(r.vector == 2 && r.block[0] == 2 && r.rows == 2 && r.each == 4);
  CHECK(plan_of(1 << 22, 100, 2, 4).rows == 2 && plan_of(1 << 22, 100, 2, 4).each == 4);
}

static void test_peeled_rows (void) {
  lcu_reduce r = plan_of(1 << 14, 1001, 2, 4);
  CHECK(r.peeled && r.vector == 4 && r.units == 250 && r.rows == 1);
  CHECK(plan_of(1 << 14, 33, 2, 4).peeled && !plan_of(1 << 14, 50, 2, 4).peeled);
  CHECK(!plan_of(1 << 14, 31, 2, 4).peeled && !plan_of(1 << 14, 1000, 2, 4).peeled);
  CHECK(!plan_of(1 << 14, 1001, 1, 4).peeled);
}

/* Sixteen axes that cannot be merged, all reduced: the plan has one kept axis in addition. */
static void test_most_axes (void) {
  lcu_reduce r = { .ndim = LCU_LAYOUT_DIMS, .reduced = (1u << LCU_LAYOUT_DIMS) - 1 };
  int64_t stride = 8;
  for (int d = 0; d < r.ndim; d++) r.dims[d] = 2;
  r.operands[0] = (lcu_operand){ .itemsize = 4 };
  for (int d = r.ndim - 1; d >= 0; d--, stride *= 3) r.operands[0].strides[d] = stride;
  set_operands(&r);
  lcu_reduce_plan(&r);
  CHECK(r.kept == 1 && r.inner == LCU_LAYOUT_DIMS && r.n == 1 << LCU_LAYOUT_DIMS && r.results == 1);
  check_blocks(&r);
}

int main (void) {
  test_random();
  test_cuts();
  test_narrow_columns();
  test_short_rows();
  test_peeled_rows();
  test_most_axes();
  return check_result();
}
