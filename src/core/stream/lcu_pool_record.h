/* lcu_pool_record.h: the record of a pool, for the files that implement it. */
#ifndef LCU_POOL_RECORD_H
#define LCU_POOL_RECORD_H

#include "lcu_pool.h"
#include "lcu_spares.h"

struct lcu_pool {
  /* memory freed on the null stream; guarded by the device's lock */
  lcu_spares spares;
  cu_mempool handle; /* NULL: plain cuMemAlloc */
  atomic_bool warm;  /* the first allocation from `handle` was made */
  /* bytes of plain allocations made before that: in all, and not freed yet */
  atomic_size_t early;
  atomic_size_t early_used;
  atomic_size_t used, used_high, limit;
  uint64_t allocations, frees; /* guarded by the device's lock */
};

/* Returns all spares to the driver's pool. The device is entered. */
lcu_status lcu_pool_drop_spares (lcu_device *d);

#endif
