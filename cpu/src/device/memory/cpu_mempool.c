/* cpu_mempool.c: entry points for memory pools. */
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_map.h"
#include "cpu_pool.h"

static cu_result check (cu_mempool p) {
  cu_result r = cpu_enter();
  if (r == 0 && !cpu_pool_is(p)) r = CU_ERR_INVALID_HANDLE;
  return r;
}

cu_result cpu_cuMemPoolCreate (cu_mempool *pool, const cu_pool_props *props) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (pool == NULL || props == NULL || props->alloc_type != 1) return CU_ERR_INVALID_VALUE;
  if (props->location.type != 1 || props->location.id != 0) return CU_ERR_INVALID_VALUE;
  /* Pools cannot be shared with other processes. */
  if (props->handle_types != 0) return CU_ERR_NOT_SUPPORTED;
  cpu_pool *p = lcu_calloc(1, sizeof *p);
  if (p == NULL) return CU_ERR_OUT_OF_MEMORY;
  cpu_pool_begin(p, 0);
  cpu_map_lock();
  cpu_pool_add(p);
  cpu_map_unlock();
  *pool = p;
  return 0;
}

/* Blocks in use stay valid; the pool is freed with the last of them. */
cu_result cpu_cuMemPoolDestroy (cu_mempool pool) {
  cu_result r = check(pool);
  if (r != 0) return r;
  cpu_map_lock();
  bool destroyed = cpu_pool_destroy(pool);
  cpu_map_unlock();
  return destroyed ? 0 : CU_ERR_INVALID_VALUE;
}

cu_device cpu_pool_device (const cpu_pool *p) { return p->device; }

cu_result cpu_device_pool (cu_mempool *pool, cu_device dev, cpu_pool *(*of)(cu_device dev)) {
  if (pool == NULL) return CU_ERR_INVALID_VALUE;
  cpu_map_lock();
  *pool = of(dev);
  cpu_map_unlock();
  return 0;
}

cu_result cpu_device_set_pool (cu_device dev, cu_mempool pool) {
  if (!cpu_pool_is(pool) || pool->device != dev) return CU_ERR_INVALID_VALUE;
  cpu_map_lock();
  cpu_pool_set_current(dev, pool);
  cpu_map_unlock();
  return 0;
}

/* Current values cannot be set. Setting a high-water mark to 0 resets it. */
static cu_result set (cpu_pool *p, int attr, const void *value) {
  switch (attr) {
    case CU_POOL_REUSE_FOLLOW_EVENT:
    case CU_POOL_REUSE_OPPORTUNISTIC:
    case CU_POOL_REUSE_INTERNAL:
      p->reuse[attr - CU_POOL_REUSE_FOLLOW_EVENT] = *(const int *)value != 0;
      return 0;
    case CU_POOL_RELEASE_THRESHOLD: p->threshold = *(const uint64_t *)value; return 0;
    case CU_POOL_RESERVED_HIGH:
    case CU_POOL_USED_HIGH:
      if (*(const uint64_t *)value != 0) return CU_ERR_INVALID_VALUE;
      if (attr == CU_POOL_USED_HIGH) p->used_high = p->used;
      else p->reserved_high = p->reserved;
      return 0;
    default: return CU_ERR_INVALID_VALUE;
  }
}

cu_result cpu_cuMemPoolSetAttribute (cu_mempool pool, int attr, void *value) {
  cu_result r = check(pool);
  if (r != 0) return r;
  if (value == NULL) return CU_ERR_INVALID_VALUE;
  cpu_map_lock();
  r = set(pool, attr, value);
  cpu_map_unlock();
  return r;
}

static cu_result get (const cpu_pool *p, int attr, void *value) {
  switch (attr) {
    case CU_POOL_REUSE_FOLLOW_EVENT:
    case CU_POOL_REUSE_OPPORTUNISTIC:
    case CU_POOL_REUSE_INTERNAL:
      *(int *)value = p->reuse[attr - CU_POOL_REUSE_FOLLOW_EVENT];
      return 0;
    case CU_POOL_RELEASE_THRESHOLD: *(uint64_t *)value = p->threshold; return 0;
    case CU_POOL_RESERVED_CURRENT: *(uint64_t *)value = p->reserved; return 0;
    case CU_POOL_RESERVED_HIGH: *(uint64_t *)value = p->reserved_high; return 0;
    case CU_POOL_USED_CURRENT: *(uint64_t *)value = p->used; return 0;
    case CU_POOL_USED_HIGH: *(uint64_t *)value = p->used_high; return 0;
    default: return CU_ERR_INVALID_VALUE;
  }
}

cu_result cpu_cuMemPoolGetAttribute (cu_mempool pool, int attr, void *value) {
  cu_result r = check(pool);
  if (r != 0) return r;
  if (value == NULL) return CU_ERR_INVALID_VALUE;
  cpu_map_lock();
  r = get(pool, attr, value);
  cpu_map_unlock();
  return r;
}

cu_result cpu_cuMemPoolTrimTo (cu_mempool pool, size_t keep) {
  cu_result r = check(pool);
  if (r != 0) return r;
  cpu_map_lock();
  cpu_pool_trim(pool, keep);
  cpu_map_unlock();
  return 0;
}

/* The only device always has access. */
cu_result cpu_cuMemPoolSetAccess (cu_mempool pool, const cu_pool_access *map, size_t count) {
  cu_result r = check(pool);
  if (r != 0) return r;
  if (map == NULL && count != 0) return CU_ERR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    if (map[i].location.type != 1 || map[i].location.id != 0 || map[i].flags != 3)
      return CU_ERR_INVALID_VALUE;
  return 0;
}
