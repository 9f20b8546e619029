/* cpu_config.h: what the device is like: its settings, and the limits that never change. */
#ifndef CPU_CONFIG_H
#define CPU_CONFIG_H

#include "cu_abi.h"
#include "ptx.h"

typedef struct cpu_config {
  int cc; /* 75, 80, 90: LUACUDA_CPU_ARCH */
  /* LUACUDA_CPU_THREADS, else the cores of this process; the SM count */
  int threads;
  ptx_check check; /* LUACUDA_CPU_CHECK */
  /* LUACUDA_CPU_MEMORY, else what the machine or the container has */
  size_t memory;
  double livelock_ms; /* LUACUDA_CPU_LIVELOCK_MS */
  double timeout_ms;  /* LUACUDA_CPU_TIMEOUT_MS; 0: none */
  char name[128];
} cpu_config;

/* Set by cuInit, constant until cuxShutdown. */
extern cpu_config cpu_configuration;

/* Reads the settings from the environment. */
cu_result cpu_config_read (cpu_config *c);

enum {
  CPU_MAX_THREADS = 1024,
  CPU_WARP = 32,
  CPU_SM_THREADS = 2048,
  CPU_SM_BLOCKS = 32,
  CPU_SM_REGISTERS = 65536,
  CPU_SHARED_DEFAULT = 48 * 1024,
  CPU_SHARED_OPTIN = 163 * 1024,
  CPU_SHARED_SM = 164 * 1024,
  CPU_SHARED_RESERVED = PTX_SHARED_RESERVED,
  CPU_MAX_GRID_X = 0x7fffffff,
  CPU_MAX_GRID_YZ = 65535,
  CPU_MAX_BLOCK_Z = 64,
  CPU_PARAM_BYTES = 32764,
  CPU_NEWEST_ARCH = 90
};

#endif
