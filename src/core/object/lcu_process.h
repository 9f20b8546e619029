/* lcu_process.h: the process-wide state: the drivers opened, the devices found, NVRTC, cuBLAS, the
 * number of Lua states, and whether this is a forked child. Everything is opened at its first
 * use. */
#ifndef LCU_PROCESS_H
#define LCU_PROCESS_H

#include <stdatomic.h>

#include "cu_blas.h"
#include "cu_driver.h"
#include "cu_hostblas_open.h"
#include "cu_jitlink.h"
#include "cu_mpi.h"
#include "cu_nccl.h"
#include "cu_nvrtc.h"

typedef struct lcu_device lcu_device;

/* A Lua state begins and ends its use of the library. The last one to leave releases the contexts
 * and shuts the CPU device down; a later enter opens them again. */
lcu_status lcu_process_enter (void);
bool lcu_process_leave (void); /* was it the last one? */

/* LCU_E_FORK in a forked child of the process that initialized CUDA. Cheap: called at the start of
 * every operation. */
lcu_status lcu_process_check (void);
/* True in such a child: finalizers then drop their handles without a driver call. */
extern atomic_bool lcu_process_is_forked;
static inline bool lcu_process_forked (void) {
  return lcu_unlikely(atomic_load_explicit(&lcu_process_is_forked, memory_order_relaxed));
}

/* Opens the drivers at the first call. GPUs by ordinal, then the CPU device. Never fails for lack
 * of a device. */
lcu_status lcu_process_devices (size_t *count);
enum { LCU_MAX_DEVICES = 64 };
lcu_device *lcu_process_device (size_t index); /* borrowed */
/* NULL before lcu_process_devices, and where its library is not installed. */
lcu_device *lcu_process_cpu (void);
size_t lcu_process_gpu_count (void);
/* Contexts that programs make have places after the devices, and come and go. False: all places are
 * taken. */
bool lcu_process_add_context (lcu_device *c);
void lcu_process_remove_context (lcu_device *c);
/* The open context at a place that `wanted` accepts, or NULL. */
lcu_device *lcu_process_context (size_t place, bool (*wanted)(lcu_device *c));
/* Calls fn for each device, and for each context while none can end. `fn` returns false to stop. */
void lcu_process_each (bool (*fn)(lcu_device *d, void *ud), void *ud);
/* The reason why no GPU is available ("": one is), and whether a driver library was found. */
const char *lcu_process_gpu_reason (bool *driver_found);
/* The reason why there is no CPU device; "": there is one. */
const char *lcu_process_cpu_reason (void);

/* Wraps drivers opened from now on in the shim of cu_shim.c; false: they are open already.
 * LUACUDA_SHIM=1 in the environment does the same. */
bool lcu_process_use_shim (void);
/* The same for drivers that are open; false where other states use them, whose threads may be
 * calling them. */
bool lcu_process_wrap_drivers (void);
/* What watches the process: a bit for launches that wait, one for launches that are reported
 * (lcu_launch.h), and a count of the timelines being recorded (lcu_timeline.h). */
enum { LCU_WATCH_SYNC = 1, LCU_WATCH_LAUNCH = 2, LCU_WATCH_TIMES = ~255 };
extern atomic_int lcu_process_watches;
static inline bool lcu_process_watched (int what) {
  return lcu_unlikely((atomic_load_explicit(&lcu_process_watches, memory_order_relaxed) & what) !=
                      0);
}
/* Sets one of the bits; returns whether it was set before. */
bool lcu_process_watch (int bit, bool on);
/* For debugging: every launch waits for its kernel, so that the launch that caused a fault raises
 * it. */
static inline bool lcu_process_launches_wait (void) { return lcu_process_watched(LCU_WATCH_SYNC); }
/* One more timeline, or one less. */
void lcu_process_watch_times (bool on);
/* The number of states that use the library. */
long lcu_process_states (void);
/* Sets whether children created by fork() are refused from now on. */
void lcu_process_forbid_fork (bool on);

/* For the files that implement the process. `afresh` is called in a forked child that may use
 * CUDA. */
void lcu_process_watch_fork (void (*afresh)(void));
/* GPUs are added before the CPU device. */
void lcu_process_add_device (lcu_device *d);
void lcu_process_forget_devices (void);
size_t lcu_process_device_count (void);

/* NVRTC, cuBLAS, a BLAS of the host, nvJitLink, MPI and NCCL, opened at the first call. */
lcu_status lcu_process_nvrtc (const lcu_nvrtc **out);
lcu_status lcu_process_cublas (const lcu_cublas **out);
lcu_status lcu_process_hostblas (const lcu_hostblas **out);
lcu_status lcu_process_jitlink (const lcu_jitlink **out);
lcu_status lcu_process_mpi (const lcu_mpi **out);
lcu_status lcu_process_nccl (const lcu_nccl **out);
/* The paths tried for libcuda and the libraries above, one per line, for cuda.diagnose(). In a
 * forked child: those its parent tried. */
void lcu_process_report (lcu_buf *out);
int lcu_process_driver_version (void); /* 13000; 0 without libcuda */

#endif
