/* ptx_check_lanes.c: with all checks on, what orders the lanes of one warp, and what they store
 * together.
 *
 * Lanes run one after the other in any order (CUDA C++ Programming Guide, independent thread
 * scheduling), so an access is ordered before one of another lane only if both lanes have taken
 * part in an operation of their warp in between. CUDA promises order for __syncwarp() alone; other
 * operations with a member mask count too, because lanes do wait for each other there. With whom a
 * lane did so is not considered. */
#include "ptx_check.h"
#include "ptx_exchange.h"
#include "ptx_memory.h"

void ptx_check_synced (ptx_xwarp *x, uint32_t lanes) {
  if (x->w.check != PTX_CHECK_ALL) return;
  uint32_t now = ++x->cta->clock;
  for (uint32_t m = lanes; m != 0; m &= m - 1) x->synced[ptx_first_lane(m)] = now;
}

bool ptx_check_lanes_meet (const ptx_xwarp *x, uint32_t a, uint32_t b, uint32_t time) {
  return a != b && (x->synced[a] <= time || x->synced[b] <= time);
}

const uint8_t *ptx_check_stored (const ptx_lane_access *a, uint32_t lane, uint32_t e) {
  const ptx_uop *I = a->I;
  if (I->id == PTX_ID_cp_async || I->size > 8 || ptx_id_whole_warp(I->id)) return NULL;
  int32_t slot = I->vector <= 1 ? I->d : I->extra->slots[e];
  return a->rf + slot + (size_t)lane * (I->size <= 4 ? 4 : 8);
}

/* Byte k of what the lane stores; NULL: not known, or it does not store so many. */
static const uint8_t *stored_byte (const ptx_lane_access *a, uint32_t lane, uint64_t k) {
  if (k >= a->bytes) return NULL;
  const uint8_t *element = ptx_check_stored(a, lane, (uint32_t)k / a->I->size);
  return element == NULL ? NULL : element + k % a->I->size;
}

bool ptx_check_stores_other (const ptx_lane_access *a, uint32_t k, uint32_t lane) {
  uint64_t address = ptx_lane_address(a->I, a->rf, &a->x->w, lane);
  const uint8_t *own = stored_byte(a, a->lane, k);
  const uint8_t *other = stored_byte(a, lane, a->address + k - address);
  return own != NULL && other != NULL && *own != *other;
}
