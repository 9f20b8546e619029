/* cpu_launch.h: launches as configurations, and those that are recorded in graphs. */
#ifndef CPU_LAUNCH_H
#define CPU_LAUNCH_H

#include "cpu_op.h"
#include "cpu_module.h"

/* Fills a new grid, without its parameters. Checks nothing but the list of attributes. */
cu_result cpu_launch_read (const cu_launch_config *c, cu_function f, cpu_grid *g);
/* Checks a launch and fills its operation, which is new (CPU_OP_KERNEL). Of `g`, the parameters are
 * not read; a cluster that is not given is filled in. */
cu_result cpu_launch_describe (const char *call, cpu_grid *g, void **params, void **extra,
                               cpu_op *op);

/* ---- cpu_cluster.c: clusters of thread blocks, from compute capability 9.0 on */

/* Fills g->cluster where the launch left it to the function, and checks it. */
cu_result cpu_cluster_check (const char *call, cpu_grid *g);

/* The attributes of a function that concern clusters (cu_func_attr). */
bool cpu_cluster_is_attribute (int attr);
int cpu_cluster_attribute (const cpu_function *f, int attr);
cu_result cpu_cluster_set_attribute (cpu_function *f, int attr, int value);

/* ---- cpu_occupancy.c: how many blocks fit on a multiprocessor */

/* The number of blocks with that many threads and bytes of dynamic shared memory that fit on an
 * SM. */
int cpu_function_blocks (const cpu_function *f, uint64_t threads, uint64_t dynamic_shared);
/* For a kernel that may have so many bytes of dynamic shared memory. */
int cpu_kernel_blocks (const ptx_kernel *k, int max_dynamic, uint64_t threads,
                       uint64_t dynamic_shared);

#endif
