/* lcu_compiler.h: libLLVM, with which the CPU device compiles kernels. */
#ifndef LCU_COMPILER_H
#define LCU_COMPILER_H

#include "cu_driver.h"

/* The library that drv, the CPU device's driver, compiles with, or why there is none. */
lcu_status lcu_compiler_find (const lcu_driver *drv, cux_compiler *out);

/* Fails if LUACUDA_LLVM names a library that drv would compile with and that cannot be used. */
lcu_status lcu_compiler_check (const lcu_driver *drv);

#endif
