/* cpu_host.h: what the PTX machine asks of the device. */
#ifndef CPU_HOST_H
#define CPU_HOST_H

#include "ptx.h"

extern const ptx_host cpu_ptx_host;
/* Nothing of the kernels' heap is in use. */
void cpu_heap_reset (void);

#endif
