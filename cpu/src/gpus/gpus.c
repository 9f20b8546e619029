/* gpus.c: when the library is GPUs. */
#include "gpus.h"

#include <stdlib.h>

#include "gpus_parts.h"

static bool are_wanted (void) {
  const char *v = getenv("LUACUDA_CPU_GPUS");
  return v != NULL && v[0] != '\0';
}

void gpus_begin (lcu_driver *table) {
  if (!are_wanted()) return;
  gpus_fill_devices(table);
  gpus_fill_contexts(table);
  gpus_fill_memory(table);
  gpus_fill_modules(table);
}

bool gpus_are (const lcu_driver *table) {
  return table->cuDeviceGetCount != lcu_cpu_driver.cuDeviceGetCount;
}

bool gpus_end (lcu_driver *table) {
  if (!gpus_are(table)) return true;
  if (cpu_device_state() != CPU_DOWN) return false;
  *table = lcu_cpu_driver;
  return true;
}
