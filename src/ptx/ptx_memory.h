/* ptx_memory.h: addresses of the machine and the checks on them. */
#ifndef PTX_MEMORY_H
#define PTX_MEMORY_H

#include "ptx_insn.h"

/* Takes a failed or unknown range to the host: true when [address, address + bytes) may be used. Remembers it. */
bool ptx_memory_range (ptx_warp *w, uint64_t address, uint64_t bytes);

static inline bool ptx_in_window (uint64_t address, uint64_t window) { return address - window < PTX_WINDOW_SIZE; }

/* True when [address, address + bytes) lies in a live allocation: the ones seen last first. */
static inline bool ptx_memory_reachable (ptx_warp *w, uint64_t address, uint64_t bytes) {
  for (uint32_t k = 0; k < 4; ++k) {
    uint64_t offset = address - w->last[k].base, size = w->last[k].size;
    if (lcu_likely(offset < size && bytes <= size - offset)) return true;
  }
  return ptx_memory_range(w, address, bytes);
}

/* Leaves the loop with an event; the return value of a handler. */
static inline const ptx_insn *ptx_leave (ptx_warp *w, ptx_event event, const ptx_insn *at) {
  w->event = event;
  w->at = at;
  return NULL;
}

/* Lane by lane, any space, width, vector; with exact faults. Loads and stores end here when the quick ways do not fit. */
const ptx_insn *ptx_exec_ld_any (const ptx_insn *I, uint8_t *rf, ptx_warp *w);
const ptx_insn *ptx_exec_st_any (const ptx_insn *I, uint8_t *rf, ptx_warp *w);

/* Address of lane l before any check: the register (32 or 64 bits wide, as I->flags says) plus imm. */
uint64_t ptx_lane_address (const ptx_insn *I, const uint8_t *rf, const ptx_warp *w, uint32_t lane);

#endif
