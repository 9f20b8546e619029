/* cpu_jit.h: what loading and linking share: options of the PTX compiler, logs, kinds of code. */
#ifndef CPU_JIT_H
#define CPU_JIT_H

#include "cpu_driver.h"
#include "ptx.h"

/* A log buffer of the caller. The value of its size option is the size on entry and the length on
 * return. */
typedef struct cpu_jit_log {
  char *text;
  void **size;
} cpu_jit_log;
typedef struct cpu_jit {
  cpu_jit_log info, error;
  void **wall; /* receives the milliseconds, as a float */
} cpu_jit;

/* Options for code generation have no effect. */
cu_result cpu_jit_read (unsigned n, int *options, void **values, cpu_jit *out);
/* Writes the text and its NUL, truncated to the buffer; the size becomes the length written. */
void cpu_jit_write (const cpu_jit_log *l, const char *text);
void cpu_jit_time (const cpu_jit *j, double ms);

/* Is it GPU machine code: an ELF file (cubin) or a fat binary? */
bool cpu_jit_is_binary (const void *image);
/* The result for a module that could not be loaded. */
cu_result cpu_jit_result (lcu_status status);
/* PTX runs on its target architecture and on later ones; variants run on one (sm_90a), or on those
 * of the same major version (sm_100f). */
lcu_status cpu_jit_check_target (const ptx_module *m);
/* A message about PTX in the form of NVIDIA's PTX compiler: "application ptx input, line 6; error :
 * ..." */
void cpu_jit_complain (char *text, size_t size, const char *input, const char *message);

#endif
