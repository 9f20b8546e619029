/* lcu_block_host.c: blocks of host memory: plain, pinned, managed, registered, foreign. */
#include "lcu_block.h"

#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_process_open.h"
#include "lcu_room.h"
#include "lcu_scope.h"
#include "lcu_state_hooks.h"

static lcu_status cpu_device (lcu_device **out) {
  size_t n = 0;
  LCU_TRY(lcu_process_devices(&n));
  *out = lcu_process_cpu();
  if (*out == NULL) return lcu_fail(LCU_E_NOT_FOUND, "%s", lcu_process_cpu_reason());
  return lcu_device_open(*out);
}

/* Kernels of the CPU device may access only memory that it allocated or that is registered with
 * it. */
static lcu_status register_cpu (lcu_block *b) {
  lcu_scope scope;
  lcu_device *d = b->device;
  if (b->size == 0 || (b->pinned_for != NULL && b->pinned_for->drv == d->drv)) return LCU_OK;
  LCU_TRY(lcu_device_enter(d, &scope));
  cu_result r = d->drv->cuMemHostRegister(b->host, b->size, 0);
  b->registered = r == 0;
  lcu_status st = r == CU_ERR_HOST_MEMORY_ALREADY_REGISTERED
                    ? LCU_OK
                    : lcu_driver_status(d->drv, "cuMemHostRegister", r);
  lcu_device_leave(&scope);
  return lcu_device_status(d, st);
}

static lcu_status pin (lcu_block *b, unsigned flags) {
  lcu_device *d = b->pinned_for;
  cu_deviceptr p = 0;
  LCU_TRY(lcu_comm_guard_device(d));
  if (b->memory == LCU_MEM_PINNED)
    return LCU_CALL(d->drv, cuMemHostAlloc,
                    (&b->host, b->size, flags | CU_HOSTALLOC_PORTABLE | CU_HOSTALLOC_DEVICEMAP));
  b->attach = flags != 0 ? flags : CU_MEM_ATTACH_GLOBAL_;
  LCU_TRY(LCU_CALL(d->drv, cuMemAllocManaged, (&p, b->size, b->attach)));
  b->host = (void *)(uintptr_t)p;
  return LCU_OK;
}

/* Garbage may hold the memory needed. */
static bool take_room (size_t size) {
  if (lcu_room_take(size)) return true;
  lcu_state_hooks_reclaim();
  return lcu_room_take(size);
}

static lcu_status get_plain (lcu_block *b, size_t align) {
  bool room = take_room(b->size);
  if (room) b->host = lcu_alloc_aligned(b->size, align < 64 ? 64 : align);
  if (b->host != NULL) return LCU_OK;
  if (room) lcu_room_give(b->size);
  return lcu_no_memory("an array of %zu bytes: the system has %llu left", b->size,
                       (unsigned long long)lcu_room_left());
}

static lcu_status get_host_memory (lcu_block *b, size_t align, unsigned flags) {
  lcu_scope scope;
  if (b->size == 0) return LCU_OK;
  if (b->pinned_for == NULL) return get_plain(b, align);
  LCU_TRY(lcu_device_enter(b->pinned_for, &scope));
  lcu_status st = lcu_device_status(b->pinned_for, pin(b, flags));
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_block_alloc_host (lcu_memory kind, lcu_device *pin_for, size_t size, size_t align,
                                 unsigned flags, lcu_block **out) {
  lcu_device *cpu;
  *out = NULL;
  LCU_TRY(cpu_device(&cpu));
  lcu_limbo_poll(cpu);
  if (kind != LCU_MEM_HOST && pin_for == NULL) pin_for = cpu;
  lcu_block *b = lcu_block_new(cpu, kind, size);
  if (b == NULL) return LCU_E_NOMEM;
  if (kind != LCU_MEM_HOST) b->pinned_for = lcu_ref(lcu_device_root(pin_for));
  lcu_status st = get_host_memory(b, align, flags);
  if (st == LCU_OK) st = register_cpu(b);
  if (st != LCU_OK) {
    lcu_unref(b);
    return st;
  }
  b->address = (cu_deviceptr)(uintptr_t)b->host;
  lcu_block_enlist(b);
  *out = b;
  return LCU_OK;
}

static lcu_status pin_existing (lcu_block *b, void *p, unsigned flags) {
  lcu_scope scope;
  lcu_device *d = b->pinned_for;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = lcu_device_status(d, LCU_CALL(d->drv, cuMemHostRegister, (p, b->size, flags)));
  lcu_device_leave(&scope);
  if (st == LCU_OK) b->host = p;
  return st;
}

lcu_status lcu_block_register (void *p, size_t size, lcu_device *pin_for, unsigned flags,
                               lcu_block **out) {
  lcu_device *cpu;
  *out = NULL;
  LCU_TRY(cpu_device(&cpu));
  lcu_block *b = lcu_block_new(cpu, LCU_MEM_REGISTERED, size);
  if (b == NULL) return LCU_E_NOMEM;
  b->pinned_for = lcu_ref(lcu_device_root(pin_for != NULL ? pin_for : cpu));
  lcu_status st = pin_existing(b, p, flags);
  if (st == LCU_OK) st = register_cpu(b);
  if (st != LCU_OK) {
    lcu_unref(b);
    return st;
  }
  b->address = (cu_deviceptr)(uintptr_t)p;
  lcu_block_enlist(b);
  *out = b;
  return LCU_OK;
}

/* The block takes over the release function only after everything succeeded. */
lcu_status lcu_block_wrap (lcu_device *d, lcu_memory kind, cu_deviceptr p, void *host, size_t size,
                           void (*release)(void *ud), void *ud, lcu_block **out) {
  *out = NULL;
  LCU_TRY(lcu_device_open(d));
  lcu_block *b = lcu_block_new(d, kind, size);
  if (b == NULL) return LCU_E_NOMEM;
  b->address = p;
  b->host = host;
  if (d->host_memory && kind == LCU_MEM_FOREIGN && host != NULL) {
    lcu_status st = register_cpu(b);
    if (st != LCU_OK) {
      lcu_unref(b);
      return st;
    }
  }
  b->release = release;
  b->release_ud = ud;
  lcu_block_enlist(b);
  *out = b;
  return LCU_OK;
}
