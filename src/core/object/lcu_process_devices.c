/* lcu_process_devices.c: the list of devices. It does not change while a Lua state exists, so it is
 * read without a lock. */
#include <string.h>

#include "lcu_device.h"

static lcu_device *devices[LCU_MAX_DEVICES];
static size_t count, gpu_count;

void lcu_process_add_device (lcu_device *d) {
  d->index = count;
  devices[count++] = d;
  if (!d->is_cpu) gpu_count++;
}

void lcu_process_forget_devices (void) {
  memset(devices, 0, sizeof devices);
  count = gpu_count = 0;
}

size_t lcu_process_device_count (void) { return count; }

lcu_device *lcu_process_device (size_t index) { return index < count ? devices[index] : NULL; }

lcu_device *lcu_process_cpu (void) { return lcu_process_device(gpu_count); }

size_t lcu_process_gpu_count (void) { return gpu_count; }
