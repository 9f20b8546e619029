/* cpu_driver.h: the entry points of the CPU device, and the types its handles point to. The device
 * is a complete CUDA driver: its table (cpu_driver.c) has libcuda's entry points with libcuda's
 * semantics, and each entry point is a function cpu_<name>. */
#ifndef CPU_DRIVER_H
#define CPU_DRIVER_H

#include "cu_abi_more.h"
#include "cu_driver.h"

typedef struct cu_stream_ cpu_stream;
typedef struct cu_event_ cpu_event;
typedef struct cu_module_ cpu_module;
typedef struct cu_function_ cpu_function;
typedef struct cu_mempool_ cpu_pool;

/* The device's table. */
extern const lcu_driver lcu_cpu_driver;

/* The pool that a device has from the start, for allocations in the order of streams. It stays. */
cpu_pool *cpu_pool_of_device (cu_device dev);
/* The one that such allocations use: another one if it was chosen and still exists. */
cpu_pool *cpu_pool_current (cu_device dev);
/* For cpu/src/face: what one of these gives for a device that exists, and a choice. */
cu_result cpu_device_pool (cu_mempool *pool, cu_device dev, cpu_pool *(*of)(cu_device dev));
cu_result cpu_device_set_pool (cu_device dev, cu_mempool pool);
cu_device cpu_pool_device (const cpu_pool *p);
/* What cuStreamWriteValue and cuStreamWaitValue do, with a word of 4 or 8 bytes. */
cu_result cpu_word_write (const char *call, cu_stream s, cu_deviceptr p, uint64_t value,
                          unsigned bytes, unsigned flags);
cu_result cpu_word_wait (const char *call, cu_stream s, cu_deviceptr p, uint64_t value,
                         unsigned bytes, unsigned flags);
/* Adds a node, or changes what a node or a step of an executable graph does (cpu_graph_node.h says
 * what `p` is). */
cu_result cpu_node_add (const char *call, cu_graph_node *n, cu_graph g, const cu_graph_node *deps,
                        size_t num, int type, const void *p);
cu_result cpu_node_set (const char *call, cu_graph_node node, int type, const void *p);
cu_result cpu_step_set (const char *call, cu_graph_exec e, cu_graph_node node, int type,
                        const void *p, cu_context ctx);

/* Whether calls that report a fault also write it to stderr. */
void cpu_fault_write (bool on);

/* Declares cpu_cuXxx for every row. */
#define LCU_DRV(need, since, name, symbol, params, args) cu_result cpu_##name params;
#include "driver.def"
#undef LCU_DRV

/* The same for the entry points that the table lacks. */
#define CPU_MORE(since, name, symbol, params, args) cu_result cpu_##name params;
#include "cpu_more.def"
#undef CPU_MORE

#endif
