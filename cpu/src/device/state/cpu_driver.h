/* cpu_driver.h: the entry points of the CPU device, and the types its handles point to. The device
 * is a complete CUDA driver: its table (cpu_driver.c) has libcuda's entry points with libcuda's
 * semantics, and each entry point is a function cpu_<name>. */
#ifndef CPU_DRIVER_H
#define CPU_DRIVER_H

#include "cu_driver.h"

typedef struct cu_stream_ cpu_stream;
typedef struct cu_event_ cpu_event;
typedef struct cu_module_ cpu_module;
typedef struct cu_function_ cpu_function;
typedef struct cu_mempool_ cpu_pool;

/* The device's table. */
extern const lcu_driver lcu_cpu_driver;

/* Of entry points that the table lacks (cpu/src/face). */
cu_result cpu_stream_get_flags (cu_stream s, unsigned *flags);
/* Whether calls that report a fault also write it to stderr. */
void cpu_fault_write (bool on);

/* Declares cpu_cuXxx for every row that the CPU device implements. */
#define CPU_DECLARE_CPU(name, params) cu_result cpu_##name params;
#define CPU_DECLARE_NOCPU(name, params)
#define LCU_DRV(need, cpu, since, name, symbol, params, args) CPU_DECLARE_##cpu(name, params)
#include "driver.def"
#undef LCU_DRV

#endif
