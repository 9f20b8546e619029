/* cu_nvtx.h: named ranges for profilers, by the protocol of NVTX 3: a profiler such as nsys puts
 * the path of a library into NVTX_INJECTION64_PATH, and that library fills in the functions.
 * Without it every call does nothing. */
#ifndef CU_NVTX_H
#define CU_NVTX_H

#include "lcu_base.h"

/* Ranges of the calling thread, which nest. */
void lcu_nvtx_push (const char *name);
void lcu_nvtx_pop (void);
/* Ranges of the process, which may overlap. start returns the number that end takes. */
uint64_t lcu_nvtx_start (const char *name);
void lcu_nvtx_end (uint64_t range);

#endif
