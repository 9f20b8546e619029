/* gemm_block.c: one product, block by block.
 *
 * A block of b (depth x columns) and a block of a (rows x depth) are packed: copied, in the order
 * in which tiles read them. The block of b stays in the second or third level of the cache and is
 * used for `high` rows, the block of a in the second level, and the panel of b that a column of
 * tiles shares in the first. Where k is larger than a block's depth, the sums of high x columns
 * elements wait in memory of their own until they are complete, so that no sum is rounded to the
 * dtype in between. */
#include "gemm_block.h"

#include "lcu_mem.h"

/* Bytes of a packed block of a, and of b; terms per block. */
enum { A_BYTES = 128 << 10, B_BYTES = 512 << 10, DEPTH = 256, HIGH = 4, ALIGN = 64 };

static int64_t round_up (int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

/* As many units as fit into `bytes`, at least one and not more than `n` needs. */
static int64_t fit (int64_t n, int64_t unit, int64_t bytes, int64_t each) {
  int64_t most = bytes / each / unit * unit;
  return gemm_least(round_up(n, unit), most > unit ? most : unit);
}

/* ---- room ---- */

/* Equal steps: 260 terms are two blocks of 130. */
static int64_t choose_depth (int64_t k) {
  int64_t steps = (k + DEPTH - 1) / DEPTH;
  return (k + steps - 1) / steps;
}

lcu_status gemm_room_make (gemm_room *r, const gemm_type *type, const gemm_tile *tile, int64_t m,
                           int64_t n, int64_t k) {
  int64_t size = type->sum_bytes;
  *r = (gemm_room){ .type = type, .tile = tile, .depth = choose_depth(k) };
  r->rows = fit(m, tile->rows, A_BYTES, DEPTH * size);
  r->columns = fit(n, tile->columns, B_BYTES, DEPTH * size);
  r->high = k > r->depth ? HIGH * r->rows : round_up(m, tile->rows);
  int64_t a = round_up(r->rows * r->depth * size, ALIGN),
          b = round_up(r->columns * r->depth * size, ALIGN),
          sums =
            k > r->depth ? gemm_least(r->high, round_up(m, tile->rows)) * r->columns * size : 0;
  r->memory = lcu_alloc_aligned((size_t)(a + b + sums), ALIGN);
  if (r->memory == NULL) return lcu_no_memory("a matrix product");
  r->a = r->memory;
  r->b = r->a + a;
  r->sums = r->b + b;
  return LCU_OK;
}

void gemm_room_free (gemm_room *r) { lcu_free(r->memory); }


/* ---- blocks ---- */

/* A block: rows from `row`, columns from `column` and terms from `term` on. */
typedef struct block {
  int64_t row, rows, column, columns, term, terms;
  bool first, last; /* of the sums of its elements */
  uint8_t *sums;    /* of its rows; NULL: the first terms are also the last */
} block;

/* One tile, at row i and column j of the block. */
static void run_tile (const gemm_room *r, const gemm_product *x, const block *b, int64_t i,
                      int64_t j) {
  _Alignas(ALIGN) uint8_t own[GEMM_TILE_BYTES];
  const gemm_tile *t = r->tile;
  int64_t size = r->type->sum_bytes;
  uint8_t *sums = own;
  if (b->sums != NULL) sums = b->sums + (i * r->columns + j * t->rows) * size;
  t->multiply(b->terms, r->a + i * b->terms * size, r->b + j * b->terms * size, sums, !b->first);
  if (!b->last) return;
  int64_t row = b->row + i, column = b->column + j;
  gemm_place to = { x->c + (row * x->c_row + column * x->c_col) * r->type->bytes, x->c_row,
                    x->c_col, (int)gemm_least(t->rows, b->rows - i),
                    (int)gemm_least(t->columns, b->columns - j) };
  r->type->store(&to, t, sums);
}

static void pack_a (const gemm_room *r, const gemm_product *x, const block *b) {
  gemm_walk w = { x->a + (b->row * x->a_row + b->term * x->a_col) * r->type->bytes, x->a_row,
                  x->a_col, b->rows, b->terms };
  r->type->pack(r->a, &w, r->tile->rows);
}

static void pack_b (const gemm_room *r, const gemm_product *x, const block *b) {
  gemm_walk w = { x->b + (b->term * x->b_row + b->column * x->b_col) * r->type->bytes, x->b_col,
                  x->b_row, b->columns, b->terms };
  r->type->pack(r->b, &w, r->tile->columns);
}

static void run_block (const gemm_room *r, const gemm_product *x, const block *b) {
  pack_a(r, x, b);
  for (int64_t j = 0; j < b->columns; j += r->tile->columns)
    for (int64_t i = 0; i < b->rows; i += r->tile->rows) run_tile(r, x, b, i, j);
}

/* `rows` rows from `row` on, with the block of b that is packed. */
static void run_rows (const gemm_room *r, const gemm_product *x, block *b, int64_t row,
                      int64_t rows, const gemm_job *job) {
  int64_t row_bytes = r->columns * r->type->sum_bytes;
  for (int64_t i = 0; i < rows && !gemm_stops(job); i += r->rows) {
    b->row = row + i;
    b->rows = gemm_least(r->rows, rows - i);
    b->sums = b->first && b->last ? NULL : r->sums + i * row_bytes;
    run_block(r, x, b);
  }
}

/* All terms of a part of c. */
static void run_terms (const gemm_room *r, const gemm_product *x, int64_t row, int64_t column,
                       const gemm_job *job) {
  block b = { .column = column, .columns = gemm_least(r->columns, x->n - column) };
  for (b.term = 0; b.term < x->k; b.term += r->depth) {
    b.terms = gemm_least(r->depth, x->k - b.term);
    b.first = b.term == 0;
    b.last = b.term + b.terms == x->k;
    pack_b(r, x, &b);
    run_rows(r, x, &b, row, gemm_least(r->high, x->m - row), job);
  }
}

void gemm_multiply (const gemm_room *r, const gemm_product *x, const gemm_job *job) {
  for (int64_t j = 0; j < x->n; j += r->columns)
    for (int64_t i = 0; i < x->m; i += r->high) run_terms(r, x, i, j, job);
}
