/* lcu_ipc_name.c: names of processes and devices that other processes understand. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lcu_device_failure.h"
#include "lcu_ipc.h"
#include "lcu_process_open.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static lcu_ipc_process self; /* of process `pid`; guarded by `lock` */

static bool read_random (unsigned char *out, size_t n) {
  FILE *f = fopen("/dev/urandom", "rb");
  if (f == NULL) return false;
  bool ok = fread(out, 1, n, f) == n;
  fclose(f);
  return ok;
}

/* A child process gets a name of its own. */
lcu_status lcu_ipc_self (lcu_ipc_process *out) {
  uint32_t pid = (uint32_t)getpid();
  pthread_mutex_lock(&lock);
  bool ok = self.pid == pid || read_random(self.nonce, sizeof self.nonce);
  if (ok) self.pid = pid;
  *out = self;
  pthread_mutex_unlock(&lock);
  return ok ? LCU_OK : lcu_fail(LCU_E_IO, "/dev/urandom cannot be read");
}

lcu_status lcu_ipc_uuid (lcu_device *d, cu_uuid *out) {
  return LCU_CALL(d->drv, cuDeviceGetUuid, (out, d->handle));
}

lcu_status lcu_ipc_device (const cu_uuid *uuid, lcu_device **out) {
  size_t n = 0;
  cu_uuid id;
  *out = NULL;
  LCU_TRY(lcu_process_devices(&n));
  for (size_t i = 0; i < n && *out == NULL; i++) {
    lcu_device *d = lcu_process_device(i);
    if (d->drv->cuDeviceGetUuid == NULL) continue;
    LCU_TRY(lcu_device_status(d, lcu_ipc_uuid(d, &id)));
    if (memcmp(&id, uuid, sizeof id) == 0) *out = d;
  }
  return LCU_OK;
}
