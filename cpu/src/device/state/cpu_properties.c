/* cpu_properties.c: entry points that describe the device: version, name, memory, attributes. */
#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_enter.h"

#include <stdio.h>
#include <string.h>

/* The entry points behave like those of CUDA 13.0. */
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
  *bytes = cpu_config_memory();
  return 0;
}

/* The device is not on a bus; this name lets cuDeviceGetByPCIBusId find it. */
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

/* Attributes that never change. A known attribute that is not listed is 0: the device lacks the
 * feature. */
static const int fixed_attributes[] = {
  [CU_ATTR_max_threads_per_block] = CPU_MAX_THREADS,
  [CU_ATTR_max_block_dim_x] = CPU_MAX_THREADS,
  [CU_ATTR_max_block_dim_y] = CPU_MAX_THREADS,
  [CU_ATTR_max_block_dim_z] = CPU_MAX_BLOCK_Z,
  [CU_ATTR_max_grid_dim_x] = CPU_MAX_GRID_X,
  [CU_ATTR_max_grid_dim_y] = CPU_MAX_GRID_YZ,
  [CU_ATTR_max_grid_dim_z] = CPU_MAX_GRID_YZ,
  [CU_ATTR_max_shared_memory_per_block] = CPU_SHARED_DEFAULT,
  [CU_ATTR_total_constant_memory] = 65536,
  [CU_ATTR_warp_size] = CPU_WARP,
  [CU_ATTR_max_pitch] = 0x7fffffff,
  [CU_ATTR_max_registers_per_block] = CPU_SM_REGISTERS,
  [CU_ATTR_max_registers_per_multiprocessor] = CPU_SM_REGISTERS,
  [CU_ATTR_clock_rate] = 1000000,
  [CU_ATTR_can_use_64_bit_stream_mem_ops] = 1,
  [CU_ATTR_can_use_stream_wait_value_nor] = 1,
  [CU_ATTR_memory_clock_rate] = 1000000,
  [CU_ATTR_global_memory_bus_width] = 64,
  [CU_ATTR_texture_alignment] = 256,
  [CU_ATTR_texture_pitch_alignment] = 32,
  [CU_ATTR_surface_alignment] = 256,
  [CU_ATTR_maximum_texture1d_width] = 131072,
  [CU_ATTR_maximum_texture1d_linear_width] = 1 << 28,
  [CU_ATTR_maximum_texture1d_mipmapped_width] = 131072,
  [CU_ATTR_maximum_texture1d_layered_width] = 32768,
  [CU_ATTR_maximum_texture1d_layered_layers] = 2048,
  [CU_ATTR_maximum_texture2d_width] = 131072,
  [CU_ATTR_maximum_texture2d_height] = 65536,
  [CU_ATTR_maximum_texture2d_linear_width] = 131072,
  [CU_ATTR_maximum_texture2d_linear_height] = 65536,
  [CU_ATTR_maximum_texture2d_linear_pitch] = 2097120,
  [CU_ATTR_maximum_texture2d_mipmapped_width] = 131072,
  [CU_ATTR_maximum_texture2d_mipmapped_height] = 65536,
  [CU_ATTR_maximum_texture2d_layered_width] = 32768,
  [CU_ATTR_maximum_texture2d_layered_height] = 32768,
  [CU_ATTR_maximum_texture2d_layered_layers] = 2048,
  [CU_ATTR_can_tex2d_gather] = 1,
  [CU_ATTR_maximum_texture2d_gather_width] = 131072,
  [CU_ATTR_maximum_texture2d_gather_height] = 65536,
  [CU_ATTR_maximum_texture3d_width] = 16384,
  [CU_ATTR_maximum_texture3d_height] = 16384,
  [CU_ATTR_maximum_texture3d_depth] = 16384,
  [CU_ATTR_maximum_texture3d_width_alternate] = 16384,
  [CU_ATTR_maximum_texture3d_height_alternate] = 16384,
  [CU_ATTR_maximum_texture3d_depth_alternate] = 16384,
  [CU_ATTR_maximum_texturecubemap_width] = 32768,
  [CU_ATTR_maximum_texturecubemap_layered_width] = 32768,
  [CU_ATTR_maximum_texturecubemap_layered_layers] = 2046,
  [CU_ATTR_maximum_surface1d_width] = 131072,
  [CU_ATTR_maximum_surface2d_width] = 131072,
  [CU_ATTR_maximum_surface2d_height] = 65536,
  [CU_ATTR_maximum_surface3d_width] = 16384,
  [CU_ATTR_maximum_surface3d_height] = 16384,
  [CU_ATTR_maximum_surface3d_depth] = 16384,
  [CU_ATTR_maximum_surface1d_layered_width] = 32768,
  [CU_ATTR_maximum_surface1d_layered_layers] = 2048,
  [CU_ATTR_maximum_surface2d_layered_width] = 32768,
  [CU_ATTR_maximum_surface2d_layered_height] = 32768,
  [CU_ATTR_maximum_surface2d_layered_layers] = 2048,
  [CU_ATTR_maximum_surfacecubemap_width] = 32768,
  [CU_ATTR_maximum_surfacecubemap_layered_width] = 32768,
  [CU_ATTR_maximum_surfacecubemap_layered_layers] = 2046,
  [CU_ATTR_gpu_overlap] = 1,
  [CU_ATTR_async_engine_count] = 1,
  [CU_ATTR_integrated] = 1,
  [CU_ATTR_can_map_host_memory] = 1,
  [CU_ATTR_concurrent_kernels] = 1,
  [CU_ATTR_l2_cache_size] = 4 * 1024 * 1024,
  [CU_ATTR_unified_addressing] = 1,
  [CU_ATTR_stream_priorities_supported] = 1,
  [CU_ATTR_global_l1_cache_supported] = 1,
  [CU_ATTR_local_l1_cache_supported] = 1,
  [CU_ATTR_managed_memory] = 1,
  [CU_ATTR_concurrent_managed_access] = 1,
  [CU_ATTR_virtual_memory_management_supported] = 1,
  [CU_ATTR_direct_managed_mem_access_from_host] = 1,
  [CU_ATTR_host_native_atomic_supported] = 1,
  [CU_ATTR_single_to_double_precision_perf_ratio] = 2,
  [CU_ATTR_compute_preemption_supported] = 1,
  [CU_ATTR_can_use_host_pointer_for_registered_mem] = 1,
  [CU_ATTR_cooperative_launch] = 1,
  [CU_ATTR_host_register_supported] = 1,
  [CU_ATTR_read_only_host_register_supported] = 1,
  [CU_ATTR_memory_pools_supported] = 1,
  [CU_ATTR_ipc_event_supported] = 1,
};

static const bool known_attributes[] = {
#define LCU_ATTR(number, name) [number] = true,
#define LCU_ATTR_ALIAS(number, name)
#include "cu_attrs.def"
#undef LCU_ATTR
#undef LCU_ATTR_ALIAS
};

static int attribute (int attr) {
  const cpu_arch *arch = cpu_configuration.arch;
  switch (attr) {
    case CU_ATTR_multiprocessor_count: return cpu_configuration.threads;
    case CU_ATTR_compute_capability_major: return cpu_configuration.cc / 10;
    case CU_ATTR_compute_capability_minor: return cpu_configuration.cc % 10;
    case CU_ATTR_max_shared_memory_per_block_optin: return arch->shared_optin;
    case CU_ATTR_max_shared_memory_per_multiprocessor: return arch->shared_sm;
    case CU_ATTR_reserved_shared_memory_per_block: return arch->shared_reserved;
    case CU_ATTR_max_threads_per_multiprocessor: return arch->sm_threads;
    case CU_ATTR_max_blocks_per_multiprocessor: return arch->sm_blocks;
    case CU_ATTR_cluster_launch: return arch->cc >= 90;
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
