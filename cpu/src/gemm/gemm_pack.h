/* gemm_pack.h: elements of every dtype as operands of tiles, and tiles as elements. */
#ifndef GEMM_PACK_H
#define GEMM_PACK_H

#include "gemm_tile.h"
#include "lcu_dtype.h"

/* Part of a matrix: `sides` rows of a, or columns of b, with `depth` terms each; steps in
 * elements. */
typedef struct gemm_walk {
  const void *first;
  int64_t side, deep;
  int64_t sides, depth;
} gemm_walk;

/* Writes panels of `width` sides, one after the other, each as gemm_tile_fn reads it. What the last
 * panel lacks is 0. */
typedef void gemm_pack_fn (void *panels, const gemm_walk *w, int width);

/* Where a tile goes: the first `rows` rows and `columns` columns of it; steps in elements. */
typedef struct gemm_place {
  void *first;
  int64_t row, column;
  int rows, columns;
} gemm_place;

/* `t`: what computed the tile. */
typedef void gemm_store_fn (const gemm_place *to, const gemm_tile *t, const void *tile);

typedef struct gemm_type {
  gemm_sum sum;
  int bytes;     /* of an element */
  int sum_bytes; /* of a number in panels and tiles */
  gemm_pack_fn *pack;
  gemm_store_fn *store;
} gemm_type;

extern const gemm_type gemm_types[LCU_DTYPE_COUNT];

#endif
