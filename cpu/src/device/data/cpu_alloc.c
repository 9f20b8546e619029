/* cpu_alloc.c: entry points that allocate, free and describe memory. */
#include "cpu_capture.h"
#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_memory.h"
#include "cpu_memory_node.h"
#include "cpu_pool.h"
#include "cpu_queue.h"
#include "cpu_worker.h"
#include "lcu_room.h"

enum {
  DEVICE_KINDS = 1u << CPU_MEM_DEVICE | 1u << CPU_MEM_MANAGED | 1u << CPU_MEM_SHARED,
};

static cu_result allocate_block (const char *call, size_t n, cpu_kind kind, cpu_pool *pool,
                                 cpu_block **b) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (n == 0) return CU_ERR_INVALID_VALUE;
  r = cpu_block_alloc(call, n, 0, kind, pool, b);
  if (r == CU_ERR_OUT_OF_MEMORY && n <= cpu_config_memory()) {
    cpu_wait_all(); /* queued frees may make room */
    r = cpu_block_alloc(call, n, 0, kind, pool, b);
  }
  if (r == 0 && pool == NULL) (*b)->context = cpu_current();
  return r;
}

static cu_result allocate_address (const char *call, cu_deviceptr *p, size_t n, cpu_kind kind,
                                   cpu_pool *pool) {
  cpu_block *b;
  cu_result r = p != NULL ? allocate_block(call, n, kind, pool, &b) : CU_ERR_INVALID_VALUE;
  if (r == 0) *p = b->base;
  return r;
}

/* Frees memory after all work that may still use it is complete, as libcuda does. */
static cu_result free_waiting (const char *call, uint64_t address, unsigned kinds) {
  cpu_block *b;
  cu_result r = cpu_capture_forbid_unsafe();
  if (r == 0) r = cpu_block_claim(call, address, kinds, &b);
  if (r != 0) return r;
  cpu_wait_all();
  cpu_block_free(b);
  return 0;
}

cu_result cpu_cuMemGetInfo (size_t *free_, size_t *total) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (free_ == NULL || total == NULL) return CU_ERR_INVALID_VALUE;
  uint64_t idle, live = cpu_pools_use(&idle);
  *total = cpu_config_memory();
  *free_ = live < *total ? *total - (size_t)live : 0;
  uint64_t left = lcu_room_left();
  if (left < UINT64_MAX - idle && left + idle < *free_) *free_ = (size_t)(left + idle);
  return 0;
}

cu_result cpu_cuMemAlloc (cu_deviceptr *p, size_t n) {
  cu_result r = cpu_capture_forbid_unsafe();
  return r != 0 ? r : allocate_address("cuMemAlloc", p, n, CPU_MEM_DEVICE, NULL);
}

cu_result cpu_cuMemFree (cu_deviceptr p) {
  cu_result r = cpu_enter();
  if (r != 0 || p == 0) return r;
  return free_waiting("cuMemFree", p, DEVICE_KINDS);
}

cu_result cpu_cuMemAllocManaged (cu_deviceptr *p, size_t n, unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL_ && flags != CU_MEM_ATTACH_HOST_) return CU_ERR_INVALID_VALUE;
  cu_result r = cpu_capture_forbid_unsafe();
  return r != 0 ? r : allocate_address("cuMemAllocManaged", p, n, CPU_MEM_MANAGED, NULL);
}

/* In a capture, the memory becomes that of a node. */
static cu_result record_alloc (cu_deviceptr *p, size_t n, cu_mempool pool, cpu_stream *s) {
  cpu_block *b;
  cu_result r =
    cpu_plan_new("cuMemAllocFromPoolAsync", n, CPU_MEM_DEVICE, cpu_pool_device(pool), &b);
  if (r != 0) return r;
  r = cpu_capture_alloc(s, b);
  if (r == 0) *p = b->base;
  else cpu_plan_drop(b);
  return r;
}

cu_result cpu_cuMemAllocFromPoolAsync (cu_deviceptr *p, size_t n, cu_mempool pool,
                                       cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r == 0 && !cpu_pool_is(pool)) r = CU_ERR_INVALID_HANDLE;
  if (r == 0 && p == NULL) r = CU_ERR_INVALID_VALUE;
  if (r != 0) return r;
  *p = 0;
  if (n == 0) return 0; /* other allocations refuse this */
  if (cpu_capturing(s)) return record_alloc(p, n, pool, s);
  /* Queued work cannot refer to the new block, so the order of the stream does not matter. */
  return allocate_address("cuMemAllocFromPoolAsync", p, n, CPU_MEM_DEVICE, pool);
}

static void run_free (cpu_stream *s, cpu_op *op) {
  (void)s;
  cpu_block_free(op->block);
}

cu_result cpu_cuMemFreeAsync (cu_deviceptr p, cu_stream handle) {
  cpu_block *b;
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0 || p == 0) return r;
  if (cpu_capturing(s)) return cpu_capture_free("cuMemFreeAsync", s, p);
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_free);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  r = cpu_block_claim("cuMemFreeAsync", p, DEVICE_KINDS, &b);
  if (r != 0) {
    cpu_op_discard(op);
    return r;
  }
  op->block = b;
  cpu_submit(s, op, CPU_QUICK);
  return 0;
}

/* Where it is kept, a byte for each byte from p on to the end of its allocation, whether that was
 * written; NULL where it is not kept. */
cu_result cpu_cuxMemMarks (cu_deviceptr p, uint8_t **marks) {
  *marks = cpu_block_marks(p);
  return 0;
}


/* ---- host memory ---- */

cu_result cpu_cuMemHostAlloc (void **p, size_t n, unsigned flags) {
  cpu_block *b;
  if (p == NULL ||
      flags > (CU_HOSTALLOC_PORTABLE | CU_HOSTALLOC_DEVICEMAP | CU_HOSTALLOC_WRITECOMBINED))
    return CU_ERR_INVALID_VALUE;
  cu_result r = cpu_capture_forbid_unsafe();
  if (r == 0) r = allocate_block("cuMemHostAlloc", n, CPU_MEM_PINNED, NULL, &b);
  if (r != 0) return r;
  b->flags = flags;
  *p = (void *)(uintptr_t)b->base;
  return 0;
}

cu_result cpu_cuMemHostGetFlags (unsigned *flags, void *p) {
  cpu_facts f;
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (flags == NULL || !cpu_block_facts((uintptr_t)p, &f) || f.kind != CPU_MEM_PINNED)
    return CU_ERR_INVALID_VALUE;
  *flags = f.flags;
  return 0;
}

cu_result cpu_cuMemFreeHost (void *p) {
  cu_result r = cpu_enter();
  if (r != 0 || p == NULL) return r;
  return free_waiting("cuMemFreeHost", (uintptr_t)p, 1u << CPU_MEM_PINNED);
}

cu_result cpu_cuMemHostRegister (void *p, size_t n, unsigned flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (p == NULL || n == 0 || flags > 0xf || (uintptr_t)p > UINTPTR_MAX - n)
    return CU_ERR_INVALID_VALUE;
  r = cpu_capture_forbid_unsafe();
  return r != 0 ? r : cpu_block_register((uintptr_t)p, n);
}

cu_result cpu_cuMemHostUnregister (void *p) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (p == NULL) return CU_ERR_INVALID_VALUE;
  r = free_waiting("cuMemHostUnregister", (uintptr_t)p, 1u << CPU_MEM_REGISTERED);
  return r == CU_ERR_INVALID_VALUE ? CU_ERR_HOST_MEMORY_NOT_REGISTERED : r;
}
