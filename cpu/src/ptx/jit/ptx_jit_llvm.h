/* ptx_jit_llvm.h: from LLVM's assembly language to an object with machine code. When LLVM fails, it
 * ends its process, so another process (cpu/src/llvm) runs it. That process is started when it is
 * needed. */
#ifndef PTX_JIT_LLVM_H
#define PTX_JIT_LLVM_H

#include "lcu_mem.h"
#include "ptx.h"
#include "lcu_status.h"

/* Starts the process, unless that was tried before. LCU_E_NOT_FOUND or LCU_E_UNSUPPORTED: libLLVM
 * cannot be used in this process, and why. After any other failure, a later call may succeed. */
lcu_status ptx_jit_llvm_open (void);

/* It was to be opened, and could not. */
bool ptx_jit_llvm_is_missing (void);

/* The library, once it is open, or NULL. Its file is "" where it is unknown. */
const ptx_jit_library *ptx_jit_llvm_library (void);

/* Compiles a module for this processor; adds the object to `out`. Fails if LLVM fails, even if that
 * ends its process. */
lcu_status ptx_jit_llvm_compile (const lcu_buf *text, lcu_buf *out);

/* Ends the process. A compilation in progress fails. */
void ptx_jit_llvm_stop (void);

/* How long one module may take, because LLVM might not end. */
extern double ptx_jit_llvm_most_ms;

/* ---- ptx_jit_process.c: starts the program that compiles */

/* fd: the socket that the process listens to. */
lcu_status ptx_jit_process_start (int *fd);

#endif
