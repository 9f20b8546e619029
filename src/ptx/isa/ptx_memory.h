/* ptx_memory.h: addresses of the machine and the checks on them. */
#ifndef PTX_MEMORY_H
#define PTX_MEMORY_H

#include "ptx_insn.h"

static inline bool ptx_in_window (uint64_t address, uint64_t window) {
  return address - window < PTX_WINDOW_SIZE;
}

static inline bool ptx_range_holds (const ptx_range *r, uint64_t address, uint64_t bytes) {
  uint64_t offset = address - r->base;
  return offset < r->size && bytes <= r->size - offset;
}

/* Storage of a shared address below 2^32; NULL when not all `bytes`, below 2^63, are the
 * block's. */
static inline uint8_t *ptx_shared_at (const ptx_warp *w, uint64_t address, uint64_t bytes) {
  return lcu_likely(address >= w->shared_from && address + bytes <= w->shared_end)
           ? w->shared + address
           : NULL;
}

/* True when [address, address + bytes) lies in a live allocation, which is then remembered as
 * w->last[index]. */
bool ptx_memory_reachable (ptx_warp *w, uint32_t index, uint64_t address, uint64_t bytes);

/* Leaves the loop with an event; the return value of a handler. */
static inline const ptx_uop *ptx_leave (ptx_warp *w, ptx_event event, const ptx_uop *at) {
  w->event = event;
  w->at = at;
  return NULL;
}

/* Lane by lane, any space, width, vector; with exact faults. Loads and stores end here when the
 * quick ways do not fit. */
const ptx_uop *ptx_handle_ld_any (const ptx_uop *I, uint8_t *rf, ptx_warp *w);
const ptx_uop *ptx_handle_st_any (const ptx_uop *I, uint8_t *rf, ptx_warp *w);

/* Address of lane l before any check: the register (32 or 64 bits wide, as I->flags says) plus
 * imm. */
uint64_t ptx_lane_address (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w, uint32_t lane);

/* False: w->fault says that the address is no multiple of `to`. */
bool ptx_memory_aligned (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, uint32_t to,
                         bool write);
/* Sets w->fault for an access that is wrong for a reason of its own. Always false. */
bool ptx_memory_fault (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, uint32_t bytes,
                       ptx_fault_kind kind, const char *detail);

#endif
