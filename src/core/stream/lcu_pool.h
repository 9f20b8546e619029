/* lcu_pool.h: the memory of a device.
 *
 * A device has one pool: a pool of the driver's stream-ordered allocator, or plain allocation where
 * the driver has none. Allocation and free are ordered by the home stream of the block: the caller
 * (lcu_limbo.c) makes sure that all other users precede the free on that stream. Pieces up to
 * LCU_SPARE_SIZE freed on the null stream are kept as spares and given to later allocations on the
 * null stream (lcu_spares.h); they count as free. `used` is the sum of the sizes of live blocks;
 * an allocation that would raise it above the limit fails. Trimming returns the spares, and then
 * the driver's unused memory. */
#ifndef LCU_POOL_H
#define LCU_POOL_H

#include "lcu_device.h"

typedef struct lcu_pool_stats {
  size_t used, reserved, used_high, reserved_high, limit;
  uint64_t allocations, frees;
} lcu_pool_stats;
lcu_status lcu_pool_stat (lcu_device *d, lcu_pool_stats *out);
lcu_status lcu_pool_trim (lcu_device *d, size_t keep);
void lcu_pool_limit (lcu_device *d, size_t bytes); /* 0: none */
/* Sets whether `peer` may use memory of the pool. */
lcu_status lcu_pool_share (lcu_device *d, lcu_device *peer, bool on);


/* ---- for the device; it is entered ---- */

lcu_status lcu_pool_create (lcu_device *d, lcu_pool **out);
void lcu_pool_destroy (lcu_device *d, lcu_pool *p);
/* Frees only the record: the process was forked or the device is dead. */
void lcu_pool_forget (lcu_pool *p);


/* ---- for blocks; the device is entered ---- */

/* *ordered: the memory is allocated and freed in the order of `home`; otherwise the caller frees it
 * only after all work that uses it. */
lcu_status lcu_pool_alloc (lcu_device *d, size_t size, lcu_stream *home, cu_deviceptr *out,
                           bool *ordered);
void lcu_pool_free (lcu_device *d, cu_deviceptr p, size_t size, lcu_stream *home, bool ordered);
/* Counts a pooled block that begins or ends. The device's lock is held. */
void lcu_pool_count_locked (lcu_device *d, bool born);
size_t lcu_pool_used (lcu_device *d); /* bytes; 0 without a pool */

#endif
