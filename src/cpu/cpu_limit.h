/* cpu_limit.h: limits and preferences of the context (cuCtxSetLimit). */
#ifndef CPU_LIMIT_H
#define CPU_LIMIT_H

#include "cu_abi.h"

size_t cpu_limit (int limit);
/* Sets every limit and preference to its default. */
void cpu_limits_reset (void);

#endif
