/* gpus_device.c: the numbers, names and attributes of GPUs. */
#include "gpus_parts.h"

#include <stdio.h>
#include <string.h>

/* The compute capability lies between two that compilers know: code for the lower one runs. */
enum { ATTR_CC_MAJOR = 75, ATTR_CC_MINOR = 76, CC_MAJOR = 8, CC_MINOR = 1 };

static cu_result get_count (int *n) {
  cu_result r = cpu_cuDeviceGetCount(n);
  if (r == 0) *n = cpu_configuration.gpus;
  return r;
}

static cu_result get_device (cu_device *dev, int ordinal) {
  cu_result r = GPUS_CALL(ordinal, cuDeviceGet(dev, 0));
  if (r == 0) *dev = ordinal;
  return r;
}

static cu_result get_name (char *name, int len, cu_device dev) {
  return GPUS_CALL(dev, cuDeviceGetName(name, len, 0));
}

static cu_result get_memory (size_t *bytes, cu_device dev) {
  return GPUS_CALL(dev, cuDeviceTotalMem(bytes, 0));
}

static cu_result get_uuid (cu_uuid *uuid, cu_device dev) {
  cu_result r = GPUS_CALL(dev, cuDeviceGetUuid(uuid, 0));
  if (r != 0) return r;
  memcpy(uuid->bytes, "LuaCUDA GPU of 0", sizeof uuid->bytes);
  uuid->bytes[15] = (unsigned char)(uuid->bytes[15] + dev);
  return 0;
}

static cu_result get_attribute (int *value, int attr, cu_device dev) {
  cu_result r = GPUS_CALL(dev, cuDeviceGetAttribute(value, attr, 0));
  if (r != 0) return r;
  if (attr == ATTR_CC_MAJOR) *value = CC_MAJOR;
  if (attr == ATTR_CC_MINOR) *value = CC_MINOR;
  if (attr == CU_ATTR_concurrent_managed_access && cpu_configuration.gpus_exclusive) *value = 0;
  return 0;
}

static cu_result get_bus_id (char *id, int len, cu_device dev) {
  cu_result r = GPUS_CALL(dev, cuDeviceGetPCIBusId(id, len, 0));
  if (r == 0) snprintf(id, (size_t)len, "0000:f%c:00.0", "abcd"[dev]);
  return r;
}

static cu_result get_by_bus_id (cu_device *dev, const char *id) {
  char own[16];
  if (dev == NULL || id == NULL) return CU_ERR_INVALID_VALUE;
  for (cu_device i = 0; i < cpu_configuration.gpus; i++) {
    cu_result r = get_bus_id(own, (int)sizeof own, i);
    if (r != 0) return r;
    if (strcmp(id, own) != 0) continue;
    *dev = i;
    return 0;
  }
  return CU_ERR_INVALID_VALUE;
}

static cu_result get_resource (cu_device dev, cu_dev_resource *resource, int type) {
  return GPUS_CALL(dev, cuDeviceGetDevResource(0, resource, type));
}

static cu_result create_green (cu_green_ctx *ctx, cu_dev_resource_desc desc, cu_device dev,
                               unsigned flags) {
  return GPUS_CALL(dev, cuGreenCtxCreate(ctx, desc, 0, flags));
}

static cu_result can_access (int *can, cu_device dev, cu_device peer) {
  cu_result r = GPUS_CALL(dev, cuDeviceCanAccessPeer(can, 0, 0));
  if (r == 0 && !gpus_know(peer)) r = CU_ERR_INVALID_DEVICE;
  if (r == 0) *can = dev != peer;
  return r;
}

void gpus_fill_devices (lcu_driver *table) {
  table->cuDeviceGetCount = get_count;
  table->cuDeviceGet = get_device;
  table->cuDeviceGetName = get_name;
  table->cuDeviceTotalMem = get_memory;
  table->cuDeviceGetUuid = get_uuid;
  table->cuDeviceGetAttribute = get_attribute;
  table->cuDeviceGetPCIBusId = get_bus_id;
  table->cuDeviceGetByPCIBusId = get_by_bus_id;
  table->cuDeviceGetDevResource = get_resource;
  table->cuGreenCtxCreate = create_green;
  table->cuDeviceCanAccessPeer = can_access;
}
