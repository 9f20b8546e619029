/* lcu_launch.h: the hot path from packed arguments to cuLaunchKernel. */
#ifndef LCU_LAUNCH_H
#define LCU_LAUNCH_H

#include "lcu_function.h"
#include "lcu_work.h"

/* What few launches have. */
typedef struct lcu_launch_extras {
  bool any; /* whether any of these was given: cuLaunchKernelEx launches */
  bool programmatic, has_priority;
  uint8_t sync_domain; /* CU_SYNC_DOMAIN_ */
  int priority;
  uint32_t cluster[3]; /* zeros: none */
} lcu_launch_extras;

typedef struct lcu_config {
  uint32_t grid[3], block[3];
  uint32_t shared;           /* dynamic bytes */
  bool cooperative, ordered; /* ordered: automatic order between streams (the default) */
  bool settable;             /* recorded in a graph, its arguments may be changed */
  lcu_launch_extras extras;
  lcu_stream *stream; /* never NULL */
} lcu_config;

/* Checks the limits of grid, block, shared memory and cluster, raises the limit of shared memory
 * above 48 KB, and brings the priority into the device's range. Messages name the kernel, the value
 * and the limit. To be called once for each configuration, before anything is queued. */
lcu_status lcu_launch_check (lcu_function *f, lcu_config *c);
/* How many blocks of `threads` threads a cooperative launch may have; 0: the device has none. */
lcu_status lcu_launch_cooperative_limit (lcu_function *f, int threads, size_t shared,
                                         uint64_t *blocks);
/* How many clusters of a checked configuration the device runs at the same time, and how many
 * blocks a cluster may have in one without clusters. */
lcu_status lcu_launch_active_clusters (lcu_function *f, const lcu_config *c, int *clusters);
lcu_status lcu_launch_cluster_size (lcu_function *f, const lcu_config *c, int *blocks);

/* params: one pointer for each parameter. `uses`: the blocks of pointer arguments. The device need
 * not be entered. */
lcu_status lcu_launch (lcu_function *f, const lcu_config *c, void **params, const lcu_use *uses,
                       size_t num_uses);

/* Called after each launch while launches are watched (LCU_WATCH_LAUNCH), on the same thread. */
typedef void (*lcu_launch_hook)(const lcu_function *f, const lcu_config *c, void *const *params,
                                lcu_status s);
void lcu_launch_watch (lcu_launch_hook hook);

#endif
