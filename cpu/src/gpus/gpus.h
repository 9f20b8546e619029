/* gpus.h: the device as GPUs. With LUACUDA_CPU_GPUS set, a program that opens the library as CUDA's
 * driver finds that many GPUs, and code for GPUs runs where there is none. All are the one CPU
 * device. They have numbers, contexts and memory of their own, and what sets them apart from the
 * CPU device: access to the memory of another GPU has to be enabled, their architecture is one that
 * no compiler knows, and loading a module compiles all of its kernels.
 *
 * A GPU's primary context is a context of the device like those that programs make. */
#ifndef GPUS_H
#define GPUS_H

#include "cpu_driver.h"

/* Replaces entries of the table by those of the GPUs, if they are asked for. */
void gpus_begin (lcu_driver *table);
/* Is it a table of GPUs? */
bool gpus_are (const lcu_driver *table);
/* Undoes that; false: the GPUs are in use. */
bool gpus_end (lcu_driver *table);
/* May kernels of a GPU use what came from the pools of another one? */
bool gpus_reach_pools (cu_device dev, cu_device owner);

#endif
