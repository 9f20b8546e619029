/* ptx_cluster_ops.c: addresses of shared memory of other blocks (9.7.9.23, 9.7.9.24): see
 * PTX_PEER_BYTES. I->size is the width of addresses; I->space is PTX_GENERIC or PTX_CLUSTER. */
#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_memory.h"

static uint64_t get (const ptx_uop *I, const uint8_t *rf, uint32_t lane) {
  return I->size == 8 ? PTX_SLOT(u64, rf, I->a)[lane] : PTX_SLOT(u32, rf, I->a)[lane];
}

/* Whether the address is a shared one, which is then in `out`. */
static bool shared_address (const ptx_uop *I, const uint8_t *rf, uint32_t lane, uint64_t *out) {
  uint64_t address = *out = get(I, rf, lane);
  if (I->space != PTX_GENERIC) return true;
  *out = address - ptx_window_shared;
  return ptx_in_window(address, ptx_window_shared);
}

/* Compilers move mapa and getctarank in front of the conditions around them, so both accept
 * everything. An access to what mapa could not map is a fault. */
static void map_lane (const ptx_uop *I, uint8_t *rf, uint32_t lane) {
  uint32_t rank = PTX_SLOT(u32, rf, I->b)[lane];
  uint64_t at;
  if (!shared_address(I, rf, lane, &at)) rank = PTX_RANK_NOT_SHARED;
  else if (rank >= PTX_RANK_NOT_SHARED) rank = PTX_RANK_NONE;
  at = at % PTX_PEER_BYTES + (uint64_t)PTX_PEER_BYTES * (rank + 1u);
  if (I->space == PTX_GENERIC) at += ptx_window_shared;
  if (I->size == 8) PTX_SLOT(u64, rf, I->d)[lane] = at;
  else PTX_SLOT(u32, rf, I->d)[lane] = (uint32_t)at;
}

static void rank_lane (const ptx_uop *I, uint8_t *rf, const ptx_warp *w, uint32_t lane) {
  uint64_t at;
  uint32_t rank = w->cluster_rank;
  if (!shared_address(I, rf, lane, &at)) rank = UINT32_MAX;
  else if (at >= PTX_PEER_BYTES) rank = (uint32_t)(at / PTX_PEER_BYTES - 1);
  PTX_SLOT(u32, rf, I->d)[lane] = rank;
}

const ptx_uop *ptx_handle_mapa (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) map_lane(I, rf, l);
  return I + 1;
}

const ptx_uop *ptx_handle_getctarank (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) rank_lane(I, rf, w, l);
  return I + 1;
}
