/* fake_libcuda.c: a libcuda whose one GPU is the CPU device, so that what only GPUs take in the library (a driver that is opened,
 * memory that the host cannot read, spare memory, PTX for an arch that NVRTC does not know) runs on machines without one.
 * For tools/test --fake-gpu. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cu_driver.h"

/* Between two archs that NVRTC knows: it is given the PTX of the lower one, as the CPU device is. */
enum { ATTR_CC_MAJOR = 75, ATTR_CC_MINOR = 76, CC_MAJOR = 8, CC_MINOR = 1 };

static const char bus_id[] = "0000:fa:00.0";

static cu_result get_attribute (int *value, int attr, cu_device dev) {
  if (value == NULL || (attr != ATTR_CC_MAJOR && attr != ATTR_CC_MINOR)) return lcu_cpu_driver.cuDeviceGetAttribute(value, attr, dev);
  *value = attr == ATTR_CC_MAJOR ? CC_MAJOR : CC_MINOR;
  return 0;
}

static cu_result get_bus_id (char *id, int len, cu_device dev) {
  (void)dev;
  snprintf(id, (size_t)len, "%s", bus_id);
  return 0;
}

static cu_result get_by_bus_id (cu_device *dev, const char *id) {
  if (strcmp(id, bus_id) != 0) return CU_ERR_INVALID_VALUE;
  *dev = 0;
  return 0;
}

/* NVIDIA's PTX compiler takes the decimal point of the locale, here every text is refused while that is another one. */
static cu_result load_data (cu_module *m, const void *image, unsigned n, int *options, void **values) {
  const char *point = localeconv()->decimal_point;
  if (strcmp(point, ".") == 0) return lcu_cpu_driver.cuModuleLoadDataEx(m, image, n, options, values);
  return lcu_driver_detail("cuModuleLoadDataEx", CU_ERR_INVALID_PTX, "the locale's decimal point is '%s'", point);
}

static lcu_driver table;

__attribute__((constructor)) static void fill (void) {
  table = lcu_cpu_driver;
  table.cuDeviceGetAttribute = get_attribute;
  table.cuDeviceGetPCIBusId = get_bus_id;
  table.cuDeviceGetByPCIBusId = get_by_bus_id;
  table.cuModuleLoadDataEx = load_data;
}

/* Entry points under libcuda's symbols: those that a driver must or may have and the CPU device has. */
#define ENTRY_REQ_CPU(name, symbol, params, args) \
  LCU_EXPORT cu_result fake_##name params __asm__(symbol); \
  cu_result fake_##name params { return table.name args; }
#define ENTRY_OPT_CPU ENTRY_REQ_CPU
#define ENTRY_OPT_NOCPU(name, symbol, params, args)
#define ENTRY_EXT_CPU(name, symbol, params, args)
#define ENTRY_EXT_NOCPU(name, symbol, params, args)
#define LCU_DRV(need, cpu, since, name, symbol, params, args) ENTRY_##need##_##cpu(name, symbol, params, args)
#include "driver.def"
#undef LCU_DRV
