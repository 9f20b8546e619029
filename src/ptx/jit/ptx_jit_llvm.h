/* ptx_jit_llvm.h: libLLVM, opened at run time, and what it is used for: from LLVM's assembly
 * language to an object with machine code. */
#ifndef PTX_JIT_LLVM_H
#define PTX_JIT_LLVM_H

#include "lcu_mem.h"

/* Opens the library once per process. LCU_E_NOT_FOUND or LCU_E_UNSUPPORTED: why it cannot be used.
 * LCU_E_NOMEM: it might need more memory now than there is. */
lcu_status ptx_jit_llvm_open (void);

/* It was to be opened, and could not. */
bool ptx_jit_llvm_is_missing (void);

/* The file of the library, once it is open, or NULL. */
const char *ptx_jit_llvm_file (void);

/* Compiles a module for this processor; adds the object to `out`. LLVM needs a deep stack: see
 * PTX_JIT_STACK_BYTES. It calls pause() now and then, where it can be left alone for good. */
enum { PTX_JIT_STACK_BYTES = 8 << 20 };
lcu_status ptx_jit_llvm_compile (const lcu_buf *text, void (*pause)(void), lcu_buf *out);

#endif
