/* lcu_process_devices.c: the list of devices. It does not change while a Lua state exists, so it is
 * read without a lock. The places after the devices are for contexts and have one. */
#include <pthread.h>
#include <string.h>

#include "lcu_device.h"

static lcu_device *devices[LCU_MAX_DEVICES];
static size_t count, gpu_count;
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

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


/* ---- contexts ---- */

/* A place is used again as late as possible: see lcu_context.c. */
bool lcu_process_add_context (lcu_device *c) {
  static size_t latest;
  bool found = false;
  size_t room = LCU_MAX_DEVICES - count;
  pthread_mutex_lock(&contexts_lock);
  for (size_t i = 1; i <= room && !found; i++) {
    size_t at = count + (latest + i) % room;
    if (devices[at] != NULL) continue;
    latest = (latest + i) % room;
    c->index = at;
    devices[at] = c;
    found = true;
  }
  pthread_mutex_unlock(&contexts_lock);
  return found;
}

void lcu_process_remove_context (lcu_device *c) {
  if (lcu_process_forked()) return;
  pthread_mutex_lock(&contexts_lock);
  if (devices[c->index] == c) devices[c->index] = NULL;
  pthread_mutex_unlock(&contexts_lock);
}

lcu_device *lcu_process_context (size_t place, bool (*wanted)(lcu_device *c)) {
  lcu_device *c = NULL;
  pthread_mutex_lock(&contexts_lock);
  if (place >= count && place < LCU_MAX_DEVICES) c = devices[place];
  if (c != NULL && (!atomic_load(&c->opened) || atomic_load(&c->closing) || !wanted(c))) c = NULL;
  pthread_mutex_unlock(&contexts_lock);
  return c;
}

void lcu_process_each (bool (*fn)(lcu_device *d, void *ud), void *ud) {
  bool more = true;
  for (size_t i = 0; i < count && more; i++) more = fn(devices[i], ud);
  pthread_mutex_lock(&contexts_lock);
  for (size_t i = count; i < LCU_MAX_DEVICES && more; i++)
    if (devices[i] != NULL) more = fn(devices[i], ud);
  pthread_mutex_unlock(&contexts_lock);
}
