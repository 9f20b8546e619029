/* lcu_device.h: a device with its primary context. Made on demand, one per driver and ordinal. */
#ifndef LCU_DEVICE_H
#define LCU_DEVICE_H

#include <pthread.h>

#include "lcu_object.h"
#include "lcu_pending.h"
#include "lcu_process.h"

typedef struct lcu_stream lcu_stream;
typedef struct lcu_pool lcu_pool;

#define LCU_RECENT 16

/* The latest launch of a kernel; of one kernel in a row the last. */
typedef struct lcu_recent {
  lcu_stream *stream;   /* borrowed; NULL: it has ended, the work perhaps not */
  uint64_t seq, kernel; /* kernel: its id */
  char name[64];
} lcu_recent;

/* What work keeps with a device: it ends with the device's context. */
typedef struct lcu_part {
  void (*destroy)(lcu_device *d, struct lcu_part *part); /* no work uses it any more */
} lcu_part;
enum { LCU_PART_STAGE, LCU_PART_BLAS, LCU_PARTS };

struct lcu_device {
  lcu_object base;
  /* what every launch looks at lies together */
  const lcu_driver *drv;
  cu_context context; /* NULL until lcu_device_open */
  lcu_stream *null_stream;
  lcu_pool *pool;
  size_t index; /* position in lcu_process_device */
  atomic_bool opened, dead, has_pending;
  bool is_cpu; /* for names and defaults only, never for behaviour */
  /* its memory is ordinary host memory: readable in place after a wait */
  bool host_memory;
  /* times to go before the driver is asked again which context is current */
  atomic_uint pushes_left;
  pthread_mutex_t lock; /* guards ordering state of the device's streams and blocks */
  /* all live blocks of the device (lcu_block_find); guarded by `lock` */
  struct lcu_block *blocks;
  /* host blocks without owner that running work still uses; changed under `lock` */
  _Atomic(struct lcu_block *) limbo;
  unsigned recent_next; /* of `recent` */
  int ordinal;          /* of its driver; the CPU device has 0 */
  cu_device handle;
  char label[16]; /* "gpu0", "cpu" */
  char name[128];
  int cc; /* 90 */
  /* limits read once, for launch checks */
  int max_threads, max_block[3], max_grid[3], shared_default, shared_optin, warp, sm_count;
  bool cooperative, cluster;
  /* failures that no call has raised yet; guarded by `lock` */
  lcu_pending *pending, *pending_reserve;
  lcu_failure death; /* the fatal fault of a dead device, which every later call names */
  lcu_recent recent[LCU_RECENT]; /* a ring; guarded by `lock` */
  /* the implementation's own */
  pthread_mutex_t open_lock;
  _Atomic(lcu_part *) parts[LCU_PARTS]; /* made under `open_lock` */
  atomic_uint early_copies;             /* small copies made before there was any */
  atomic_uint_fast64_t peers;           /* bit per device index: that device may use our memory */
  /* the same: that was tried, or the program has said what it wants */
  atomic_uint_fast64_t peers_set;
  atomic_long boxes; /* references held by Lua handles of the device itself */
  /* attributes: unified addressing and the like */
  int unified, managed_concurrent, host_pointers;
};

/* Only lcu_process makes and closes devices. close drops what the device holds of itself; the last
 * reference ends it. */
lcu_status lcu_device_create (const lcu_driver *drv, int ordinal, lcu_device **out);
void lcu_device_close (lcu_device *d);

/* Retains the primary context, makes pool and null stream. Cheap when done. */
lcu_status lcu_device_open (lcu_device *d);
/* Ends the context of a device without users. */
void lcu_device_release_context (lcu_device *d);

/* Gives everything the driver holds for the device back; the next use starts afresh. LCU_E_STATE
 * while objects of the device live. */
lcu_status lcu_device_reset (lcu_device *d);
lcu_status lcu_device_limit (lcu_device *d, int limit, size_t *value, bool set);

lcu_status lcu_device_attribute (lcu_device *d, int attr, int *value);
lcu_status lcu_device_memory (lcu_device *d, size_t *free_bytes, size_t *total);

#endif
