/* ptx_fragment.h: fragments of matrices between memory and registers: wmma.load, wmma.store.
 *
 * A matrix in memory consists of lines, which are consecutive elements; its layout says whether
 * they are rows or columns. Lines lie a stride apart. */
#ifndef PTX_FRAGMENT_H
#define PTX_FRAGMENT_H

#include "ptx_memory.h"
#include "ptx_tensor.h"

/* The move of one matrix, in extra->imm[0]. */
typedef struct ptx_move {
  uint8_t lines, length; /* length: elements of a line */
  uint8_t bits;          /* of an element */
  bool along;            /* the words of registers lie along lines */
  bool pairs : 1;        /* as in ptx_fragment_form, like the rest */
  bool k_first : 1;      /* b: registers go along k first */
  uint8_t rows, words, total;
} ptx_move;

static inline ptx_move ptx_move_of (const ptx_fragment_form *f, char which, bool row) {
  uint8_t across = (uint8_t)(f->rows * 8),
          down = (uint8_t)(f->words * (f->pairs ? 8 : 4 * f->per_word));
  bool along = row == (which != 'b');
  return (ptx_move){ .lines = along ? across : down,
                     .length = along ? down : across,
                     .bits = f->bits,
                     .along = along,
                     .pairs = f->pairs,
                     .k_first = which == 'b',
                     .rows = f->rows,
                     .words = f->words,
                     .total = f->total };
}
static inline ptx_move ptx_move_in (const ptx_uop *I) {
  ptx_move v;
  _Static_assert(sizeof v == sizeof I->extra->imm[0], "it is kept in one imm");
  __builtin_memcpy(&v, &I->extra->imm[0], sizeof v);
  return v;
}

/* Bytes of a line, and of the largest matrix: 32 x 8 words. */
static inline uint32_t ptx_line_bytes (const ptx_move *v) { return v->length * v->bits / 8u; }
enum { PTX_TILE_BYTES = 1024 };

/* What one lane or line accesses: consecutive bytes, by one lane. */
typedef struct ptx_span {
  uint64_t address;
  uint32_t lane, bytes;
} ptx_span;

/* The spans of wmma.load and wmma.store, and of these or ldmatrix and stmatrix, at most PTX_LANES;
 * they return their number. For the checks of shared memory. */
uint32_t ptx_fragment_spans (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w,
                             ptx_span spans[PTX_LANES]);
uint32_t ptx_matrix_spans (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w,
                           ptx_span spans[PTX_LANES]);

/* The form of ldmatrix and stmatrix, in extra->imm[0]: bits. Rows in memory have 16 bytes; those of
 * 6-bit and 4-bit elements hold 16 of these, then padding. */
enum {
  PTX_MATRIX_TRANS = 1,
  PTX_MATRIX_TALL = 2,  /* 16 rows of bytes, always transposed, two registers each */
  PTX_MATRIX_BYTES = 4, /* eight rows of 16 bytes, stored from a transposed matrix of bytes */
  PTX_MATRIX_6BIT = 8,
  PTX_MATRIX_4BIT = 16
};
enum { PTX_MATRIX_ROW = 16 }; /* bytes */

/* Storage of the rows of ldmatrix or stmatrix, with all checks. False: w->fault is set. */
bool ptx_matrix_rows (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint8_t **rows, bool write);

/* Copies the matrix between memory and `tile`, where lines follow each other, with all checks.
 * False: w->fault is set. */
bool ptx_fragment_read (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint8_t *tile);
bool ptx_fragment_write (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, const uint8_t *tile);

#endif
