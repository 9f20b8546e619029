/* ptx_isa_matrix.c: ldmatrix, stmatrix and movmatrix (9.7.14.5.15 - 9.7.14.5.17): matrices of 8
 * rows of 16 bytes, or of 16 such rows of bytes. Lane 8i + r names row r of matrix i (lane 16i + r
 * of matrices of 16 rows). In a register, lane l has word l % 4 of row l / 4, or with .trans the
 * elements of that word of the transposed matrix. stmatrix of bytes takes the accumulators of a
 * product: lane l has columns 2 (l % 4) and the next of rows l / 4 and l / 4 + 8. */
#include "ptx_exchange.h"
#include "ptx_fragment.h"
#include "ptx_isa.h"
#include "ptx_scope.h"
#include "ptx_weave.h"

enum { ROW = PTX_MATRIX_ROW };

static uint32_t form_of (const ptx_uop *I) { return (uint32_t)I->extra->imm[0]; }

/* Storage of all rows; false: a fault. */
static bool rows_find (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint8_t **rows,
                       bool write) {
  const scope x = scope_shared(w, I);
  if (I->space != PTX_SHARED || (I->flags & (PTX_F_ADDRESS32 | PTX_F_DIRECT)) != PTX_F_ADDRESS32 ||
      !all_inside_32(rf, I, w, &x, ROW))
    return ptx_matrix_rows(I, rf, w, rows, write);
  const S_u32 *a = PTX_SLOT(u32, rf, I->a);
  PTX_EACH_LANE(l) rows[l] = w->shared + (uint32_t)(a[l] + (uint32_t)I->imm);
  return true;
}

/* ---- 8 x 8 halves, transposed: exchanging three times the halves of a list of rows with those
 * between them */

typedef uint16_t ptx_vector_row __attribute__((vector_size(ROW), may_alias, aligned(1)));

static PTX_INLINE void shuffle_rows (ptx_vector_row *to, const ptx_vector_row *v) {
  for (uint32_t r = 0; r < 4; r++) {
    to[2 * r] = PTX_SHUFFLE(row, v[r], v[r + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    to[2 * r + 1] = PTX_SHUFFLE(row, v[r], v[r + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
}

static PTX_INLINE void transpose (uint8_t *const *to, uint8_t *const *from) {
  ptx_vector_row x[8], y[8];
  for (uint32_t r = 0; r < 8; r++) x[r] = *(const ptx_vector_row *)(const void *)from[r];
  shuffle_rows(y, x);
  shuffle_rows(x, y);
  shuffle_rows(y, x);
  for (uint32_t r = 0; r < 8; r++) *(ptx_vector_row *)(void *)to[r] = y[r];
}

/* The rows of a register. */
static PTX_INLINE void rows_of_slot (uint8_t **rows, uint8_t *slot) {
  for (uint32_t r = 0; r < 8; r++) rows[r] = slot + r * ROW;
}

static PTX_INLINE void copy_rows (uint8_t *const *to, uint8_t *const *from, uint32_t form) {
  if (form & PTX_MATRIX_TRANS) {
    transpose(to, from);
    return;
  }
  for (uint32_t r = 0; r < 8; r++) memcpy(to[r], from[r], ROW);
}

/* ---- elements that are not halves */

/* Lane l's bytes of 16 rows, transposed: register `half` has columns 8 half to 8 half + 7. */
static uint32_t bytes_across (uint8_t *const *rows, uint32_t l, uint32_t half) {
  uint32_t word = 0;
  for (uint32_t e = 0; e < 4; e++)
    word |= (uint32_t)rows[l % 4 * 4 + e][half * 8 + l / 4] << (8 * e);
  return word;
}

/* 16 elements of `bits` bits each become bytes. */
static void row_widen (uint8_t *to, const uint8_t *packed, uint32_t bits) {
  for (uint32_t i = 0; i < ROW; i++) {
    uint32_t at = i * bits, pair = packed[at / 8] | (uint32_t)packed[at / 8 + 1] << 8;
    to[i] = (uint8_t)(pair >> at % 8 & ((1u << bits) - 1));
  }
}

/* The rows become those of `tile`, where elements are bytes. */
static void rows_widen (uint8_t **rows, uint32_t num, uint8_t *tile, uint32_t form) {
  for (uint32_t r = 0; r < num; r++, tile += ROW) {
    row_widen(tile, rows[r], form & PTX_MATRIX_6BIT ? 6 : 4);
    rows[r] = tile;
  }
}

/* ---- */

PTX_HANDLER_DECLARE(ldmatrix)
const ptx_uop *PTX_FULL (ldmatrix)(PTX_HANDLER_ARGS) {
  uint8_t *rows[PTX_LANES], *to[8], tile[PTX_LANES * ROW];
  uint32_t form = form_of(I), num = I->extra->num;
  if (!rows_find(I, rf, w, rows, false)) return ptx_leave(w, PTX_EV_FAULT, I);
  if (form & (PTX_MATRIX_6BIT | PTX_MATRIX_4BIT)) rows_widen(rows, num * 8, tile, form);
  for (uint32_t i = 0; i < num; i++) {
    uint8_t *slot = rf + I->extra->slots[i];
    if (form & PTX_MATRIX_TALL) {
      S_u32 *d = PTX_SLOT(u32, slot, 0);
      PTX_EACH_LANE(l) d[l] = bytes_across(rows + i / 2 * 16, l, i % 2);
    } else {
      rows_of_slot(to, slot);
      copy_rows(to, rows + i * 8, form);
    }
  }
  return I + 1;
}
const ptx_uop *PTX_MASKED (ldmatrix)(PTX_HANDLER_ARGS) {
  (void)rf;
  return ptx_whole_warp_wait(I, w);
}

/* Eight rows of bytes from a register. */
static void give_bytes (uint8_t *const *rows, const uint8_t *slot) {
  for (uint32_t k = 0; k < 4 * PTX_LANES; k++) {
    uint32_t l = k / 4, row = l % 4 * 2 + k % 2, column = l / 4 + k % 4 / 2 * 8;
    rows[row][column] = slot[k];
  }
}

PTX_HANDLER_DECLARE(stmatrix)
const ptx_uop *PTX_FULL (stmatrix)(PTX_HANDLER_ARGS) {
  uint8_t *rows[PTX_LANES], *from[8];
  uint32_t form = form_of(I);
  if (!rows_find(I, rf, w, rows, true)) return ptx_leave(w, PTX_EV_FAULT, I);
  for (uint32_t i = 0; i < I->extra->num; i++) {
    uint8_t *slot = rf + I->extra->slots[i];
    rows_of_slot(from, slot);
    if (form & PTX_MATRIX_BYTES) give_bytes(rows + i * 8, slot);
    else copy_rows(rows + i * 8, from, form);
  }
  w->stored = 1;
  return I + 1;
}
const ptx_uop *PTX_MASKED (stmatrix)(PTX_HANDLER_ARGS) {
  (void)rf;
  return ptx_whole_warp_wait(I, w);
}

PTX_HANDLER_DECLARE(movmatrix)
const ptx_uop *PTX_FULL (movmatrix)(PTX_HANDLER_ARGS) {
  uint8_t *from[8], *to[8];
  (void)w;
  rows_of_slot(from, rf + I->extra->slots[1]);
  rows_of_slot(to, rf + I->extra->slots[0]);
  transpose(to, from);
  return I + 1;
}
const ptx_uop *PTX_MASKED (movmatrix)(PTX_HANDLER_ARGS) {
  (void)rf;
  return ptx_whole_warp_wait(I, w);
}
