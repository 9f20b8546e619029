/* ptx_window.h: address ranges that stand for shared, local and parameter memory in generic
 * addresses, so that a generic address shows its state space. Each takes 4 GiB of address space,
 * reserved once per process without access rights. */
#ifndef PTX_WINDOW_H
#define PTX_WINDOW_H

#include "lcu_status.h"

extern uint64_t ptx_window_shared, ptx_window_local, ptx_window_param;
#define PTX_WINDOW_SIZE ((uint64_t)1 << 32)

/* Shared addresses below this are in the thread's own block; the memory of rank r of its cluster
 * starts at (r + 1) times this. */
#define PTX_PEER_BYTES ((uint32_t)1 << 24)

/* Ranks that no block has, in addresses that mapa could not map. */
enum {
  PTX_RANK_NOT_SHARED = 253, /* the address was not in shared memory */
  PTX_RANK_NONE = 254        /* neither this rank nor a higher one fits in an address */
};

/* Lower addresses count as null pointers. */
#define PTX_NULL_BYTES ((uint64_t)1 << 16)

/* Reserves the windows. May be called any number of times. */
lcu_status ptx_window_reserve (void);

static inline bool ptx_in_window (uint64_t address, uint64_t window) {
  return address - window < PTX_WINDOW_SIZE;
}

#endif
