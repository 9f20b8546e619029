/* llvm_compile.h: from LLVM's assembly language to an object with machine code. */
#ifndef LLVM_COMPILE_H
#define LLVM_COMPILE_H

#include "lcu_mem.h"

typedef struct llvm_source {
  const char *text;
  size_t len;
  const char *cpu; /* whose instructions are used, by LLVM's name */
} llvm_source;

/* Adds the object to `out`. llvm_library_open() must have succeeded. */
lcu_status llvm_compile (const llvm_source *source, lcu_buf *out);

/* Does the library compile a module like those of kernels? */
bool llvm_compile_probe (void);

#endif
