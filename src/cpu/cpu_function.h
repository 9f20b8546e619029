/* cpu_function.h: properties of functions. */
#ifndef CPU_FUNCTION_H
#define CPU_FUNCTION_H

#include "cpu_module.h"

/* Blocks of so many threads and so much dynamic shared memory that an SM holds at once. */
int cpu_function_blocks (const cpu_function *f, uint64_t threads, uint64_t dynamic_shared);

#endif
