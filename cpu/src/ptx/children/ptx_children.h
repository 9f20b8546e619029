/* ptx_children.h: what a kernel launches (CUDA's dynamic parallelism, CDP2): grids, copies and
 * fills. They run after the grid that launched them, and before that grid counts as complete
 * (ptx_run.c). */
#ifndef PTX_CHILDREN_H
#define PTX_CHILDREN_H

#include "ptx_grid.h"

typedef enum ptx_device_error {
#define PTX_DEVICE_ERROR(id, value, name, words) PTX_DEVICE_##id = value,
#include "ptx_device_errors.def"
#undef PTX_DEVICE_ERROR
} ptx_device_error;

/* Bytes of an array of up to three dimensions. A row is contiguous. */
typedef struct ptx_bytes {
  uint64_t address, pitch, slice; /* from one row and one slice to the next */
} ptx_bytes;

/* A copy, or a fill with `value`. */
typedef struct ptx_transfer {
  ptx_bytes to, from;
  uint64_t width, height, depth;
  bool fills;
  uint8_t value;
} ptx_transfer;

typedef struct ptx_child {
  ptx_kernel *kernel; /* NULL: a transfer, or not yet known */
  uint32_t grid[3], block[3], shared;
  uint64_t params; /* memory of the heap that the launching thread fills; 0 for a transfer */
  ptx_transfer transfer;
  uint64_t cta;   /* that launched it */
  uint32_t order; /* of reserving, in the whole grid */
  bool launched, tail;
} ptx_child;

/* The functions return an error, which they also keep as the thread's latest one, or 0. */

/* For cudaGetParameterBufferV2: memory for the parameters of child->kernel, in child->params. */
ptx_device_error ptx_child_reserve (ptx_xwarp *x, uint32_t lane, ptx_child *child);
/* For cudaGetParameterBuffer: so many bytes, for a kernel that the launch will name. */
ptx_device_error ptx_child_reserve_bytes (ptx_xwarp *x, uint32_t lane, uint64_t bytes,
                                          uint64_t *out);
/* For cudaLaunchDeviceV2, and with `as` (its kernel, grid, block and shared) cudaLaunchDevice. */
ptx_device_error ptx_child_launch (ptx_xwarp *x, uint32_t lane, uint64_t params,
                                   const ptx_child *as, uint64_t stream);
ptx_device_error ptx_child_transfer (ptx_xwarp *x, uint32_t lane, const ptx_transfer *t,
                                     uint64_t stream);
/* The kernel whose address is `function`; NULL when there is none. */
ptx_kernel *ptx_child_kernel (const ptx_xwarp *x, uint64_t function);

/* Keeps the error, unless it is 0, for cudaGetLastError of the thread; returns it. */
ptx_device_error ptx_device_error_set (ptx_xwarp *x, uint32_t lane, ptx_device_error error);

/* Into the order in which they run: by block and order, tail launches last. */
void ptx_children_sort (ptx_children *c);
size_t ptx_children_count (const ptx_children *c);
ptx_child ptx_children_at (const ptx_children *c, size_t i);
/* Removes the last one. The caller has to free its params. */
ptx_child ptx_children_take_last (ptx_children *c);
void ptx_children_free (ptx_children *c, const ptx_host *host);

/* ---- ptx_transfer.c */

/* Whether all its bytes are in live allocations. False: x->w.fault is set. */
bool ptx_transfer_check (ptx_xwarp *x, uint32_t lane, const ptx_transfer *t);
/* `by`: the kernel that launched it. */
lcu_status ptx_transfer_run (const ptx_transfer *t, const ptx_kernel *by, ptx_fault *fault);

#endif
