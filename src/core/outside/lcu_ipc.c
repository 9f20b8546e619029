/* lcu_ipc.c: memory of several processes. The driver shares only memory from cuMemAlloc, and shares
 * it in units of 2 MB: arrays of the pool, and smaller pieces, would lay open other arrays too. */
#include "lcu_ipc.h"

#include <inttypes.h>
#include <string.h>

#include "lcu_device_failure.h"
#include "lcu_block.h"
#include "lcu_pool.h"
#include "lcu_scope.h"
#include "lcu_wait.h"

static const size_t UNIT = (size_t)2 << 20;

struct lcu_ipc {
  cu_ipc_memory handle;
  lcu_ipc_process maker;
  bool known;  /* `handle` is set; guarded by the device's lock */
  bool opened; /* the memory belongs to another process */
  bool has;    /* there is memory to free or to close */
};

static lcu_status release_ipc_block (const lcu_block *b) {
  const lcu_driver *drv = b->device->drv;
  if (b->ipc->opened) return LCU_CALL(drv, cuIpcCloseMemHandle, (b->address));
  return LCU_CALL(drv, cuMemFree, (b->address));
}

/* Frees or closes the memory; no work of this process may use the block. */
static void end_ipc (lcu_block *b) {
  lcu_scope scope;
  if (b->ipc->has && !lcu_process_forked() && lcu_device_enter_quiet(b->device, &scope)) {
    lcu_device_defer(b->device, release_ipc_block(b));
    lcu_device_leave(&scope);
  }
  lcu_free(b->ipc);
  b->ipc = NULL;
}

static lcu_status new_ipc_block (lcu_device *d, size_t size, bool opened, lcu_block **out) {
  *out = NULL;
  LCU_TRY(lcu_device_open(d));
  lcu_limbo_poll(d);
  lcu_block *b = lcu_block_new(d, LCU_MEM_DEVICE, size);
  if (b == NULL) return LCU_E_NOMEM;
  b->ipc = lcu_calloc(1, sizeof *b->ipc);
  if (b->ipc == NULL) {
    lcu_unref(b);
    return lcu_no_memory("an array");
  }
  b->ipc->opened = opened;
  b->end = end_ipc;
  *out = b;
  return LCU_OK;
}

/* The block is complete, or has failed. */
static lcu_status finish (lcu_block *b, lcu_status st, lcu_block **out) {
  *out = NULL;
  if (st != LCU_OK) {
    lcu_unref(b);
    return st;
  }
  b->ipc->has = true;
  if (b->device->host_memory) b->host = (void *)(uintptr_t)b->address;
  lcu_block_enlist(b);
  *out = b;
  return LCU_OK;
}


/* ---- memory of this process ---- */

static lcu_status allocate (lcu_block *b) {
  const lcu_driver *drv = b->device->drv;
  size_t n = b->size > 0 ? b->size : 1;
  if (drv->cuxMemAllocShared != NULL) return LCU_CALL(drv, cuxMemAllocShared, (&b->address, n));
  return LCU_CALL(drv, cuMemAlloc, (&b->address, (n + UNIT - 1) / UNIT * UNIT));
}

/* Sets *full if the device has too little memory. */
static lcu_status try_allocate (lcu_block *b, bool *full) {
  lcu_scope scope;
  *full = false;
  LCU_TRY(lcu_device_enter(b->device, &scope));
  lcu_status st = allocate(b);
  *full = st == CU_ERR_OUT_OF_MEMORY;
  lcu_device_leave(&scope);
  return lcu_device_status(b->device, st);
}

lcu_status lcu_ipc_alloc (lcu_device *d, size_t size, lcu_block **out) {
  lcu_block *b;
  bool full;
  LCU_TRY(new_ipc_block(d, size, false, &b));
  lcu_status st = try_allocate(b, &full);
  if (full) {
    st = lcu_device_make_room(d, true);
    if (st == LCU_OK) st = try_allocate(b, &full);
  }
  return finish(b, st, out);
}

static bool known (lcu_block *b, cu_ipc_memory *out, lcu_ipc_process *maker) {
  pthread_mutex_lock(&b->device->lock);
  bool ok = b->ipc->known;
  if (ok) {
    *out = b->ipc->handle;
    *maker = b->ipc->maker;
  }
  pthread_mutex_unlock(&b->device->lock);
  return ok;
}

static void set_known (lcu_block *b, const cu_ipc_memory *h, const lcu_ipc_process *maker) {
  pthread_mutex_lock(&b->device->lock);
  b->ipc->handle = *h;
  b->ipc->maker = *maker;
  b->ipc->known = true;
  pthread_mutex_unlock(&b->device->lock);
}

lcu_status lcu_ipc_handle_of (lcu_block *b, cu_ipc_memory *out, lcu_ipc_process *maker) {
  lcu_scope scope;
  if (known(b, out, maker)) return lcu_process_check();
  LCU_TRY(lcu_ipc_self(maker));
  LCU_TRY(lcu_device_enter(b->device, &scope));
  lcu_status st = LCU_CALL(b->device->drv, cuIpcGetMemHandle, (out, b->address));
  lcu_device_leave(&scope);
  LCU_TRY(lcu_device_status(b->device, st));
  set_known(b, out, maker);
  return LCU_OK;
}


/* ---- memory of another process ---- */

lcu_block *lcu_ipc_find (lcu_device *d, const cu_ipc_memory *h) {
  lcu_block *b;
  pthread_mutex_lock(&d->lock);
  for (b = d->heap.blocks; b != NULL; b = b->next)
    if (b->ipc != NULL && b->ipc->known && memcmp(&b->ipc->handle, h, sizeof *h) == 0 &&
        lcu_object_try_ref(&b->base))
      break;
  pthread_mutex_unlock(&d->lock);
  return b;
}

/* Less memory than the handle promises; where the driver cannot tell, the promise counts. */
static lcu_status check_size (const lcu_block *b) {
  size_t have = 0;
  cu_result r = b->device->drv->cuPointerGetAttribute(&have, CU_POINTER_RANGE_SIZE, b->address);
  if (r == CU_ERR_INVALID_VALUE || (r == 0 && (have == 0 || have >= b->size))) return LCU_OK;
  LCU_TRY(lcu_driver_status(b->device->drv, "cuPointerGetAttribute", r));
  return lcu_fail(LCU_E_ARGUMENT, "the handle promises %zu bytes, the memory has %zu", b->size,
                  have);
}

/* libcuda has one code for a process that has ended and for other reasons. */
static lcu_status explain (lcu_status st, uint32_t pid) {
  if (st == LCU_OK || st == CU_ERR_ALREADY_MAPPED || lcu_failure_get()->message[0] != '\0')
    return st;
  return lcu_fail_call(st, "cuIpcOpenMemHandle",
                       "process %" PRIu32 ", which made the handle, has to run and to keep the "
                       "memory",
                       pid);
}

static lcu_status open_entered (lcu_block *b, const cu_ipc_memory *h, uint32_t pid) {
  const lcu_driver *drv = b->device->drv;
  lcu_status st = LCU_CALL(drv, cuIpcOpenMemHandle, (&b->address, *h, CU_IPC_LAZY_PEER_ACCESS_));
  if (st != LCU_OK) return explain(st, pid);
  b->ipc->has = true;
  return check_size(b);
}

static lcu_status try_open (lcu_block *b, const cu_ipc_memory *h, uint32_t pid) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(b->device, &scope));
  lcu_status st = lcu_device_status(b->device, open_entered(b, h, pid));
  lcu_device_leave(&scope);
  return st;
}

static lcu_status open_once (lcu_device *d, const cu_ipc_memory *h, const lcu_ipc_process *maker,
                             size_t size, lcu_block **out) {
  lcu_block *b;
  *out = lcu_ipc_find(d, h);
  if (*out != NULL) return LCU_OK;
  LCU_TRY(new_ipc_block(d, size, true, &b));
  lcu_status st = try_open(b, h, maker->pid);
  if (st == CU_ERR_ALREADY_MAPPED) { /* closed, but queued work still uses it */
    st = lcu_device_synchronize(d);
    lcu_limbo_poll(d);
    if (st == LCU_OK) st = try_open(b, h, maker->pid);
  }
  if (st == LCU_OK) set_known(b, h, maker);
  return finish(b, st, out);
}

/* One at a time: of two threads with the same handle, the second finds the block of the first. */
lcu_status lcu_ipc_open (lcu_device *d, const cu_ipc_memory *h, const lcu_ipc_process *maker,
                         size_t size, lcu_block **out) {
  static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
  *out = NULL;
  LCU_TRY(lcu_process_check());
  pthread_mutex_lock(&opening);
  lcu_status st = open_once(d, h, maker, size, out);
  pthread_mutex_unlock(&opening);
  return st;
}
