/* lcu_device.h: a device with its primary context. Made on demand, one per driver and ordinal. */
#ifndef LCU_DEVICE_H
#define LCU_DEVICE_H

#include <pthread.h>

#include "lcu_object.h"
#include "lcu_process.h"

typedef struct lcu_stream lcu_stream;
typedef struct lcu_pool lcu_pool;

#define LCU_RECENT 16

struct lcu_device {
  lcu_object base;
  const lcu_driver *drv;
  int ordinal;                      /* of its driver; the CPU device has 0 */
  cu_device handle;
  bool is_cpu;                      /* for names and defaults only, never for behaviour */
  bool host_memory;                 /* its memory is ordinary host memory: readable in place after a wait */
  char label[16];                   /* "gpu0", "cpu" */
  char name[128];
  int cc;                           /* 90 */
  cu_context context;               /* NULL until lcu_device_open */
  lcu_stream *null_stream;
  lcu_pool *pool;
  pthread_mutex_t lock;             /* guards ordering state of the device's streams and blocks */
  /* limits read once, for launch checks */
  int max_threads, max_block[3], max_grid[3], shared_default, shared_optin, warp, sm_count;
  bool cooperative, cluster;
  /* a failure that a finaliser or a callback could not return; reported by the next checked call */
  lcu_failure deferred;
  /* after a fatal fault: the message every later call repeats */
  atomic_bool dead;
  char dead_message[LCU_MESSAGE_SIZE];
  lcu_status dead_code;
  struct { char name[64]; lcu_stream *stream; uint64_t seq; } recent[LCU_RECENT];   /* latest launches */
  unsigned recent_next;
};

/* Retains the primary context, makes pool and null stream. Cheap when done. */
lcu_status lcu_device_open (lcu_device *d);

/* Makes the device's context current on this thread, and puts back what was there. Every driver call that needs
 * a context stands between the two. enter also does the fork and dead-device checks and reports a deferred failure. */
typedef struct lcu_scope { lcu_device *device; bool pushed; } lcu_scope;
lcu_status lcu_device_enter (lcu_device *d, lcu_scope *scope);
void lcu_device_leave (lcu_scope *scope);
/* The same for finalisers: no report of deferred failures; false when the device is dead, forked or closed (then
 * no driver call may be made). */
bool lcu_device_enter_quiet (lcu_device *d, lcu_scope *scope);

/* To be called with the status of every driver call made for the device: adds the device's name, turns a fatal one
 * into the dead state (naming the latest kernels not known complete), fetches the CPU device's fault details
 * (lcu_device_last_fault). Returns the status. */
lcu_status lcu_device_status (lcu_device *d, lcu_status s);
/* Details of this thread's last CPU-device fault, or NULL. */
const cux_fault *lcu_device_last_fault (void);
/* Keeps a failure for the next checked call (finalisers). */
void lcu_device_defer (lcu_device *d, lcu_status s);

lcu_status lcu_device_attribute (lcu_device *d, int attr, int *value);
lcu_status lcu_device_synchronize (lcu_device *d);
lcu_status lcu_device_memory (lcu_device *d, size_t *free_bytes, size_t *total);

#endif
