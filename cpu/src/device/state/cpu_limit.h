/* cpu_limit.h: limits and preferences of contexts (cuCtxSetLimit). */
#ifndef CPU_LIMIT_H
#define CPU_LIMIT_H

#include "cpu_enter.h"

size_t cpu_limit (cu_context ctx, int limit);
/* Sets every limit and preference of the context to its default. */
void cpu_limits_reset (cu_context ctx);

#endif
