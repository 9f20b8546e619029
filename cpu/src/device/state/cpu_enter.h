/* cpu_enter.h: contexts, and what entry points check first: that the device is up and that the
 * calling thread has a current context. */
#ifndef CPU_ENTER_H
#define CPU_ENTER_H

#include <stdatomic.h>

#include "cpu_driver.h"

typedef enum cpu_state { CPU_DOWN, CPU_UP, CPU_FORKED } cpu_state;
cpu_state cpu_device_state (void);
void cpu_device_set_state (cpu_state s);
/* For the child of a fork: a device that was up becomes CPU_FORKED. */
void cpu_device_fork_child (void);

/* Every entry point that needs a context calls this first, and returns the result if it is not
 * 0. */
cu_result cpu_enter (void);
/* The same for entry points that need no current context, but that there is one at all: what
 * belongs to the device ends with the last. */
cu_result cpu_enter_device (void);
/* The same for entry points that only need the device to be up. */
cu_result cpu_enter_driver (void);

enum { CPU_LIMITS = CU_LIMIT_PERSISTING_L2_CACHE_SIZE_ + 1, CPU_CONTEXTS = 256 };

/* The record of a context: the primary one, or one made by cuCtxCreate. Streams, events, modules,
 * CUDA arrays, textures and plain memory belong to a context and end with it. */
struct cu_context_ {
  /* 0: it has ended, or was never made. The primary context always has 1, each other context a
   * number of its own: its record may serve another one later. */
  atomic_uint_fast64_t serial;
  cpu_stream *null; /* its null stream */
  atomic_uint flags;
  atomic_size_t limits[CPU_LIMITS];
  atomic_int cache_config;
  atomic_int attached; /* uses besides the one that began with it (cuCtxAttach) */
  cu_device device;    /* the GPU that it is on (gpus/gpus.h) */
};

/* All records, the first for the primary context. */
extern struct cu_context_ cpu_contexts[CPU_CONTEXTS];
static inline cu_context cpu_primary (void) { return &cpu_contexts[0]; }
/* Is it the handle of a context that has not ended? Works for any address. */
bool cpu_context_is (cu_context ctx);
/* The current context of this thread, which has one (cpu_enter). */
cu_context cpu_current (void);
/* Ends all contexts and removes them from the stack of every thread. */
void cpu_current_forget (void);

/* Calls a host function. Until it returns, this thread may not call the driver. */
void cpu_call_host (cu_host_fn fn, void *ud);
bool cpu_in_host_function (void);

/* Converts a status of shared/base or cpu/src/ptx to the driver's code. */
cu_result cpu_status_result (lcu_status s);

#endif
