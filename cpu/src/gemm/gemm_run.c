/* gemm_run.c: products divided among threads. */
#include "gemm.h"

#include <stdatomic.h>
#include <string.h>

#include "gemm_blas.h"
#include "gemm_block.h"
#include "gemm_vector.h"

/* ---- the kernel ---- */

#define ADDRESS(level) &gemm_isa_##level,
static const gemm_isa *const isas[] = { LCU_ISA_LEVELS(ADDRESS) };

static const gemm_isa *isa_named (const char *name) {
  size_t i = 0;
  while (strcmp(isas[i]->name, name) != 0) i++;
  return isas[i];
}

static void swap (int64_t *a, int64_t *b) {
  int64_t c = *a;
  *a = *b;
  *b = c;
}

/* c' = b' a' */
static void transpose (lcu_gemm *g) {
  swap(&g->m, &g->n);
  swap(&g->a_row, &g->b_col);
  swap(&g->a_col, &g->b_row);
  swap(&g->c_row, &g->c_col);
  for (int i = 0; i < g->axes; i++) swap(&g->batch[i].a, &g->batch[i].b);
}


/* ---- parts ---- */

/* Parts are ranges of products, and of rows or columns of each: no sum is divided, so that results
 * do not depend on the number of threads. */
typedef struct run {
  const gemm_job *job;
  lcu_gemm plan;
  const uint8_t *a, *b;
  uint8_t *c;
  const gemm_type *type;
  const gemm_tile *tile;
  int64_t products;      /* per part */
  int64_t rows, columns; /* per part, of each product */
  int64_t down, across;  /* parts of a product */
  int64_t parts;
  atomic_int_fast64_t next;
  atomic_bool failed;
} run;

static int64_t pieces (int64_t n, int64_t size) { return (n + size - 1) / size; }

/* n in `count` pieces that are multiples of a tile. */
static int64_t piece (int64_t n, int64_t count, int64_t unit) {
  return pieces(pieces(n, count), unit) * unit;
}

static void divide (run *r, int64_t threads) {
  int64_t count = lcu_gemm_count(&r->plan), each = pieces(threads, count);
  r->products = count / (4 * threads) + 1;
  r->rows = r->plan.m;
  r->columns = r->plan.n;
  if (each > 1 && r->rows >= r->columns) r->rows = piece(r->rows, each, r->tile->rows);
  else if (each > 1) r->columns = piece(r->columns, each, r->tile->columns);
  r->down = pieces(r->plan.m, r->rows);
  r->across = pieces(r->plan.n, r->columns);
  r->parts = r->down * r->across * pieces(count, r->products);
}

/* Products with one row need no tiles, and small ones take less time without. */
static const int64_t SMALL = 10 * 10 * 10;

static bool is_by_rows (const gemm_product *x) {
  if (x->m == 1) return true;
  return x->m <= SMALL && x->n <= SMALL && x->k <= SMALL && x->m * x->n * x->k <= SMALL;
}

static void multiply_rows (const gemm_product *x, lcu_dtype_id dtype, int64_t size) {
  gemm_vector v = { .n = x->n,
                    .k = x->k,
                    .m = x->b,
                    .x_step = x->a_col,
                    .side = x->b_col,
                    .deep = x->b_row,
                    .out_step = x->c_col };
  for (int64_t i = 0; i < x->m; i++) {
    v.x = x->a + i * x->a_row * size;
    v.out = x->c + i * x->c_row * size;
    gemm_vectors[dtype](&v);
  }
}

/* Rows from `row` and columns from `column` of product number `i`. */
static void run_product (run *r, const gemm_room *room, int64_t i, int64_t row, int64_t column) {
  const lcu_gemm *g = &r->plan;
  int64_t a, b, c, size = r->type->bytes;
  lcu_gemm_offsets(g, -1, i, &a, &b, &c);
  gemm_product x = { .m = gemm_least(r->rows, g->m - row),
                     .n = gemm_least(r->columns, g->n - column),
                     .k = g->k,
                     .a_row = g->a_row,
                     .a_col = g->a_col,
                     .b_row = g->b_row,
                     .b_col = g->b_col,
                     .c_row = g->c_row,
                     .c_col = g->c_col,
                     .a = r->a + (a + row * g->a_row) * size,
                     .b = r->b + (b + column * g->b_col) * size,
                     .c = r->c + (c + row * g->c_row + column * g->c_col) * size };
  if (is_by_rows(&x)) multiply_rows(&x, r->job->dtype, size);
  else gemm_multiply(room, &x, r->job);
}

static void run_part (run *r, const gemm_room *room, int64_t part) {
  int64_t row = part % r->down * r->rows, column = part / r->down % r->across * r->columns;
  int64_t from = part / (r->down * r->across) * r->products;
  int64_t to = gemm_least(from + r->products, lcu_gemm_count(&r->plan));
  for (int64_t i = from; i < to && !gemm_stops(r->job); i++) run_product(r, room, i, row, column);
}

static void work (void *ud, int worker) {
  run *r = ud;
  gemm_room room;
  int64_t part = atomic_fetch_add(&r->next, 1);
  (void)worker;
  if (part >= r->parts) return;
  if (gemm_room_make(&room, r->type, r->tile, r->rows, r->columns, r->plan.k) != LCU_OK) {
    atomic_store(&r->failed, true);
    return;
  }
  for (; part < r->parts; part = atomic_fetch_add(&r->next, 1)) run_part(r, &room, part);
  gemm_room_free(&room);
}

/* Only the calling thread may know that the work is to stop. */
static void idle (void *ud) { (void)gemm_stops(((run *)ud)->job); }

/* Waking another thread costs as much as this many products of two numbers. */
static const int64_t FEW = 1 << 18;

static int64_t thread_count (const gemm_job *job, const lcu_gemm *g) {
  if (job->team == NULL) return 1;
  double work = (double)g->m * (double)g->n * (double)g->k * (double)lcu_gemm_count(g);
  double most = work / (double)FEW + 1;
  int n = lcu_team_size(job->team);
  return most < n ? (int64_t)most : n;
}

static lcu_status run_tiles (const gemm_job *job) {
  run r = { .job = job, .plan = *job->plan, .a = job->a, .b = job->b, .c = job->c };
  r.type = &gemm_types[job->dtype];
  r.tile = &isa_named(job->isa)->tiles[r.type->sum];
  /* the long side goes along the vectors */
  if (r.plan.n < r.tile->columns && r.plan.m > r.plan.n) {
    transpose(&r.plan);
    r.a = job->b;
    r.b = job->a;
  }
  int64_t threads = thread_count(job, &r.plan);
  divide(&r, threads);
  if (threads > 1) lcu_team_run(job->team, (int)threads, work, idle, &r);
  else work(&r, 0);
  return atomic_load(&r.failed) ? lcu_no_memory("a matrix product") : LCU_OK;
}

lcu_status gemm_run (const gemm_job *job) { return gemm_blas_run(job) ? LCU_OK : run_tiles(job); }
