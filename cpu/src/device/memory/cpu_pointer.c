/* cpu_pointer.c: entry points that describe memory by its address. */
#include <string.h>

#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_map.h"
#include "cpu_pool.h"

cu_result cpu_cuMemHostGetDevicePointer (cu_deviceptr *d, void *p, unsigned flags) {
  cpu_facts f;
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (d == NULL || flags != 0 || !cpu_block_facts((uintptr_t)p, &f)) return CU_ERR_INVALID_VALUE;
  if (f.kind != CPU_MEM_PINNED && f.kind != CPU_MEM_REGISTERED) return CU_ERR_INVALID_VALUE;
  *d = (uintptr_t)p;
  return 0;
}

/* The type of *data depends on the attribute, as with libcuda. */
static cu_result read_attribute (void *data, int attr, cu_deviceptr p, const cpu_facts *f) {
  bool host = f->kind == CPU_MEM_PINNED || f->kind == CPU_MEM_REGISTERED;
  switch (attr) {
    case CU_POINTER_CONTEXT: *(cu_context *)data = f->context; return 0;
    case CU_POINTER_MEMORY_TYPE:
      *(unsigned *)data = host ? CU_MEMTYPE_HOST : CU_MEMTYPE_DEVICE;
      return 0;
    case CU_POINTER_DEVICE_POINTER: *(cu_deviceptr *)data = p; return 0;
    case CU_POINTER_HOST_POINTER:
      if (!host && f->kind != CPU_MEM_MANAGED) return CU_ERR_INVALID_VALUE;
      *(void **)data = (void *)(uintptr_t)p;
      return 0;
    case CU_POINTER_IS_MANAGED: *(unsigned *)data = f->kind == CPU_MEM_MANAGED; return 0;
    case CU_POINTER_DEVICE_ORDINAL: *(int *)data = 0; return 0;
    case CU_POINTER_RANGE_START_ADDR: *(cu_deviceptr *)data = f->base; return 0;
    case CU_POINTER_RANGE_SIZE: *(size_t *)data = f->size; return 0;
    case CU_POINTER_ACCESS_FLAGS: *(int *)data = CU_ACCESS_BOTH; return 0;
    case CU_POINTER_POOL: *(cu_mempool *)data = cpu_pool_is(f->pool) ? f->pool : NULL; return 0;
    case CU_POINTER_BUFFER_ID: *(uint64_t *)data = f->id; return 0;
    case CU_POINTER_HANDLE_TYPES: *(uint64_t *)data = 0; return 0;
    case CU_POINTER_SYNC_MEMOPS: *(unsigned *)data = f->sync; return 0;
    case CU_POINTER_IPC_CAPABLE: *(unsigned *)data = f->kind == CPU_MEM_SHARED; return 0;
    case CU_POINTER_MAPPED: *(unsigned *)data = 1; return 0;
    case CU_POINTER_RDMA_CAPABLE: *(unsigned *)data = 0; return 0;
    default: return CU_ERR_INVALID_VALUE;
  }
}

/* Neither of these needs a context. */
cu_result cpu_cuPointerGetAttribute (void *data, int attr, cu_deviceptr p) {
  cpu_facts f;
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (data == NULL || !cpu_block_facts(p, &f)) return CU_ERR_INVALID_VALUE;
  return read_attribute(data, attr, p, &f);
}

/* The bytes of an attribute; 0: unknown. */
static size_t width_of (int attr) {
  switch (attr) {
    case CU_POINTER_MEMORY_TYPE:
    case CU_POINTER_IS_MANAGED:
    case CU_POINTER_DEVICE_ORDINAL:
    case CU_POINTER_SYNC_MEMOPS:
    case CU_POINTER_IPC_CAPABLE:
    case CU_POINTER_MAPPED:
    case CU_POINTER_RDMA_CAPABLE:
    case CU_POINTER_ACCESS_FLAGS: return sizeof(int);
    case CU_POINTER_CONTEXT:
    case CU_POINTER_DEVICE_POINTER:
    case CU_POINTER_HOST_POINTER:
    case CU_POINTER_RANGE_START_ADDR:
    case CU_POINTER_RANGE_SIZE:
    case CU_POINTER_BUFFER_ID:
    case CU_POINTER_HANDLE_TYPES:
    case CU_POINTER_POOL: return sizeof(void *);
    default: return 0;
  }
}

/* As libcuda: what does not apply is zero, also for addresses that are no memory. */
cu_result cpu_cuPointerGetAttributes (unsigned n, int *attrs, void **data, cu_deviceptr p) {
  cpu_facts f;
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (n == 0 || attrs == NULL || data == NULL) return CU_ERR_INVALID_VALUE;
  bool known = cpu_block_facts(p, &f);
  for (unsigned i = 0; i < n; i++) {
    if (data[i] == NULL || width_of(attrs[i]) == 0) return CU_ERR_INVALID_VALUE;
    memset(data[i], 0, width_of(attrs[i]));
    if (known) (void)read_attribute(data[i], attrs[i], p, &f);
  }
  return 0;
}

/* Copies and fills that the program waits for are complete when they return, whatever it sets. */
cu_result cpu_cuPointerSetAttribute (const void *value, int attr, cu_deviceptr p) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (value == NULL || attr != CU_POINTER_SYNC_MEMOPS) return CU_ERR_INVALID_VALUE;
  cpu_map_lock();
  cpu_block *b = cpu_map_floor(p);
  bool ok = b != NULL && b->life == CPU_LIVE && p - b->base < b->size;
  if (ok) b->sync = *(const unsigned *)value != 0;
  cpu_map_unlock();
  return ok ? 0 : CU_ERR_INVALID_VALUE;
}
