/* lcu_process_open.c: drivers, NVRTC, cuBLAS, and the states that use them. */
#include "lcu_process_open.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_failure.h"
#include "cu_open.h"
#include "cu_search.h"
#include "cu_shim.h"
#include "lcu_caller.h"
#include "lcu_context.h"
#include "lcu_device.h"
#include "lcu_room.h"

/* A library opened at its first use, or the failure to open it. */
typedef struct library {
  enum { LIBRARY_UNTRIED, LIBRARY_OPEN, LIBRARY_FAILED } state;
  lcu_failure failure;
} library;

static struct process {
  pthread_mutex_t lock;
  bool opened; /* the list of devices is complete */
  bool want_shim;
  /* used by devices: the tables themselves or the shim around them */
  const lcu_driver *gpu, *cpu;
  lcu_driver gpu_table, cpu_table;
  bool gpu_library; /* a library named libcuda was found */
  bool gpu_ready;   /* cuInit succeeded; forked children are refused from then on */
  int driver_version;
  char gpu_reason[LCU_MESSAGE_SIZE], cpu_reason[LCU_MESSAGE_SIZE];
  library libcuda, libcpu, nvrtc, cublas, hostblas, jitlink, mpi, nccl;
  lcu_buf report;
} process = { .lock = PTHREAD_MUTEX_INITIALIZER };


/* Another thread that held the lock at the fork would never release it. */
static void renew_lock (void) { pthread_mutex_init(&process.lock, NULL); }


/* ---- drivers and devices; called with the lock held ---- */

static const lcu_driver *maybe_wrapped (const lcu_driver *d) {
  const char *env = getenv("LUACUDA_SHIM");
  if (env != NULL && strcmp(env, "1") == 0) process.want_shim = true;
  return process.want_shim ? lcu_shim_wrap(d) : d;
}

static lcu_status add_device (const lcu_driver *drv, int ordinal) {
  lcu_device *d;
  LCU_TRY(lcu_device_create(drv, ordinal, &d));
  lcu_process_add_device(d);
  return LCU_OK;
}

/* Records the result of the first attempt. */
static void library_tried (library *l, lcu_status st) {
  l->state = st == LCU_OK ? LIBRARY_OPEN : LIBRARY_FAILED;
  if (st != LCU_OK) l->failure = *lcu_failure_get();
}

static lcu_status library_status (const library *l) {
  return l->state == LIBRARY_OPEN ? LCU_OK : lcu_fail_again(&l->failure);
}

/* The library stays open until exit: once initialized it has its own threads. */
static lcu_status open_libcuda (void) {
  library *l = &process.libcuda;
  if (process.gpu != NULL) return LCU_OK;
  if (l->state == LIBRARY_UNTRIED)
    library_tried(l, lcu_driver_open(&process.gpu_table, &process.report));
  lcu_status st = library_status(l);
  process.gpu_library = st != LCU_E_NOT_FOUND;
  if (st != LCU_OK) return st;
  process.gpu = maybe_wrapped(&process.gpu_table);
  return LCU_OK;
}

static lcu_status init_libcuda (void) {
  if (process.gpu_ready) return LCU_OK;
  LCU_TRY(LCU_CALL(process.gpu, cuDriverGetVersion, (&process.driver_version)));
  LCU_TRY(LCU_CALL(process.gpu, cuInit, (0)));
  process.gpu_ready = true;
  lcu_process_forbid_fork(true);
  return LCU_OK;
}

static lcu_status find_gpus (void) {
  int n = 0;
  LCU_TRY(open_libcuda());
  LCU_TRY(init_libcuda());
  LCU_TRY(LCU_CALL(process.gpu, cuDeviceGetCount, (&n)));
  if (n == 0) return lcu_fail(CU_ERR_NO_DEVICE, "the CUDA driver works but finds no GPU");
  for (int i = 0; i < n && i < LCU_MAX_DEVICES - 1; i++) LCU_TRY(add_device(process.gpu, i));
  return LCU_OK;
}

/* A machine without a GPU is not a failure; the reason is kept for queries. A driver that the user
 * named but that cannot be opened is a failure. */
static lcu_status open_gpus (void) {
  process.gpu_reason[0] = '\0';
  lcu_status st = find_gpus();
  if (st == LCU_OK) return LCU_OK;
  lcu_failure_text(lcu_failure_get(), process.gpu_reason);
  return process.gpu == NULL && lcu_search_names("LUACUDA_LIBCUDA") ? st : LCU_OK;
}

static lcu_status open_libcpu (void) {
  library *l = &process.libcpu;
  if (l->state == LIBRARY_UNTRIED)
    library_tried(l, lcu_driver_open_cpu(&process.cpu_table, &process.report));
  LCU_TRY(library_status(l));
  process.cpu = maybe_wrapped(&process.cpu_table);
  return LCU_OK;
}

/* A missing library is a failure only if the user named it. A library that is there must work. */
static lcu_status open_cpu (void) {
  lcu_status st = open_libcpu();
  if (st == LCU_E_NOT_FOUND && !lcu_search_names("LUACUDA_LIBCPU")) {
    lcu_failure_text(lcu_failure_get(), process.cpu_reason);
    return LCU_OK;
  }
  LCU_TRY(st);
  LCU_TRY(LCU_CALL(process.cpu, cuxShareRoom, (lcu_room_account_get())));
  LCU_TRY(LCU_CALL(process.cpu, cuInit, (0)));
  LCU_TRY(LCU_CALL(process.cpu, cuxSetCaller, (lcu_caller_get)));
  return add_device(process.cpu, 0);
}

static void close_devices (void) {
  lcu_context_close_all();
  for (size_t i = 0; lcu_process_device(i) != NULL; i++) lcu_device_close(lcu_process_device(i));
  lcu_process_forget_devices();
  process.opened = false;
}

static lcu_status open_devices (void) {
  if (process.opened) return LCU_OK;
  lcu_process_watch_fork(renew_lock);
  lcu_status st = open_gpus();
  if (st == LCU_OK) st = open_cpu();
  if (st == LCU_OK) process.opened = true;
  else close_devices();
  return st;
}

lcu_status lcu_process_devices (size_t *count) {
  LCU_TRY(lcu_process_check());
  pthread_mutex_lock(&process.lock);
  lcu_status st = open_devices();
  *count = lcu_process_device_count();
  pthread_mutex_unlock(&process.lock);
  return st;
}

const char *lcu_process_gpu_reason (bool *driver_found) {
  if (driver_found != NULL) *driver_found = process.gpu_library;
  return process.gpu_reason;
}

const char *lcu_process_cpu_reason (void) { return process.cpu_reason; }

int lcu_process_driver_version (void) { return process.driver_version; }

bool lcu_process_use_shim (void) {
  pthread_mutex_lock(&process.lock);
  if (!process.opened && process.gpu == NULL) process.want_shim = true;
  bool wanted = process.want_shim;
  pthread_mutex_unlock(&process.lock);
  return wanted;
}

static bool wrap_device (lcu_device *d, void *ud) {
  (void)ud;
  d->drv = lcu_shim_wrap(d->drv);
  return true;
}

static void wrap_open_drivers (void) {
  if (process.gpu != NULL) process.gpu = lcu_shim_wrap(process.gpu);
  if (process.cpu != NULL) process.cpu = lcu_shim_wrap(process.cpu);
  lcu_process_each(wrap_device, NULL);
}

bool lcu_process_wrap_drivers (void) {
  pthread_mutex_lock(&process.lock);
  bool alone = lcu_process_states() == 1, wrapped = process.want_shim;
  if (alone && !wrapped) {
    wrap_open_drivers();
    process.want_shim = true;
  }
  pthread_mutex_unlock(&process.lock);
  return alone || wrapped;
}

/* ---- states come and go ---- */

lcu_status lcu_process_enter (void) {
  LCU_TRY(lcu_process_check());
  pthread_mutex_lock(&process.lock);
  (void)lcu_process_add_states(1);
  pthread_mutex_unlock(&process.lock);
  return LCU_OK;
}

/* A forked child releases nothing: threads, contexts and locks belong to its parent. */
static bool leave_forked (void) {
  if (lcu_process_add_states(-1) > 0) return false;
  lcu_process_forget_devices();
  return true;
}

/* The next state tries again to open a library that was not found. */
static void library_forgive (library *l) {
  if (l->state == LIBRARY_FAILED) l->state = LIBRARY_UNTRIED;
}

bool lcu_process_leave (void) {
  if (lcu_process_forked()) return leave_forked();
  pthread_mutex_lock(&process.lock);
  bool last = lcu_process_add_states(-1) == 0;
  if (!last) lcu_context_sweep();
  if (last) {
    close_devices();
    lcu_buf_free(&process.report);
    library_forgive(&process.libcuda);
    library_forgive(&process.nvrtc);
    library_forgive(&process.cublas);
    library_forgive(&process.hostblas);
    library_forgive(&process.jitlink);
    library_forgive(&process.mpi);
    library_forgive(&process.nccl);
    if (!process.gpu_ready) lcu_process_forbid_fork(false);
  }
  pthread_mutex_unlock(&process.lock);
  return last;
}


/* ---- NVRTC, cuBLAS, reports ---- */

static lcu_status open_once (library *l, const lcu_library *kind, void *table) {
  LCU_TRY(lcu_process_check());
  pthread_mutex_lock(&process.lock);
  if (l->state == LIBRARY_UNTRIED) library_tried(l, lcu_library_open(kind, table, &process.report));
  lcu_status st = library_status(l);
  pthread_mutex_unlock(&process.lock);
  return st;
}

#define LIBRARY(name) \
  lcu_status lcu_process_##name(const lcu_##name **out) { \
    static lcu_##name table; \
    lcu_status st = open_once(&process.name, &lcu_##name##_library, &table); \
    *out = st == LCU_OK ? &table : NULL; \
    return st; \
  }
LIBRARY(nvrtc)
LIBRARY(cublas)
LIBRARY(hostblas)
LIBRARY(jitlink)
LIBRARY(mpi)
LIBRARY(nccl)

void lcu_process_report (lcu_buf *out) {
  if (!lcu_process_forked()) pthread_mutex_lock(&process.lock);
  else if (pthread_mutex_trylock(&process.lock) != 0) return;
  if (process.report.data != NULL) lcu_buf_add(out, process.report.data, process.report.len);
  pthread_mutex_unlock(&process.lock);
}
