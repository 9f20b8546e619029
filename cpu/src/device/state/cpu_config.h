/* cpu_config.h: the settings of the device, and its fixed limits. */
#ifndef CPU_CONFIG_H
#define CPU_CONFIG_H

#include "cu_abi.h"
#include "ptx.h"

/* What depends on the compute capability: CUDA's programming guide, "Compute Capabilities". */
typedef struct cpu_arch {
  int cc, sm_threads, sm_blocks;
  int shared_optin, shared_sm, shared_reserved; /* bytes of a block at most, of an SM, per block */
} cpu_arch;

typedef struct cpu_config {
  int cc; /* compute capability: LUACUDA_CPU_ARCH */
  const cpu_arch *arch;
  int threads;           /* also the SM count: LUACUDA_CPU_THREADS, or the cores of this process */
  ptx_check check;       /* LUACUDA_CPU_CHECK */
  ptx_jit_mode compile;  /* LUACUDA_CPU_JIT */
  ptx_jit_folder folder; /* of compiled code: the folder of the kernel cache */
  size_t memory;         /* LUACUDA_CPU_MEMORY; 0: cpu_config_memory */
  double livelock_ms;    /* LUACUDA_CPU_LIVELOCK_MS */
  double timeout_ms;     /* LUACUDA_CPU_TIMEOUT_MS; 0: no limit */
  int gpus;              /* LUACUDA_CPU_GPUS: the number of GPUs to be (gpus/gpus.h); 0: none */
  bool gpus_exclusive;   /* they cannot use managed memory while the host does */
  char name[128];
} cpu_config;

/* cuInit sets it; it is constant until cuxShutdown. */
extern cpu_config cpu_configuration;

/* Reads the settings from the environment. */
cu_result cpu_config_read (cpu_config *c);

/* The memory of the device: LUACUDA_CPU_MEMORY, or that of the machine or container. */
size_t cpu_config_memory (void);
/* Does the device have n bytes? */
bool cpu_config_has (uint64_t n);

enum {
  CPU_MAX_THREADS = 1024,
  CPU_WARP = 32,
  CPU_SM_REGISTERS = 65536,
  CPU_SHARED_DEFAULT = 48 * 1024,
  CPU_MAX_GRID_X = 0x7fffffff,
  CPU_MAX_GRID_YZ = 65535,
  CPU_MAX_BLOCK_Z = 64,
  CPU_NEWEST_ARCH = 120,
  CPU_MOST_GPUS = 4
};

#endif
