/* ptx_jit_exit.h: the end of the process. LLVM's destructors must not run beside its code, so the
 * compiler's thread rests before they do. */
#ifndef PTX_JIT_EXIT_H
#define PTX_JIT_EXIT_H

/* LLVM registers its destructors while it is opened, and more when it first makes such objects.
 * What was registered last runs first. So this registers a handler that waits until the thread
 * rests: once LLVM is loaded, and after it may have made objects. */
void ptx_jit_exit_guard (void);

/* What LLVM registers while it is opened must not run before the rest of it is there: calls
 * open(), for which the end of the process waits, and fork(). For one call in a process. */
void ptx_jit_exit_during (void (*open)(void));

#endif
