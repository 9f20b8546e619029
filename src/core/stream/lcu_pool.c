/* lcu_pool.c: allocation from a device's pool, or plain allocation where the driver has no
 * pools. */
#include "lcu_pool.h"

#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_pool_record.h"
#include "lcu_stream.h"

/* The driver's first allocation from a pool takes milliseconds (7 on an H200), a plain allocation
 * does not. So the first small allocations are plain ones, and a process that needs little memory
 * avoids the delay. */
enum { EARLY_SIZE = 16 << 10, EARLY_TOTAL = 256 << 10 };

static bool driver_has_pools (const lcu_driver *drv) {
  return drv->cuMemPoolCreate != NULL && drv->cuMemPoolDestroy != NULL &&
         drv->cuMemPoolSetAttribute != NULL && drv->cuMemAllocFromPoolAsync != NULL &&
         drv->cuMemFreeAsync != NULL;
}

/* Memory stays in the pool until it is trimmed: releasing it at every wait would be far too
 * slow. */
static lcu_status create_pool_handle (lcu_device *d, lcu_pool *p) {
  cu_pool_props props = { .alloc_type = 1, .location = { .type = 1, .id = d->handle } };
  uint64_t keep = UINT64_MAX;
  int has = 0;
  LCU_TRY(
    LCU_CALL(d->drv, cuDeviceGetAttribute, (&has, CU_ATTR_memory_pools_supported, d->handle)));
  if (has == 0) return LCU_OK;
  LCU_TRY(LCU_CALL(d->drv, cuMemPoolCreate, (&p->handle, &props)));
  lcu_status st =
    LCU_CALL(d->drv, cuMemPoolSetAttribute, (p->handle, CU_POOL_RELEASE_THRESHOLD, &keep));
  if (st == LCU_OK) return LCU_OK;
  d->drv->cuMemPoolDestroy(p->handle);
  return st;
}

lcu_status lcu_pool_create (lcu_device *d, lcu_pool **out) {
  lcu_pool *p = lcu_calloc(1, sizeof *p);
  *out = NULL;
  if (p == NULL) return lcu_no_memory("a memory pool");
  lcu_spares_init(&p->spares);
  lcu_status st = driver_has_pools(d->drv) ? create_pool_handle(d, p) : LCU_OK;
  if (st == CU_ERR_NOT_SUPPORTED) {
    p->handle = NULL;
    st = LCU_OK;
  }
  if (st != LCU_OK) lcu_free(p);
  else *out = p;
  return st;
}

void lcu_pool_forget (lcu_pool *p) { lcu_free(p); }

void lcu_pool_destroy (lcu_device *d, lcu_pool *p) {
  if (p == NULL) return;
  for (cu_deviceptr spare; (spare = lcu_spares_drop(&p->spares)) != 0;)
    lcu_device_defer(d, LCU_CALL(d->drv, cuMemFreeAsync, (spare, NULL)));
  if (p->handle != NULL) lcu_device_defer(d, LCU_CALL(d->drv, cuMemPoolDestroy, (p->handle)));
  lcu_free(p);
}

/* ---- allocation; the device is entered ---- */

static void note_high (lcu_pool *p, size_t used) {
  size_t high = atomic_load_explicit(&p->used_high, memory_order_relaxed);
  while (high < used && !atomic_compare_exchange_weak(&p->used_high, &high, used)) continue;
}

/* Reserves the bytes first, so that two threads cannot both get the last ones below the limit. */
static lcu_status take (lcu_pool *p, size_t size) {
  size_t limit = atomic_load_explicit(&p->limit, memory_order_relaxed);
  size_t used = atomic_fetch_add(&p->used, size) + size;
  if (lcu_likely(limit == 0 || used <= limit)) return LCU_OK;
  atomic_fetch_sub(&p->used, size);
  return lcu_fail_call(CU_ERR_OUT_OF_MEMORY, "cuMemAlloc", "the pool's limit is reached");
}

static bool is_early (lcu_pool *p, size_t size) {
  if (lcu_likely(atomic_load_explicit(&p->warm, memory_order_relaxed)) || p->handle == NULL)
    return false;
  if (size <= EARLY_SIZE && atomic_fetch_add(&p->early, size) + size <= EARLY_TOTAL) return true;
  atomic_store_explicit(&p->warm, true, memory_order_relaxed);
  return false;
}

/* Memory of the CPU device is freed immediately, so that uses after the free are found. */
static bool may_spare (const lcu_device *d, size_t size, const lcu_stream *home) {
  return home == d->null_stream && size <= LCU_SPARE_SIZE && !d->host_memory;
}

static cu_deviceptr take_spare (lcu_device *d, size_t size) {
  pthread_mutex_lock(&d->lock);
  cu_deviceptr found = lcu_spares_take(&d->pool->spares, size);
  pthread_mutex_unlock(&d->lock);
  return found;
}

static bool keep_spare (lcu_device *d, cu_deviceptr address, size_t size) {
  pthread_mutex_lock(&d->lock);
  bool kept = lcu_spares_keep(&d->pool->spares, address, size);
  pthread_mutex_unlock(&d->lock);
  return kept;
}

static cu_deviceptr any_spare (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  cu_deviceptr found = lcu_spares_drop(&d->pool->spares);
  pthread_mutex_unlock(&d->lock);
  return found;
}

/* Gives all spares back to the driver's pool. */
lcu_status lcu_pool_drop_spares (lcu_device *d) {
  lcu_status st = LCU_OK;
  for (cu_deviceptr spare; st == LCU_OK && (spare = any_spare(d)) != 0;)
    st = LCU_CALL(d->drv, cuMemFreeAsync, (spare, d->null_stream->handle));
  return st;
}

static lcu_status ordered_alloc (lcu_device *d, size_t size, lcu_stream *home, cu_deviceptr *out) {
  if (may_spare(d, size, home)) {
    *out = take_spare(d, size);
    if (*out != 0) return LCU_OK;
    size = lcu_spare_round(size);
  }
  return LCU_CALL(d->drv, cuMemAllocFromPoolAsync, (out, size, d->pool->handle, home->handle));
}

/* Where there is no room for another spare all are freed, so that sizes no longer in use do not
 * occupy the room forever. */
static lcu_status ordered_free (lcu_device *d, cu_deviceptr ptr, size_t size, lcu_stream *home) {
  if (may_spare(d, size, home)) {
    if (lcu_likely(keep_spare(d, ptr, size))) return LCU_OK;
    LCU_TRY(lcu_pool_drop_spares(d));
    if (keep_spare(d, ptr, size)) return LCU_OK;
  }
  return LCU_CALL(d->drv, cuMemFreeAsync, (ptr, home->retired ? NULL : home->handle));
}

static lcu_status plain_alloc (lcu_device *d, size_t size, cu_deviceptr *out) {
  LCU_TRY(lcu_comm_guard_device(d));
  LCU_TRY(LCU_CALL(d->drv, cuMemAlloc, (out, size)));
  if (d->pool->handle != NULL) atomic_fetch_add(&d->pool->early_used, size);
  return LCU_OK;
}

lcu_status lcu_pool_alloc (lcu_device *d, size_t size, lcu_stream *home, cu_deviceptr *out,
                           bool *ordered) {
  lcu_pool *p = d->pool;
  *out = 0;
  LCU_TRY(take(p, size));
  *ordered = p->handle != NULL && !is_early(p, size);
  lcu_status st =
    lcu_likely(*ordered) ? ordered_alloc(d, size, home, out) : plain_alloc(d, size, out);
  if (lcu_unlikely(st != LCU_OK)) {
    atomic_fetch_sub(&p->used, size);
    return st;
  }
  note_high(p, atomic_load_explicit(&p->used, memory_order_relaxed));
  return LCU_OK;
}

static lcu_status plain_free (lcu_device *d, cu_deviceptr ptr, size_t size) {
  if (d->pool->handle != NULL) atomic_fetch_sub(&d->pool->early_used, size);
  lcu_device_defer(d, lcu_comm_guard_device(d));
  return LCU_CALL(d->drv, cuMemFree, (ptr));
}

void lcu_pool_free (lcu_device *d, cu_deviceptr ptr, size_t size, lcu_stream *home, bool ordered) {
  lcu_pool *p = d->pool;
  lcu_status st = lcu_likely(ordered) ? ordered_free(d, ptr, size, home) : plain_free(d, ptr, size);
  lcu_device_defer(d, lcu_device_status(d, st));
  atomic_fetch_sub(&p->used, size);
}

void lcu_pool_count_locked (lcu_device *d, bool born) {
  if (born) d->pool->allocations++;
  else d->pool->frees++;
}

size_t lcu_pool_used (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  size_t n = d->pool != NULL ? atomic_load_explicit(&d->pool->used, memory_order_relaxed) : 0;
  pthread_mutex_unlock(&d->lock);
  return n;
}
