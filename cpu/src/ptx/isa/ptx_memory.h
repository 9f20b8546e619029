/* ptx_memory.h: from an address of a kernel to storage, with all checks. Functions that return
 * false or NULL have set w->fault. `space` is PTX_GENERIC or a real one. */
#ifndef PTX_MEMORY_H
#define PTX_MEMORY_H

#include "ptx_warp.h"
#include "ptx_window.h"

/* Local memory is interleaved: word k of lane l is at w->local + (k * 32 + l) * 4, so that equal
 * offsets of a warp are side by side. A local address is a byte offset that includes local_base. */

/* Storage of byte `offset` of a lane's local memory. Only the rest of its 4-byte word follows. */
static inline uint8_t *ptx_local_word (const ptx_warp *w, uint32_t lane, uint32_t offset) {
  return w->local + (size_t)(offset / 4) * (4 * PTX_LANES) + lane * 4 + offset % 4;
}

static inline bool ptx_range_holds (const ptx_range *r, uint64_t address, uint64_t bytes) {
  uint64_t offset = address - r->base;
  return offset < r->size && bytes <= r->size - offset;
}

/* Whether a generic address is in the shared memory of the thread's own block. */
static inline bool ptx_is_own_shared (const ptx_warp *w, uint64_t address) {
  uint64_t offset = address - ptx_window_shared;
  return offset < PTX_PEER_BYTES || offset / PTX_PEER_BYTES == w->cluster_rank + 1u;
}

/* Storage of a shared address below 2^32; NULL, without a fault, unless all `bytes` (below 2^63)
 * are the block's. */
static inline uint8_t *ptx_shared_at (const ptx_warp *w, uint64_t address, uint64_t bytes) {
  return lcu_likely(address >= w->shared_from && address + bytes <= w->shared_end)
           ? w->shared + address
           : NULL;
}

/* Whether [address, address + bytes) is inside a live allocation, which is then kept as
 * w->last[index]. Sets no fault. */
bool ptx_memory_reachable (ptx_warp *w, uint32_t index, uint64_t address, uint64_t bytes);

/* Host pointer to the `bytes` bytes at an aligned address of one lane. They are contiguous except
 * in local memory: see ptx_local_word. */
uint8_t *ptx_memory_at (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, uint32_t bytes,
                        bool write);

/* The same for the one lane's access of an atomic instruction of 1 to 8 bytes. */
uint8_t *ptx_memory_atomic (ptx_warp *w, const ptx_uop *I, uint32_t lane, uint64_t address);

/* The same for `bytes` bytes, any number, at an address that is a multiple of `align`. */
uint8_t *ptx_memory_block (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address,
                           uint32_t bytes, uint32_t align, bool write);

/* Copies between one lane's memory and the host. */
bool ptx_memory_read (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, void *out,
                      uint32_t bytes);
bool ptx_memory_write (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, const void *in,
                       uint32_t bytes);

/* The address an access of this lane uses: its register, 32 or 64 bits wide, plus imm. */
uint64_t ptx_lane_address (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w, uint32_t lane);

/* Whether the address is a multiple of `to`. */
bool ptx_memory_aligned (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, uint32_t to,
                         bool write);

/* Reports a fault of this access. Always false. */
bool ptx_memory_fault (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, uint32_t bytes,
                       bool write, ptx_fault_kind kind, const char *detail);

#endif
