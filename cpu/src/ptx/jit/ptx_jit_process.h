/* ptx_jit_process.h: starts the program that compiles. */
#ifndef PTX_JIT_PROCESS_H
#define PTX_JIT_PROCESS_H

#include "lcu_status.h"

/* fd: the socket that the process listens to. */
lcu_status ptx_jit_process_start (int *fd);

#endif
