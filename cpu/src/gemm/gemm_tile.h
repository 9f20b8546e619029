/* gemm_tile.h: tiles, the innermost products: compiled once per instruction set of the host. */
#ifndef GEMM_TILE_H
#define GEMM_TILE_H

#include "lcu_base.h"
#include "lcu_isa.h"

/* The types that sums are computed in. A complex number is two parts. */
typedef enum gemm_sum {
  GEMM_F32,
  GEMM_F64,
  GEMM_U32,
  GEMM_U64,
  GEMM_C32,
  GEMM_C64,
  GEMM_SUMS
} gemm_sum;

/* Tile = sum over `depth` terms of a column of a and a row of b, added to what the tile has if
 * `add` is set. a has the parts of `rows` numbers per term, b those of `columns` numbers, the tile
 * `rows` rows of `columns` numbers: first all real, then all imaginary parts. b and the tile are
 * aligned to 64 bytes. */
typedef void gemm_tile_fn (int64_t depth, const void *a, const void *b, void *tile, bool add);

typedef struct gemm_tile {
  int rows, columns;
  gemm_tile_fn *multiply;
} gemm_tile;

typedef struct gemm_isa {
  const char *name;
  gemm_tile tiles[GEMM_SUMS];
} gemm_isa;

enum { GEMM_TILE_BYTES = 2048 }; /* the largest tile */

#define GEMM_DECLARE(level) extern const gemm_isa gemm_isa_##level;
LCU_ISA_LEVELS(GEMM_DECLARE)

#endif
