/* gemm_block.h: one product of any size, block by block, on one thread. */
#ifndef GEMM_BLOCK_H
#define GEMM_BLOCK_H

#include "gemm.h"
#include "gemm_pack.h"

/* c = a b; steps in elements. */
typedef struct gemm_product {
  int64_t m, n, k;
  int64_t a_row, a_col, b_row, b_col, c_row, c_col;
  const uint8_t *a, *b;
  uint8_t *c;
} gemm_product;

/* The memory and the sizes of the blocks for products up to some size. */
typedef struct gemm_room {
  const gemm_type *type;
  const gemm_tile *tile;
  int64_t rows, columns, depth; /* of a block */
  int64_t high;                 /* rows for which one packed block of b is used */
  uint8_t *a, *b, *sums, *memory;
} gemm_room;

/* Room for products of up to m x k by k x n elements. LCU_E_NOMEM, or LCU_OK. */
lcu_status gemm_room_make (gemm_room *r, const gemm_type *type, const gemm_tile *tile, int64_t m,
                           int64_t n, int64_t k);
void gemm_room_free (gemm_room *r);
void gemm_multiply (const gemm_room *r, const gemm_product *x, const gemm_job *job);
static inline int64_t gemm_least (int64_t a, int64_t b) { return a < b ? a : b; }

/* Is the work to be stopped? */
static inline bool gemm_stops (const gemm_job *job) {
  return job->stop != NULL && job->stop(job->ud);
}

#endif
