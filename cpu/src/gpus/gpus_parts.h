/* gpus_parts.h: what the files of this folder share. */
#ifndef GPUS_PARTS_H
#define GPUS_PARTS_H

#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "gpus.h"

/* The parts of gpus_begin. */
void gpus_fill_devices (lcu_driver *table);
void gpus_fill_contexts (lcu_driver *table);
void gpus_fill_memory (lcu_driver *table);
void gpus_fill_modules (lcu_driver *table);

/* Is it the number of a GPU? */
static inline bool gpus_know (cu_device dev) { return dev >= 0 && dev < cpu_configuration.gpus; }
/* The result of a call of the CPU device, for one of the GPUs. */
#define GPUS_CALL(dev, call) \
  (cpu_device_state() != CPU_UP ? CU_ERR_NOT_INITIALIZED \
   : gpus_know(dev)             ? cpu_##call \
                                : CU_ERR_INVALID_DEVICE)

/* May kernels of a GPU use memory of another one that was allocated in its contexts? */
bool gpus_reach (cu_device dev, cu_device owner);
void gpus_set_reach_pools (cu_device dev, cu_device owner, bool on);

#endif
