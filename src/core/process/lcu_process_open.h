/* lcu_process_open.h: the drivers and libraries of the process, and the Lua states that use them.
 * Everything is opened at its first use. */
#ifndef LCU_PROCESS_OPEN_H
#define LCU_PROCESS_OPEN_H

#include "cu_blas.h"
#include "cu_hostblas_open.h"
#include "cu_jitlink.h"
#include "cu_mpi.h"
#include "cu_nccl.h"
#include "cu_nvrtc.h"
#include "lcu_process.h"

/* A Lua state begins and ends its use of the library. The last one to leave releases the contexts
 * and shuts the CPU device down; a later enter opens them again. */
lcu_status lcu_process_enter (void);
bool lcu_process_leave (void); /* was it the last one? */

/* Opens the drivers at the first call. GPUs by ordinal, then the CPU device. Never fails for lack
 * of a device. */
lcu_status lcu_process_devices (size_t *count);
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
