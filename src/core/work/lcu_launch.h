/* lcu_launch.h: the hot path from packed arguments to cuLaunchKernel. */
#ifndef LCU_LAUNCH_H
#define LCU_LAUNCH_H

#include "lcu_function.h"
#include "lcu_work.h"

typedef struct lcu_config {
  uint32_t grid[3], block[3];
  uint32_t shared;           /* dynamic bytes */
  uint32_t cluster[3];       /* zeros: none */
  bool cooperative, ordered; /* ordered: automatic order between streams (the default) */
  lcu_stream *stream;        /* never NULL */
} lcu_config;

/* Checks the limits of grid, block, shared memory and cluster, and raises the limit of shared
 * memory above 48 KB. Messages name the kernel, the value and the limit. To be called once for each
 * configuration, before anything is queued. */
lcu_status lcu_launch_check (lcu_function *f, const lcu_config *c);

/* params: one pointer for each parameter. `uses`: the blocks of pointer arguments. The device need
 * not be entered. */
lcu_status lcu_launch (lcu_function *f, const lcu_config *c, void **params, const lcu_use *uses,
                       size_t num_uses);

#endif
