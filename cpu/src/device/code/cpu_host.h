/* cpu_host.h: the functions that the PTX machine needs from the device (ptx_host in ptx.h). */
#ifndef CPU_HOST_H
#define CPU_HOST_H

#include "ptx.h"

extern const ptx_host cpu_ptx_host;
/* After all memory was freed: malloc in kernels has the whole heap again. */
void cpu_heap_reset (void);

#endif
