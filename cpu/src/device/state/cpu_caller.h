/* cpu_caller.h: on whose behalf a thread calls the device. */
#ifndef CPU_CALLER_H
#define CPU_CALLER_H

#include "cpu_driver.h"

/* The caller of this thread, from the function of cuxSetCaller; without one, nobody. */
const cux_caller *cpu_caller (void);

#endif
