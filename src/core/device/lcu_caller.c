/* lcu_caller.c: the caller of each thread. */
#include "lcu_caller.h"

_Thread_local cux_caller lcu_caller;

const cux_caller *lcu_caller_get (void) { return &lcu_caller; }
