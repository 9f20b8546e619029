/* cpu_occupancy.h: how many blocks fit on a multiprocessor. */
#ifndef CPU_OCCUPANCY_H
#define CPU_OCCUPANCY_H

#include "cpu_module.h"

/* The number of blocks with that many threads and bytes of dynamic shared memory that fit on an
 * SM. */
int cpu_function_blocks (const cpu_function *f, uint64_t threads, uint64_t dynamic_shared);
/* For a kernel that may have so many bytes of dynamic shared memory. */
int cpu_kernel_blocks (const ptx_kernel *k, int max_dynamic, uint64_t threads,
                       uint64_t dynamic_shared);

#endif
