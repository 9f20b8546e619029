/* ptx_cluster_ops.c: addresses of shared memory of other blocks (9.7.9.23, 9.7.9.24): see
 * PTX_PEER_BYTES. I->size is the width of addresses; I->space is PTX_GENERIC or PTX_CLUSTER. */
#include <stdio.h>

#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_memory.h"

static uint64_t get (const ptx_uop *I, const uint8_t *rf, uint32_t lane) {
  return I->size == 8 ? PTX_SLOT(u64, rf, I->a)[lane] : PTX_SLOT(u32, rf, I->a)[lane];
}

/* The shared address; false: the address is in other memory. */
static bool shared_address (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                            uint64_t *out) {
  uint64_t address = *out = get(I, rf, lane);
  if (I->space != PTX_GENERIC) return true;
  *out = address - ptx_window_shared;
  if (ptx_in_window(address, ptx_window_shared)) return true;
  return ptx_memory_fault(w, PTX_GENERIC, lane, address, 0, PTX_FAULT_OUT_OF_BOUNDS,
                          "the address is not in shared memory");
}

static bool map_lane (const ptx_uop *I, uint8_t *rf, ptx_warp *w, uint32_t lane) {
  uint32_t rank = PTX_SLOT(u32, rf, I->b)[lane];
  uint64_t at;
  char detail[96];
  if (!shared_address(I, rf, w, lane, &at)) return false;
  if (rank >= w->num_peers) {
    snprintf(detail, sizeof detail, "mapa to block %u of a cluster of %u", rank, w->num_peers);
    return ptx_memory_fault(w, PTX_SHARED, lane, 0, 0, PTX_FAULT_OUT_OF_BOUNDS, detail);
  }
  at = at % PTX_PEER_BYTES + (uint64_t)PTX_PEER_BYTES * (rank + 1u);
  if (I->space == PTX_GENERIC) at += ptx_window_shared;
  if (I->size == 8) PTX_SLOT(u64, rf, I->d)[lane] = at;
  else PTX_SLOT(u32, rf, I->d)[lane] = (uint32_t)at;
  return true;
}

static bool rank_lane (const ptx_uop *I, uint8_t *rf, ptx_warp *w, uint32_t lane) {
  uint64_t at;
  if (!shared_address(I, rf, w, lane, &at)) return false;
  uint32_t rank = at < PTX_PEER_BYTES ? w->cluster_rank : (uint32_t)(at / PTX_PEER_BYTES - 1);
  PTX_SLOT(u32, rf, I->d)[lane] = rank;
  return true;
}

const ptx_uop *ptx_handle_mapa (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask)
  if (!map_lane(I, rf, w, l)) return ptx_leave(w, PTX_EV_FAULT, I);
  return I + 1;
}

const ptx_uop *ptx_handle_getctarank (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask)
  if (!rank_lane(I, rf, w, l)) return ptx_leave(w, PTX_EV_FAULT, I);
  return I + 1;
}
