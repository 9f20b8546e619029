/* ptx_children.h: grids that a kernel launches (CUDA's dynamic parallelism, CDP2). They run after
 * the grid that launched them, and before that grid counts as complete. */
#ifndef PTX_CHILDREN_H
#define PTX_CHILDREN_H

#include "ptx_cta.h"

typedef struct ptx_child {
  ptx_kernel *kernel;
  uint32_t grid[3], block[3], shared;
  uint64_t params; /* memory of the heap that the launching thread fills */
  uint64_t cta;    /* that launched it */
  uint32_t order;  /* of reserving, in the whole grid */
  bool launched, tail;
} ptx_child;

/* What the grids of one run have launched. */
typedef struct ptx_children {
  lcu_buf list; /* ptx_child */
  uint32_t num_launched;
  int error; /* the latest cudaError_t of a launch; 0: none */
} ptx_children;

/* For cudaGetParameterBufferV2: memory for the parameters of `function` (its code address); 0 where
 * it cannot be launched. */
uint64_t ptx_child_reserve (ptx_xwarp *x, uint64_t function, const uint32_t grid[3],
                            const uint32_t block[3], uint32_t shared);
/* For cudaLaunchDeviceV2; returns a cudaError_t. */
int ptx_child_launch (ptx_xwarp *x, uint64_t params, uint64_t stream);
/* For cudaGetLastError and cudaPeekAtLastError. */
int ptx_child_error (ptx_xwarp *x, bool clear);

/* Runs what a grid has launched: tail launches last, others by block and order. Stops at the first
 * failure. */
lcu_status ptx_children_run (ptx_children *c, const ptx_launch *parent, ptx_fault *fault,
                             ptx_counters *counters);
void ptx_children_free (ptx_children *c, const ptx_host *host);

#endif
