/* lcu_pool.h: the memory of a device. */
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
/* Lets `peer` use memory of the pool, or no longer. */
lcu_status lcu_pool_share (lcu_device *d, lcu_device *peer, bool on);


/* ---- for the device, which has one; it is entered ---- */

lcu_status lcu_pool_create (lcu_device *d, lcu_pool **out);
void lcu_pool_destroy (lcu_device *d, lcu_pool *p);
/* The process was forked or the device is dead: only our own memory goes. */
void lcu_pool_forget (lcu_pool *p);


/* ---- for blocks; the device is entered ---- */

/* *ordered: the memory comes and goes in the order of streams; otherwise whoever frees it waits
 * first. */
lcu_status lcu_pool_alloc (lcu_device *d, size_t size, lcu_stream *home, cu_deviceptr *out,
                           bool *ordered);
void lcu_pool_free (lcu_device *d, cu_deviceptr p, size_t size, lcu_stream *home, bool ordered);
/* Counts a pooled block that came to be or ends. The device's lock is held. */
void lcu_pool_count_locked (lcu_device *d, bool born);
size_t lcu_pool_used (lcu_device *d); /* bytes; 0 without a pool */

#endif
