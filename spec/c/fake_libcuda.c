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

/* ---- loading: what NVIDIA's driver does otherwise ---- */

typedef struct error_log { char *text; size_t size; } error_log;

/* Read before the CPU device is called, which writes its sizes over these. */
static error_log find_log (unsigned n, const int *options, void *const *values) {
  error_log log = {0};
  for (unsigned i = 0; i < n; i++) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_) log.text = values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_) log.size = (size_t)(uintptr_t)values[i];
  }
  return log;
}

/* The words of a failed call of the CPU device into the log, in the form of NVIDIA's PTX compiler. */
static void write_log (error_log log, cu_result r, const char *call) {
  unsigned line = 0;
  lcu_driver_fail(&lcu_cpu_driver, call, r);
  const char *words = lcu_failure_get()->message, *at = strstr(words, ", line ");
  if (at != NULL) sscanf(at, ", line %u of the PTX", &line);
  if (log.text != NULL) snprintf(log.text, log.size, "application ptx input, line %u; error   : %s", line, words);
}

/* It compiles all kernels of PTX when it is loaded. */
static cu_result compile_all (cu_module m, error_log log) {
  cu_function list[256], f;
  const char *name;
  unsigned count = 0;
  cu_result r = lcu_cpu_driver.cuModuleGetFunctionCount(&count, m);
  if (count > lcu_arraylen(list)) count = lcu_arraylen(list);
  if (r == 0) r = lcu_cpu_driver.cuModuleEnumerateFunctions(list, count, m);
  for (unsigned i = 0; r == 0 && i < count; i++) {
    r = lcu_cpu_driver.cuFuncGetName(&name, list[i]);
    if (r == 0) r = lcu_cpu_driver.cuModuleGetFunction(&f, m, name);
    if (r != 0) write_log(log, r, "cuModuleGetFunction");
  }
  return r;
}

/* It takes the decimal point of the locale, here every text is refused while that is another one. */
static cu_result load_data (cu_module *m, const void *image, unsigned n, int *options, void **values) {
  const char *point = localeconv()->decimal_point;
  error_log log = find_log(n, options, values);
  if (strcmp(point, ".") != 0) {
    lcu_driver_detail("cuModuleLoadDataEx", CU_ERR_INVALID_PTX, "the locale's decimal point is '%s'", point);
    write_log(log, CU_ERR_INVALID_PTX, "cuModuleLoadDataEx");
    return CU_ERR_INVALID_PTX;
  }
  cu_result r = lcu_cpu_driver.cuModuleLoadDataEx(m, image, n, options, values);
  if (r != 0) return r;
  r = compile_all(*m, log);
  if (r != 0) lcu_cpu_driver.cuModuleUnload(*m);
  return r;
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
