/* cpu_launch.h: launches as configurations, and those that are recorded in graphs. */
#ifndef CPU_LAUNCH_H
#define CPU_LAUNCH_H

#include "cpu_op.h"

/* Fills a new grid, without its parameters. Checks nothing but the list of attributes. */
cu_result cpu_launch_read (const cu_launch_config *c, cu_function f, cpu_grid *g);
/* Checks a launch and fills its operation, which is new (CPU_OP_KERNEL). Of `g`, the parameters are
 * not read; a cluster that is not given is filled in. */
cu_result cpu_launch_describe (const char *call, cpu_grid *g, void **params, void **extra,
                               cpu_op *op);

#endif
