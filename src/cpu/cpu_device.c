/* cpu_device.c: initialisation, what the environment says, and the device's properties. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* _SC_PHYS_PAGES */
#endif
#include "cpu_device.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cpu_config cpu_configuration;
static atomic_int state = CPU_DOWN;
static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;

cpu_state cpu_device_state (void) {
  return (cpu_state)atomic_load_explicit(&state, memory_order_acquire);
}


/* ---- configuration ---- */

static cu_result bad_setting (const char *variable, const char *value, const char *expected) {
  return lcu_driver_detail("cuInit", CU_ERR_INVALID_VALUE, "%s is '%s', expected %s", variable,
                           value, expected);
}

static const char *setting (const char *variable) {
  const char *v = getenv(variable);
  return v != NULL && v[0] != '\0' ? v : NULL;
}

static cu_result read_number (const char *variable, long low, long high, const char *expected,
                              long *out) {
  const char *v = setting(variable);
  char *end;
  if (v == NULL) return 0;
  errno = 0;
  long n = strtol(v, &end, 10);
  if (errno != 0 || *end != '\0' || n < low || n > high) return bad_setting(variable, v, expected);
  *out = n;
  return 0;
}

static cu_result read_arch (cpu_config *c) {
  long cc = 80;
  cu_result r = read_number("LUACUDA_CPU_ARCH", 75, CPU_NEWEST_ARCH, "75, 80 or 90", &cc);
  if (r == 0 && cc != 75 && cc != 80 && cc != 90)
    r = bad_setting("LUACUDA_CPU_ARCH", setting("LUACUDA_CPU_ARCH"), "75, 80 or 90");
  c->cc = (int)cc;
  return r;
}

static cu_result read_threads (cpu_config *c) {
  long n = lcu_cpu_count();
  cu_result r = read_number("LUACUDA_CPU_THREADS", 1, 1024, "a number from 1 to 1024", &n);
  c->threads = (int)n;
  return r;
}

static cu_result read_livelock (cpu_config *c) {
  long ms = 5000;
  cu_result r =
    read_number("LUACUDA_CPU_LIVELOCK_MS", 1, 1000000000, "a number of milliseconds", &ms);
  c->livelock_ms = (double)ms;
  return r;
}

static cu_result read_timeout (cpu_config *c) {
  long ms = 0;
  cu_result r = read_number("LUACUDA_CPU_TIMEOUT_MS", 0, 1000000000,
                            "a number of milliseconds, or 0 for no limit", &ms);
  c->timeout_ms = (double)ms;
  return r;
}

static cu_result read_check (cpu_config *c) {
  const char *v = setting("LUACUDA_CPU_CHECK");
  c->check = PTX_CHECK_DEFAULT;
  if (v == NULL || strcmp(v, "default") == 0) return 0;
  if (strcmp(v, "all") == 0) c->check = PTX_CHECK_ALL;
  else if (strcmp(v, "off") == 0) c->check = PTX_CHECK_OFF;
  else return bad_setting("LUACUDA_CPU_CHECK", v, "default, all or off");
  return 0;
}

static size_t machine_memory (void) {
  uint64_t bytes = lcu_room_limit();
  if (bytes == UINT64_MAX) bytes = (uint64_t)1 << 32;
  return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

static unsigned unit_shift (const char *unit) {
  switch (unit[0]) {
    case '\0': return 0;
    case 'k':
    case 'K': return 10;
    case 'm':
    case 'M': return 20;
    case 'g':
    case 'G': return 30;
    default: return 64;
  }
}

static cu_result read_memory (cpu_config *c) {
  const char *v = setting("LUACUDA_CPU_MEMORY");
  char *end;
  c->memory = machine_memory();
  if (v == NULL) return 0;
  errno = 0;
  unsigned long long n = strtoull(v, &end, 10);
  unsigned shift = unit_shift(end);
  bool bad = errno != 0 || end == v || v[0] == '-' || shift == 64 ||
             (end[0] != '\0' && end[1] != '\0') || n == 0;
  if (bad || n > SIZE_MAX >> shift)
    return bad_setting("LUACUDA_CPU_MEMORY", v, "bytes, or a number with K, M or G");
  c->memory = (size_t)n << shift;
  return 0;
}

/* "model name : Some CPU" of /proc/cpuinfo. */
static void read_model (char *out, size_t size) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  snprintf(out, size, "host CPU");
  if (f == NULL) return;
  while (fgets(line, sizeof line, f) != NULL) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
    colon[strcspn(colon, "\n")] = '\0';
    snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " "));
    break;
  }
  fclose(f);
}

static cu_result read_config (cpu_config *c) {
  char model[96];
  cu_result r = read_arch(c);
  if (r == 0) r = read_threads(c);
  if (r == 0) r = read_livelock(c);
  if (r == 0) r = read_timeout(c);
  if (r == 0) r = read_check(c);
  if (r == 0) r = read_memory(c);
  read_model(model, sizeof model);
  snprintf(c->name, sizeof c->name, "CPU device (%s)", model);
  return r;
}


/* ---- initialisation ---- */

/* Threads and locks stay with the parent: the child may only be told so. */
static void in_forked_child (void) {
  int up = CPU_UP;
  atomic_compare_exchange_strong(&state, &up, CPU_FORKED);
}

static void watch_forks (void) { pthread_atfork(NULL, NULL, in_forked_child); }

static cu_result start (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  cpu_config c = { 0 };
  cu_result r = read_config(&c);
  if (r != 0) return r;
  if (pthread_once(&once, watch_forks) != 0) return CU_ERR_OPERATING_SYSTEM;
  cpu_configuration = c;
  r = cpu_team_start(c.threads);
  if (r == 0) atomic_store_explicit(&state, CPU_UP, memory_order_release);
  return r;
}

static cu_result forked (const char *call) {
  return lcu_driver_detail(call, CU_ERR_NOT_INITIALIZED,
                           "the CPU device was in use before this process was forked");
}

cu_result cpu_cuInit (unsigned flags) {
  if (cpu_device_state() == CPU_FORKED) return forked("cuInit");
  if (flags != 0) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&init_lock);
  cu_result r = cpu_device_state() == CPU_UP ? 0 : start();
  pthread_mutex_unlock(&init_lock);
  return r;
}

/* In a forked child everything stays as it is: the memory is the child's copy and goes with it. */
cu_result cpu_cuxShutdown (void) {
  if (cpu_device_state() == CPU_FORKED) return forked("cuxShutdown");
  if (cpu_in_host_function()) return CU_ERR_NOT_PERMITTED;
  pthread_mutex_lock(&init_lock);
  if (cpu_device_state() == CPU_UP) {
    cpu_queue_stop();
    atomic_store_explicit(&state, CPU_DOWN, memory_order_release);
    cpu_context_forget();
    cpu_print_flush();
    cpu_modules_free();
    cpu_memory_free_all();
    cpu_events_free();
    cpu_faults_free();
    cpu_team_stop();
  }
  pthread_mutex_unlock(&init_lock);
  return 0;
}


/* ---- properties ---- */

/* CUDA 13.0: what the entry points here behave like. */
cu_result cpu_cuDriverGetVersion (int *version) {
  if (version == NULL) return CU_ERR_INVALID_VALUE;
  *version = 13000;
  return 0;
}

static cu_result check_device (cu_device dev) {
  if (cpu_device_state() != CPU_UP) return CU_ERR_NOT_INITIALIZED;
  return dev == 0 ? 0 : CU_ERR_INVALID_DEVICE;
}

cu_result cpu_cuDeviceGetCount (int *count) {
  cu_result r = check_device(0);
  if (r != 0) return r;
  if (count == NULL) return CU_ERR_INVALID_VALUE;
  *count = 1;
  return 0;
}

cu_result cpu_cuDeviceGet (cu_device *dev, int ordinal) {
  cu_result r = check_device(ordinal);
  if (r != 0) return r;
  if (dev == NULL) return CU_ERR_INVALID_VALUE;
  *dev = 0;
  return 0;
}

static cu_result give_text (char *out, int len, const char *text) {
  if (out == NULL || len <= 0) return CU_ERR_INVALID_VALUE;
  snprintf(out, (size_t)len, "%s", text);
  return 0;
}

cu_result cpu_cuDeviceGetName (char *name, int len, cu_device dev) {
  cu_result r = check_device(dev);
  return r != 0 ? r : give_text(name, len, cpu_configuration.name);
}

cu_result cpu_cuDeviceGetUuid (cu_uuid *uuid, cu_device dev) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  if (uuid == NULL) return CU_ERR_INVALID_VALUE;
  memcpy(uuid->bytes, "LuaCUDA CPU dev.", sizeof uuid->bytes);
  return 0;
}

cu_result cpu_cuDeviceTotalMem (size_t *bytes, cu_device dev) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  if (bytes == NULL) return CU_ERR_INVALID_VALUE;
  *bytes = cpu_configuration.memory;
  return 0;
}

/* It sits on no bus; the name stands for it so that it can be found again. */
static const char bus_id[] = "cpu";

cu_result cpu_cuDeviceGetPCIBusId (char *id, int len, cu_device dev) {
  cu_result r = check_device(dev);
  return r != 0 ? r : give_text(id, len, bus_id);
}

cu_result cpu_cuDeviceGetByPCIBusId (cu_device *dev, const char *id) {
  cu_result r = check_device(0);
  if (r != 0) return r;
  if (dev == NULL || id == NULL) return CU_ERR_INVALID_VALUE;
  if (strcmp(id, bus_id) != 0) return CU_ERR_INVALID_DEVICE;
  *dev = 0;
  return 0;
}

cu_result cpu_cuDeviceCanAccessPeer (int *can, cu_device dev, cu_device peer) {
  cu_result r = check_device(dev);
  if (r == 0) r = check_device(peer);
  if (r != 0) return r;
  if (can == NULL) return CU_ERR_INVALID_VALUE;
  *can = 0;
  return 0;
}

/* Attributes that never change. A known one that is not listed is 0: the device has no such
 * thing. */
static const int fixed_attributes[] = {
  [CU_ATTR_max_threads_per_block] = CPU_MAX_THREADS,
  [CU_ATTR_max_block_dim_x] = CPU_MAX_THREADS,
  [CU_ATTR_max_block_dim_y] = CPU_MAX_THREADS,
  [CU_ATTR_max_block_dim_z] = CPU_MAX_BLOCK_Z,
  [CU_ATTR_max_grid_dim_x] = CPU_MAX_GRID_X,
  [CU_ATTR_max_grid_dim_y] = CPU_MAX_GRID_YZ,
  [CU_ATTR_max_grid_dim_z] = CPU_MAX_GRID_YZ,
  [CU_ATTR_max_shared_memory_per_block] = CPU_SHARED_DEFAULT,
  [CU_ATTR_max_shared_memory_per_block_optin] = CPU_SHARED_OPTIN,
  [CU_ATTR_max_shared_memory_per_multiprocessor] = CPU_SHARED_SM,
  [CU_ATTR_reserved_shared_memory_per_block] = CPU_SHARED_RESERVED,
  [CU_ATTR_total_constant_memory] = 65536,
  [CU_ATTR_warp_size] = CPU_WARP,
  [CU_ATTR_max_pitch] = 0x7fffffff,
  [CU_ATTR_max_registers_per_block] = CPU_SM_REGISTERS,
  [CU_ATTR_max_registers_per_multiprocessor] = CPU_SM_REGISTERS,
  [CU_ATTR_clock_rate] = 1000000,
  [CU_ATTR_memory_clock_rate] = 1000000,
  [CU_ATTR_global_memory_bus_width] = 64,
  [CU_ATTR_texture_alignment] = 512,
  [CU_ATTR_texture_pitch_alignment] = 32,
  [CU_ATTR_surface_alignment] = 512,
  [CU_ATTR_gpu_overlap] = 1,
  [CU_ATTR_async_engine_count] = 1,
  [CU_ATTR_integrated] = 1,
  [CU_ATTR_can_map_host_memory] = 1,
  [CU_ATTR_concurrent_kernels] = 1,
  [CU_ATTR_l2_cache_size] = 4 * 1024 * 1024,
  [CU_ATTR_max_threads_per_multiprocessor] = CPU_SM_THREADS,
  [CU_ATTR_max_blocks_per_multiprocessor] = CPU_SM_BLOCKS,
  [CU_ATTR_unified_addressing] = 1,
  [CU_ATTR_stream_priorities_supported] = 1,
  [CU_ATTR_global_l1_cache_supported] = 1,
  [CU_ATTR_local_l1_cache_supported] = 1,
  [CU_ATTR_managed_memory] = 1,
  [CU_ATTR_concurrent_managed_access] = 1,
  [CU_ATTR_direct_managed_mem_access_from_host] = 1,
  [CU_ATTR_host_native_atomic_supported] = 1,
  [CU_ATTR_single_to_double_precision_perf_ratio] = 2,
  [CU_ATTR_compute_preemption_supported] = 1,
  [CU_ATTR_can_use_host_pointer_for_registered_mem] = 1,
  [CU_ATTR_cooperative_launch] = 1,
  [CU_ATTR_host_register_supported] = 1,
  [CU_ATTR_read_only_host_register_supported] = 1,
  [CU_ATTR_memory_pools_supported] = 1,
};

static const bool known_attributes[] = {
#define LCU_ATTR(number, name) [number] = true,
#define LCU_ATTR_ALIAS(number, name)
#include "cu_attrs.def"
#undef LCU_ATTR
#undef LCU_ATTR_ALIAS
};

static int attribute (int attr) {
  switch (attr) {
    case CU_ATTR_multiprocessor_count: return cpu_configuration.threads;
    case CU_ATTR_compute_capability_major: return cpu_configuration.cc / 10;
    case CU_ATTR_compute_capability_minor: return cpu_configuration.cc % 10;
    default: return (size_t)attr < lcu_arraylen(fixed_attributes) ? fixed_attributes[attr] : 0;
  }
}

cu_result cpu_cuDeviceGetAttribute (int *value, int attr, cu_device dev) {
  cu_result r = check_device(dev);
  if (r != 0) return r;
  if (value == NULL || attr < 0 || (size_t)attr >= lcu_arraylen(known_attributes) ||
      !known_attributes[attr])
    return CU_ERR_INVALID_VALUE;
  *value = attribute(attr);
  return 0;
}
