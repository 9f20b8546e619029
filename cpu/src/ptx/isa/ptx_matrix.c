/* ptx_matrix.c: ldmatrix, stmatrix and movmatrix (9.7.14.5.15 - 9.7.14.5.17): matrices of 8 rows of
 * 16 bytes, or of 16 such rows of bytes. Lane 8i + r names row r of matrix i (lane 16i + r of
 * matrices of 16 rows). In a register, lane l has word l % 4 of row l / 4, or with .trans the
 * elements of that word of the transposed matrix. stmatrix of bytes takes the accumulators of a
 * product: lane l has columns 2 (l % 4) and the next of rows l / 4 and l / 4 + 8. */
#include <string.h>

#include "ptx_exchange.h"
#include "ptx_fragment.h"
#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_wgmma.h"

enum { ROW = 16 };

static uint32_t form_of (const ptx_uop *I) { return (uint32_t)I->extra->imm[0]; }
/* Of all matrices. */
static uint32_t matrix_rows (const ptx_uop *I) { return I->extra->num * 8; }

/* A row that is not where the fast path looks; NULL: a fault. */
static uint8_t *row_slowly (const ptx_uop *I, ptx_warp *w, uint32_t lane, uint64_t at, bool write) {
  if (I->space != PTX_GENERIC || ptx_in_window(at, ptx_window_shared))
    return ptx_memory_at(w, I->space, lane, at, ROW, write);
  ptx_memory_fault(w, I->space, lane, at, ROW, write, PTX_FAULT_OUT_OF_BOUNDS,
                   "the matrix is not in shared memory");
  return NULL;
}

static bool rows_copy (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint8_t *tile,
                       bool write) {
  uint32_t rows = matrix_rows(I);
  uint64_t window = I->space == PTX_GENERIC ? ptx_window_shared : 0;
  for (uint32_t l = 0; l < rows; l++) {
    uint64_t at = ptx_lane_address(I, rf, w, l), low = at - window;
    uint8_t *p = low <= UINT32_MAX && low % ROW == 0 ? ptx_shared_at(w, low, ROW) : NULL;
    if (lcu_unlikely(p == NULL) && (p = row_slowly(I, w, l, at, write)) == NULL) return false;
    if (write) memcpy(p, tile + l * ROW, ROW);
    else memcpy(tile + l * ROW, p, ROW);
  }
  return true;
}

/* Lane l's word of the 8 x 8 halves of a tile, transposed. */
static uint32_t word_across (const uint8_t *tile, uint32_t l) {
  uint16_t low, high;
  memcpy(&low, tile + l % 4 * 2 * ROW + l / 4 * 2, 2);
  memcpy(&high, tile + (l % 4 * 2 + 1) * ROW + l / 4 * 2, 2);
  return low | (uint32_t)high << 16;
}

/* The same of bytes: register `half` has columns 8 half to 8 half + 7 of a tile of 16 rows. */
static uint32_t bytes_across (const uint8_t *tile, uint32_t l, uint32_t half) {
  uint32_t word = 0;
  for (uint32_t e = 0; e < 4; e++)
    word |= (uint32_t)tile[(l % 4 * 4 + e) * ROW + half * 8 + l / 4] << (8 * e);
  return word;
}

/* 16 elements of `bits` bits each become bytes, in place. */
static void row_widen (uint8_t *row, uint32_t bits) {
  uint8_t packed[ROW];
  memcpy(packed, row, ROW);
  for (uint32_t i = 0; i < ROW; i++) {
    uint32_t at = i * bits, pair = packed[at / 8] | (uint32_t)packed[at / 8 + 1] << 8;
    row[i] = (uint8_t)(pair >> at % 8 & ((1u << bits) - 1));
  }
}

static void tile_widen (uint8_t *tile, uint32_t rows, uint32_t form) {
  if (!(form & (PTX_MATRIX_6BIT | PTX_MATRIX_4BIT))) return;
  for (uint32_t r = 0; r < rows; r++) row_widen(tile + r * ROW, form & PTX_MATRIX_6BIT ? 6 : 4);
}

static void take_rows (uint8_t *slot, const uint8_t *tile, uint32_t form, uint32_t i) {
  S_u32 *d = PTX_SLOT(u32, slot, 0);
  const uint8_t *at = tile + (form & PTX_MATRIX_TALL ? i / 2 * 16 : i * 8) * ROW;
  if (form & PTX_MATRIX_TALL) {
    PTX_EACH_LANE(l) d[l] = bytes_across(at, l, i % 2);
  } else if (form & PTX_MATRIX_TRANS) {
    PTX_EACH_LANE(l) d[l] = word_across(at, l);
  } else {
    memcpy(d, at, 4 * PTX_LANES);
  }
}

const ptx_uop *ptx_handle_ldmatrix (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  _Alignas(64) uint8_t tile[PTX_LANES * ROW];
  if (w->mask != UINT32_MAX) return ptx_whole_warp_wait(I, w);
  if (!rows_copy(I, rf, w, tile, false)) return ptx_leave(w, PTX_EV_FAULT, I);
  tile_widen(tile, matrix_rows(I), form_of(I));
  for (uint32_t i = 0; i < I->extra->num; i++)
    take_rows(rf + I->extra->slots[i], tile, form_of(I), i);
  return I + 1;
}

/* Eight rows of memory from a register; a transposition is its own inverse. */
static void give_rows (uint8_t *rows, const uint8_t *slot, uint32_t form) {
  if (form & PTX_MATRIX_BYTES) {
    for (uint32_t k = 0; k < 4 * PTX_LANES; k++) {
      uint32_t l = k / 4, row = l % 4 * 2 + k % 2, column = l / 4 + k % 4 / 2 * 8;
      rows[row * ROW + column] = slot[k];
    }
  } else if (form & PTX_MATRIX_TRANS) {
    take_rows(rows, slot, form, 0);
  } else {
    memcpy(rows, slot, 8 * ROW);
  }
}

const ptx_uop *ptx_handle_stmatrix (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  _Alignas(64) uint8_t tile[PTX_LANES * ROW];
  if (w->mask != UINT32_MAX) return ptx_whole_warp_wait(I, w);
  for (uint32_t i = 0; i < I->extra->num; i++)
    give_rows(tile + i * 8 * ROW, rf + I->extra->slots[i], form_of(I));
  if (!rows_copy(I, rf, w, tile, true)) return ptx_leave(w, PTX_EV_FAULT, I);
  w->stored = 1;
  return I + 1;
}

const ptx_uop *ptx_handle_movmatrix (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  _Alignas(64) uint8_t from[8 * ROW];
  if (w->mask != UINT32_MAX) return ptx_whole_warp_wait(I, w);
  memcpy(from, rf + I->extra->slots[1], sizeof from);
  take_rows(rf + I->extra->slots[0], from, PTX_MATRIX_TRANS, 0);
  return I + 1;
}

uint32_t ptx_matrix_spans (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w,
                           ptx_span spans[PTX_LANES]) {
  if (I->id == PTX_ID_wmma_load || I->id == PTX_ID_wmma_store)
    return ptx_fragment_spans(I, rf, w, spans);
  if (I->id == PTX_ID_wgmma_load) return ptx_wgmma_spans(I, rf, w, spans);
  uint32_t rows = matrix_rows(I);
  for (uint32_t l = 0; l < rows; l++)
    spans[l] = (ptx_span){ .address = ptx_lane_address(I, rf, w, l), .lane = l, .bytes = ROW };
  return rows;
}
