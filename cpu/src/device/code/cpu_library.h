/* cpu_library.h: libraries: code that is loaded into each context that uses it, and kernels whose
 * handles are good in all contexts. A handle of a kernel serves wherever one of a function does. */
#ifndef CPU_LIBRARY_H
#define CPU_LIBRARY_H

#include "cpu_module.h"

/* The function of a kernel in the current context; loads its library there if necessary. NULL: that
 * failed. */
cpu_function *cpu_kernel_function (const cpu_function *kernel);
/* Frees all libraries; their modules are gone. */
void cpu_libraries_free (void);

#endif
