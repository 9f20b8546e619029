/* cpu_cluster.h: clusters of thread blocks, from compute capability 9.0 on. */
#ifndef CPU_CLUSTER_H
#define CPU_CLUSTER_H

#include "cpu_op.h"

/* Fills g->cluster where the launch left it to the function, and checks it. */
cu_result cpu_cluster_check (const char *call, cpu_grid *g);

/* The attributes of a function that concern clusters (cu_func_attr). */
bool cpu_cluster_is_attribute (int attr);
int cpu_cluster_attribute (const cpu_function *f, int attr);
cu_result cpu_cluster_set_attribute (cpu_function *f, int attr, int value);

#endif
