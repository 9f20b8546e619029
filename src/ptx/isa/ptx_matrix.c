/* ptx_matrix.c: ldmatrix, stmatrix and movmatrix (9.7.14.5.15 - 9.7.14.5.17): matrices of 8 rows of
 * 16 bytes, or of 16 such rows of bytes. Lane 8i + r names row r of matrix i (lane 16i + r of
 * matrices of 16 rows). In a register, lane l has word l % 4 of row l / 4, or with .trans the
 * elements of that word of the transposed matrix. */
#include <string.h>

#include "ptx_exchange.h"
#include "ptx_fragment.h"
#include "ptx_handlers.h"
#include "ptx_lanes.h"

enum { ROW = 16 };

/* extra->imm[0] */
typedef struct form {
  bool trans, tall; /* tall: 16 rows of bytes, always transposed, two registers each */
  uint32_t rows;    /* of all matrices: eight per register */
} form;

static form form_of (const ptx_uop *I) {
  uint32_t bits = (uint32_t)I->extra->imm[0];
  form f = { .trans = (bits & 1) != 0, .tall = (bits & 2) != 0 };
  f.rows = I->extra->num * 8;
  return f;
}

static bool rows_copy (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint8_t *tile,
                       bool write) {
  uint32_t rows = form_of(I).rows;
  for (uint32_t l = 0; l < rows; l++) {
    uint64_t at = ptx_lane_address(I, rf, w, l);
    if (I->space == PTX_GENERIC && !ptx_in_window(at, ptx_window_shared))
      return ptx_memory_fault(w, I->space, l, at, ROW, PTX_FAULT_OUT_OF_BOUNDS,
                              "the matrix is not in shared memory");
    uint8_t *p = ptx_memory_at(w, I->space, l, at, ROW, write);
    if (p == NULL) return false;
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

static void take (uint8_t *slot, const uint8_t *tile, const form *f, uint32_t i) {
  S_u32 *d = PTX_SLOT(u32, slot, 0);
  const uint8_t *at = tile + (f->tall ? i / 2 * 16 : i * 8) * ROW;
  if (f->tall) {
    PTX_EACH_LANE(l) d[l] = bytes_across(at, l, i % 2);
  } else if (f->trans) {
    PTX_EACH_LANE(l) d[l] = word_across(at, l);
  } else {
    memcpy(d, at, 4 * PTX_LANES);
  }
}

const ptx_uop *ptx_handle_ldmatrix (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  _Alignas(64) uint8_t tile[PTX_LANES * ROW];
  form f = form_of(I);
  if (w->mask != UINT32_MAX) return ptx_whole_warp_wait(I, w);
  if (!rows_copy(I, rf, w, tile, false)) return ptx_leave(w, PTX_EV_FAULT, I);
  for (uint32_t i = 0; i < I->extra->num; i++) take(rf + I->extra->slots[i], tile, &f, i);
  return I + 1;
}

const ptx_uop *ptx_handle_stmatrix (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  _Alignas(64) uint8_t tile[PTX_LANES * ROW];
  _Alignas(64) uint8_t turned[8 * ROW];
  form f = form_of(I);
  if (w->mask != UINT32_MAX) return ptx_whole_warp_wait(I, w);
  for (uint32_t i = 0; i < I->extra->num; i++) {
    const uint8_t *from = rf + I->extra->slots[i];
    /* A transposition is its own inverse. */
    if (f.trans) take(turned, from, &(form){ .trans = true }, 0);
    memcpy(tile + i * 8 * ROW, f.trans ? turned : from, 8 * ROW);
  }
  if (!rows_copy(I, rf, w, tile, true)) return ptx_leave(w, PTX_EV_FAULT, I);
  w->stored = 1;
  return I + 1;
}

const ptx_uop *ptx_handle_movmatrix (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  _Alignas(64) uint8_t from[8 * ROW];
  if (w->mask != UINT32_MAX) return ptx_whole_warp_wait(I, w);
  memcpy(from, rf + I->extra->slots[1], sizeof from);
  take(rf + I->extra->slots[0], from, &(form){ .trans = true }, 0);
  return I + 1;
}

uint32_t ptx_matrix_spans (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w,
                           ptx_span spans[PTX_LANES]) {
  if (I->id == PTX_ID_wmma_load || I->id == PTX_ID_wmma_store)
    return ptx_fragment_spans(I, rf, w, spans);
  uint32_t rows = form_of(I).rows;
  for (uint32_t l = 0; l < rows; l++)
    spans[l] = (ptx_span){ .address = ptx_lane_address(I, rf, w, l), .lane = l, .bytes = ROW };
  return rows;
}
