/* ptx_matrix.c: where the rows of ldmatrix and stmatrix are. */
#include <string.h>

#include "ptx_fragment.h"
#include "ptx_ids.h"
#include "ptx_lanes.h"
#include "ptx_wgmma.h"

enum { ROW = PTX_MATRIX_ROW };

/* Of all matrices. */
static uint32_t matrix_rows (const ptx_uop *I) { return I->extra->num * 8; }

/* NULL: a fault. */
static uint8_t *row_at (const ptx_uop *I, ptx_warp *w, uint32_t lane, uint64_t at, bool write) {
  if (I->space != PTX_GENERIC || ptx_in_window(at, ptx_window_shared))
    return ptx_memory_at(w, I->space, lane, at, ROW, write);
  ptx_memory_fault(w, I->space, lane, at, ROW, write, PTX_FAULT_OUT_OF_BOUNDS,
                   "the matrix is not in shared memory");
  return NULL;
}

bool ptx_matrix_rows (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint8_t **rows,
                      bool write) {
  uint32_t num = matrix_rows(I);
  for (uint32_t l = 0; l < num; l++)
    if ((rows[l] = row_at(I, w, l, ptx_lane_address(I, rf, w, l), write)) == NULL) return false;
  return true;
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
