/* ptx_mbarrier.h: barrier objects (9.7.13.15) for operations that complete by one. */
#ifndef PTX_MBARRIER_H
#define PTX_MBARRIER_H

#include "ptx_flight.h"

/* The operation is in flight from now on, and f->bytes arrive at the barrier object at `address`
 * when it is carried out. False: w->fault is set. */
bool ptx_mbarrier_await (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address,
                         ptx_flight *f);

/* Arrivals that the phase of a barrier object still waits for, and that its phases begin with. */
void ptx_mbarrier_counts (uint64_t word, uint32_t *pending, uint32_t *expected);

/* For reports: whether I waits for a barrier object that a lane can read. *address: where it is;
 * *arrivals and *bytes: what its phase lacks. Changes w->fault. */
bool ptx_mbarrier_lacks (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                         uint64_t *address, uint32_t *arrivals, int32_t *bytes);

#endif
