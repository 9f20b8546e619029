/* lcu_device.h: a device with its primary context, created on demand, one for each driver and
 * ordinal; or another context of such a device (lcu_context.h). */
#ifndef LCU_DEVICE_H
#define LCU_DEVICE_H

#include <pthread.h>

#include "lcu_object.h"
#include "lcu_pending.h"
#include "lcu_process.h"

typedef struct lcu_stream lcu_stream;
typedef struct lcu_pool lcu_pool;

/* Limits of the device, read once, for launch checks. */
typedef struct lcu_limits {
  int cc; /* 90 */
  int max_threads, max_block[3], max_grid[3], shared_default, shared_optin, warp, sm_count;
  bool cooperative, cluster;
  int unified, managed_concurrent, host_pointers; /* device attributes */
} lcu_limits;

/* What the rooms of memory keep (lcu_block.h). */
typedef struct lcu_heap {
  struct lcu_block *blocks; /* all live blocks; guarded by the device's lock */
  /* blocks without references that queued work still uses; changed under the lock */
  _Atomic(struct lcu_block *) limbo;
  /* lcu_block_find, for reports of faults */
  bool (*find)(lcu_device *d, cu_deviceptr address, char *label, size_t label_size,
               cu_deviceptr *base, size_t *size);
} lcu_heap;

/* Recordings of graphs in progress, and calls that exclude them (lcu_recording.c); guarded by the
 * device's lock. */
typedef struct lcu_recordings {
  int active, whole_waits;
  pthread_cond_t may_begin;
  struct lcu_module *held_modules; /* their end waits for the last recording */
} lcu_recordings;

/* A bit for each device index. */
typedef struct lcu_peers {
  atomic_uint_fast64_t may_use; /* that device may use this one's memory */
  atomic_uint_fast64_t set;     /* access was tried, or the program has set it */
} lcu_peers;

/* Data that work keeps with a device: it ends with the device's context. */
typedef struct lcu_part {
  void (*destroy)(lcu_device *d, struct lcu_part *part); /* called when no work uses it any more */
} lcu_part;
enum { LCU_PART_STAGE, LCU_PART_BLAS, LCU_PARTS };

struct lcu_device {
  lcu_object base;
  /* together: the fields that every launch reads */
  const lcu_driver *drv;
  cu_context context; /* NULL until lcu_device_open */
  lcu_stream *null_stream;
  lcu_pool *pool;
  size_t index; /* position in lcu_process_device */
  atomic_bool opened, dead, has_pending;
  bool is_cpu; /* for names and defaults only, never for behavior */
  /* its memory is host memory, accessible in place after a wait */
  bool host_memory;
  /* pushes of the context before the driver is asked again which one is current */
  atomic_uint pushes_left;
  pthread_mutex_t lock; /* guards ordering state of the device's streams and blocks */
  lcu_heap heap;
  int ordinal; /* of its driver; 0 for the CPU device */
  cu_device handle;
  char label[24]; /* "gpu0", "cpu", "gpu0.1" for a context */
  char name[128];
  lcu_limits limits;
  lcu_faults faults;
  /* all streams of the device; guarded by `lock` */
  lcu_stream *streams;
  /* of a context: the device, with a reference */
  lcu_device *parent;
  atomic_bool closing, closed; /* a context: it ends, or has ended */
  atomic_uint contexts;        /* made so far, for their labels */
  /* internal */
  pthread_mutex_t open_lock;
  _Atomic(lcu_part *) parts[LCU_PARTS]; /* created under `open_lock` */
  atomic_uint early_copies;             /* small copies made before the staging memory exists */
  lcu_peers peers;
  atomic_long boxes; /* references held by Lua handles of the device itself */
  lcu_recordings recordings;
};

/* Only lcu_process creates and closes devices. close drops the references in which the device takes
 * part itself; the last reference ends it. */
lcu_status lcu_device_create (const lcu_driver *drv, int ordinal, lcu_device **out);
void lcu_device_close (lcu_device *d);
/* The record of another context of the device, for lcu_context.c. */
lcu_status lcu_device_create_like (const lcu_device *d, lcu_device **out);

/* Retains the primary context, and creates the pool and the null stream. Cheap once done. */
lcu_status lcu_device_open (lcu_device *d);
/* Ends the context of a device without users. */
void lcu_device_release_context (lcu_device *d);
/* Ends what work keeps with the device, which is idle or lost. */
void lcu_device_end_parts (lcu_device *d);
/* References other than those of the process, the null stream and Lua handles of the device
 * itself. */
long lcu_device_outside_references (lcu_device *d);
/* The device itself, or that of a context. */
static inline lcu_device *lcu_device_root (lcu_device *d) {
  return d->parent != NULL ? d->parent : d;
}
/* Contexts of one device reach the same memory. */
static inline bool lcu_device_same_memory (lcu_device *a, lcu_device *b) {
  return a == b || lcu_device_root(a) == lcu_device_root(b);
}

/* Releases everything the driver holds for the device; its next use opens it again. LCU_E_STATE
 * while objects of the device exist. */
lcu_status lcu_device_reset (lcu_device *d);

/* Settings of the context. `set` writes the value before it is read. */
lcu_status lcu_device_limit (lcu_device *d, int limit, size_t *value, bool set);
lcu_status lcu_device_cache_config (lcu_device *d, int *config, bool set);
/* Values of cu_ctx_flag. They can be set at any time. */
lcu_status lcu_device_flags (lcu_device *d, unsigned *flags);
lcu_status lcu_device_set_flags (lcu_device *d, unsigned flags);
lcu_status lcu_device_api_version (lcu_device *d, unsigned *version); /* 3020 */

lcu_status lcu_device_attribute (lcu_device *d, int attr, int *value);
lcu_status lcu_device_memory (lcu_device *d, size_t *free_bytes, size_t *total);

/* ---- lcu_recording.c: recordings of graphs, and calls that wait for a whole device. Such a call
 * breaks every recording on its device and fails itself, so the two exclude each other. */

/* Waits for the calls in progress. */
void lcu_recording_begin (lcu_device *d);
/* True when it was the last recording in progress. */
bool lcu_recording_end (lcu_device *d);

/* Brackets a call that waits for the whole device. False, and no call may be made, while a graph is
 * being recorded. */
bool lcu_recording_forbid (lcu_device *d);
void lcu_recording_allow (lcu_device *d);

#endif
