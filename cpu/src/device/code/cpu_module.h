/* cpu_module.h: modules and their functions. */
#ifndef CPU_MODULE_H
#define CPU_MODULE_H

#include "cpu_jit.h"
#include "cpu_op.h"
#include "ptx.h"

struct cu_module_ {
  uint32_t magic;
  cu_context context;
  cu_library library; /* that it was loaded for (cpu_library.h), or NULL */
  ptx_module *ptx;
  unsigned num_functions;
  cpu_function *functions;
  cpu_module *next;
};
enum { CPU_MODULE_MAGIC = 0x4d4f4455 };

/* The function of a handle; for a kernel of a library, the one in the current context. NULL: it is
 * neither, or its library cannot be loaded. */
cpu_function *cpu_function_of (cu_function f);
/* Prepares the kernel for execution. On failure the message is recorded for `call`. */
cu_result cpu_function_prepare (const char *call, cpu_function *f);

/* Loads PTX into the current context, as a module of its own or for a library. */
cu_result cpu_module_load (const char *call, const void *image, const cpu_jit *jit, cu_library l,
                           cpu_module **out);
/* The module of the library in the context, or NULL. */
cpu_module *cpu_module_for (cu_library l, cu_context ctx);
/* Unloads the modules of the library. */
void cpu_modules_end (cu_library l);
int cpu_module_target (const cpu_module *m);
cu_context cpu_module_context (const cpu_module *m);
/* Unloads the modules of the context, or all (NULL). No kernel of theirs may be queued. */
void cpu_modules_free (cu_context ctx);

/* ---- cpu_host.c: the functions that the PTX machine needs from the device (ptx_host in ptx.h) */

extern const ptx_host cpu_ptx_host;
/* After all memory was freed: malloc in kernels has the whole heap again. */
void cpu_heap_reset (void);

#endif
