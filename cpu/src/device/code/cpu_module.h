/* cpu_module.h: modules and their functions. */
#ifndef CPU_MODULE_H
#define CPU_MODULE_H

#include <stdatomic.h>

#include "cpu_driver.h"
#include "ptx.h"

struct cu_function_ {
  cpu_module *module;
  ptx_kernel *kernel;
  atomic_int max_dynamic, carveout;
  /* of clusters: blocks per axis (0: not set), whether more than 8, scheduling policy */
  atomic_int cluster[3], non_portable, policy;
};
cpu_function *cpu_function_of (cu_function f);
/* Prepares the kernel for execution. On failure the message is recorded for `call`. */
cu_result cpu_function_prepare (const char *call, cpu_function *f);

int cpu_module_target (const cpu_module *m);
cu_context cpu_module_context (const cpu_module *m);
/* Unloads the modules of the context, or all (NULL). No kernel of theirs may be queued. */
void cpu_modules_free (cu_context ctx);

#endif
