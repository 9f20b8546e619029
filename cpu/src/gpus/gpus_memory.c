/* gpus_memory.c: which GPU memory is on, and which memory a GPU may use. */
#include "gpus_parts.h"

#include <string.h>

#include "cpu_map.h"
#include "cpu_pool.h"

/* A GPU lays open all memory that shares a piece of 2 MB with memory for other processes: here only
 * whole pieces can be opened. Memory is mapped in pieces as large as those of some GPU. */
enum { IPC_UNIT = 2 << 20, MAP_UNIT = 64 << 10 };


/* ---- owners ---- */

/* The GPU that the memory at an address is on; -1: no certain one. */
static cu_device owner_of (cu_deviceptr p, cpu_facts *f) {
  if (!cpu_block_facts(p, f)) return -1;
  if (f->pool != NULL) return f->pool->device;
  return f->context != cpu_primary() ? f->context->device : -1;
}

static bool is_apart (cpu_kind kind) {
  return kind == CPU_MEM_DEVICE || kind == CPU_MEM_SHARED || kind == CPU_MEM_OPENED;
}

static bool may_use (cu_deviceptr p, cu_device dev) {
  cpu_facts f;
  cu_device owner = owner_of(p, &f);
  if (owner < 0 || owner == dev || !is_apart(f.kind) || f.open) return true;
  return f.pool != NULL ? gpus_reach_pools(dev, owner) : gpus_reach(dev, owner);
}

/* Treats every aligned 8 bytes of an argument as a possible address. */
static bool may_use_argument (const char *argument, size_t size, cu_device dev) {
  cu_deviceptr p;
  for (size_t at = 0; at + sizeof p <= size; at += sizeof p) {
    memcpy(&p, argument + at, sizeof p);
    if (!may_use(p, dev)) return false;
  }
  return true;
}

/* A launch fails if an argument points to memory that the current GPU may not use. (The kernel of a
 * GPU would fault.) */
static cu_result check_arguments (cu_function f, void **params) {
  size_t offset, size;
  cu_result r = params != NULL && cpu_configuration.gpus > 1 ? cpu_enter() : CU_ERR_INVALID_VALUE;
  if (r != 0) return 0; /* nothing to check; cuLaunchKernel finds what is wrong */
  cu_device dev = cpu_current()->device;
  for (size_t i = 0; cpu_cuFuncGetParamInfo(f, i, &offset, &size) == 0; i++)
    if (!may_use_argument(params[i], size, dev)) return CU_ERR_PEER_ACCESS_NOT_ENABLED;
  return 0;
}

static cu_result launch (cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                         unsigned by, unsigned bz, unsigned shared, cu_stream s, void **params,
                         void **extra) {
  cu_result r = check_arguments(f, params);
  return r != 0 ? r : cpu_cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, params, extra);
}

/* The CPU device is one device: it takes all memory for its own. */
static cu_result describe (unsigned n, int *attrs, void **data, cu_deviceptr p) {
  cpu_facts f;
  cu_result r = cpu_cuPointerGetAttributes(n, attrs, data, p);
  cu_device owner = r == 0 ? owner_of(p, &f) : -1;
  for (unsigned i = 0; owner > 0 && i < n; i++)
    if (attrs[i] == CU_POINTER_DEVICE_ORDINAL) *(int *)data[i] = owner;
  return r;
}

static cu_result describe_one (void *data, int attr, cu_deviceptr p) {
  cpu_facts f;
  cu_result r = cpu_cuPointerGetAttribute(data, attr, p);
  if (r == 0 && attr == CU_POINTER_DEVICE_ORDINAL && owner_of(p, &f) > 0)
    *(int *)data = owner_of(p, &f);
  return r;
}


/* ---- memory of processes ---- */

/* Such memory belongs to no context of the CPU device. */
static void own (cu_deviceptr p) {
  cpu_map_lock();
  cpu_block *b = cpu_map_floor(p);
  if (b != NULL && b->base == p) b->context = cpu_current();
  cpu_map_unlock();
}

static cu_result allocate (cu_deviceptr *p, size_t n) {
  if (n % IPC_UNIT != 0) return cpu_cuMemAlloc(p, n);
  cu_result r = cpu_cuxMemAllocShared(p, n);
  if (r == 0) own(*p);
  return r;
}

static cu_result open_memory (cu_deviceptr *p, cu_ipc_memory h, unsigned flags) {
  cu_result r = cpu_cuIpcOpenMemHandle(p, h, flags);
  if (r == 0) own(*p);
  return r;
}


/* ---- pools ---- */

static cu_result create_pool (cu_mempool *pool, const cu_pool_props *props) {
  if (props == NULL) return cpu_cuMemPoolCreate(pool, props);
  cu_device dev = props->location.id;
  cu_pool_props real = *props;
  if (!gpus_know(dev)) return CU_ERR_INVALID_VALUE;
  real.location.id = 0;
  cu_result r = cpu_cuMemPoolCreate(pool, &real);
  if (r == 0) (*pool)->device = dev;
  return r;
}

static cu_result share_pool (cu_mempool pool, const cu_pool_access *map, size_t count) {
  cu_result r = cpu_cuMemPoolSetAccess(pool, NULL, 0);
  for (size_t i = 0; r == 0 && i < count; i++)
    if (map[i].location.type != 1 || !gpus_know(map[i].location.id) ||
        (map[i].flags != 0 && map[i].flags != CU_ACCESS_BOTH))
      r = CU_ERR_INVALID_VALUE;
  for (size_t i = 0; r == 0 && i < count; i++)
    gpus_set_reach_pools(map[i].location.id, pool->device, map[i].flags != 0);
  return r;
}


/* ---- places ---- */

static cu_result advise (cu_deviceptr p, size_t n, int advice, cu_device dev) {
  if (dev == CU_DEVICE_HOST) return cpu_cuMemAdvise(p, n, advice, dev);
  return GPUS_CALL(dev, cuMemAdvise(p, n, advice, 0));
}

static cu_result prefetch (cu_deviceptr p, size_t n, cu_device dev, cu_stream s) {
  if (dev == CU_DEVICE_HOST) return cpu_cuMemPrefetchAsync(p, n, dev, s);
  return GPUS_CALL(dev, cuMemPrefetchAsync(p, n, 0, s));
}

static cu_result create_memory (cu_mem_handle *h, size_t n, const cu_mem_prop *prop,
                                unsigned long long flags) {
  if (prop == NULL) return cpu_cuMemCreate(h, n, prop, flags);
  cu_mem_prop real = *prop;
  real.location.id = 0;
  return GPUS_CALL(prop->location.id, cuMemCreate(h, n, &real, flags));
}

static cu_result set_access (cu_deviceptr p, size_t n, const cu_pool_access *map, size_t count) {
  if (map == NULL && count != 0) return CU_ERR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    if (!gpus_know(map[i].location.id) || map[i].flags != CU_ACCESS_BOTH)
      return CU_ERR_INVALID_VALUE;
  return cpu_cuMemSetAccess(p, n, NULL, 0);
}

static cu_result get_unit (size_t *n, const cu_mem_prop *prop, int option) {
  cu_result r = cpu_cuMemGetAllocationGranularity(n, prop, option);
  if (r == 0) *n = MAP_UNIT;
  return r;
}

void gpus_fill_memory (lcu_driver *table) {
  table->cuLaunchKernel = launch;
  table->cuPointerGetAttributes = describe;
  table->cuPointerGetAttribute = describe_one;
  table->cuMemAlloc = allocate;
  table->cuIpcOpenMemHandle = open_memory;
  table->cuMemPoolCreate = create_pool;
  table->cuMemPoolSetAccess = share_pool;
  table->cuMemAdvise = advise;
  table->cuMemPrefetchAsync = prefetch;
  table->cuMemCreate = create_memory;
  table->cuMemSetAccess = set_access;
  table->cuMemGetAllocationGranularity = get_unit;
}
