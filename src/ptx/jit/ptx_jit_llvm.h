/* ptx_jit_llvm.h: libLLVM, opened at run time, and what it is used for: from LLVM's assembly
 * language to machine code in memory. */
#ifndef PTX_JIT_LLVM_H
#define PTX_JIT_LLVM_H

#include "lcu_mem.h"

/* Code in memory. */
typedef struct ptx_jit_code {
  void *jit;        /* owns it */
  void *entries[2]; /* the functions that were asked for */
} ptx_jit_code;

/* Opens the library once per process. LCU_E_NOT_FOUND or LCU_E_UNSUPPORTED: why it cannot be
 * used. */
lcu_status ptx_jit_llvm_open (void);

/* Compiles a module for this processor, in a thread of its own: LLVM needs a deep stack. */
lcu_status ptx_jit_llvm_compile (const lcu_buf *text, const char *const names[2],
                                 ptx_jit_code *out);
void ptx_jit_llvm_free (ptx_jit_code *code);

#endif
