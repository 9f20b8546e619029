/* ptx_atomic.h: atomics. Mode and type are in I->used_bytes = mode | type << 8 (ptx_mode,
 * ptx_type). */
#ifndef PTX_ATOMIC_H
#define PTX_ATOMIC_H

#include "ptx_match.h"

/* Whether `mode` exists for `type`; red: the form without a result. */
bool ptx_atomic_known (ptx_mode mode, ptx_type type, bool red);
/* Whether it exists for the elements of a vector. */
bool ptx_atomic_known_vector (ptx_mode mode, ptx_type type);

/* Changes one value at p, of 2, 4 or 8 bytes, in the shared memory of a cluster or in global
 * memory. */
void ptx_atomic_change (uint8_t *p, bool shared, uint32_t size, ptx_mode mode, ptx_type type,
                        uint64_t value);

#endif
