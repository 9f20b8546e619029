/* lcu_block.c: creating blocks of device memory, and their addresses on other devices. */
#include "lcu_block.h"

#include <stdio.h>

#include "lcu_device_failure.h"
#include "lcu_growth.h"
#include "lcu_peers.h"
#include "lcu_pool.h"
#include "lcu_scope.h"
#include "lcu_stream.h"
#include "lcu_wait.h"

/* ---- creation ---- */

/* *full: this allocation found no memory. (A failure that entering the device reports happened
 * earlier and says nothing about it.) */
static lcu_status try_alloc (lcu_block *b, bool *full) {
  lcu_scope scope;
  *full = false;
  LCU_TRY(lcu_device_enter(b->device, &scope));
  lcu_status st = lcu_pool_alloc(b->device, b->size, b->home, &b->address, &b->ordered);
  *full = st == CU_ERR_OUT_OF_MEMORY;
  if (lcu_unlikely(st != LCU_OK && !*full)) st = lcu_device_status(b->device, st);
  lcu_device_leave(&scope);
  return st;
}

static const char *human (char buf[32], size_t bytes) {
  static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB" };
  double v = (double)bytes;
  size_t u = 0;
  for (; v >= 1024 && u + 1 < lcu_arraylen(units); u++) v /= 1024;
  snprintf(buf, 32, u == 0 ? "%.0f %s" : "%.1f %s", v, units[u]);
  return buf;
}

static lcu_status fail_full (lcu_device *d, size_t size) {
  char want[32], free_[32], total[32], used[32], reserved[32], limit[48] = "", n[32];
  size_t f = 0, t = 0;
  lcu_pool_stats stats = { 0 };
  if (lcu_device_memory(d, &f, &t) != LCU_OK) f = t = 0;
  if (lcu_pool_stat(d, &stats) != LCU_OK) stats = (lcu_pool_stats){ 0 };
  if (stats.limit != 0) snprintf(limit, sizeof limit, ", its limit is %s", human(n, stats.limit));
  lcu_fail_call(CU_ERR_OUT_OF_MEMORY, "cuMemAlloc",
                "not enough memory: %s wanted, %s of %s free; the pool uses %s and holds %s%s",
                human(want, size), human(free_, f), human(total, t), human(used, stats.used),
                human(reserved, stats.reserved), limit);
  return lcu_fail_device(CU_ERR_OUT_OF_MEMORY, d->label);
}

static lcu_status alloc_again (lcu_block *b, bool wait) {
  bool full;
  LCU_TRY(lcu_device_make_room(b->device, wait));
  lcu_status st = try_alloc(b, &full);
  return full ? fail_full(b->device, b->size) : st;
}

static lcu_status alloc_memory (lcu_block *b, bool captured) {
  if (b->size == 0) return LCU_OK;
  bool full;
  lcu_status st = try_alloc(b, &full);
  if (lcu_unlikely(full)) st = alloc_again(b, !captured);
  if (st != LCU_OK) return st;
  b->pooled = true;
  return LCU_OK;
}

/* At first only the home stream uses the block; every stream has reached count 0. */
static void set_home (lcu_block *b, lcu_stream *home) {
  lcu_object_ref_many(&home->base, 2);
  b->home = home;
  b->marks[b->num_marks++] = (lcu_mark){ .stream = home };
  atomic_store_explicit(&b->sole, home, memory_order_relaxed);
}

lcu_status lcu_block_alloc (lcu_device *d, size_t size, lcu_stream *home, lcu_block **out) {
  *out = NULL;
  if (home == NULL) {
    LCU_TRY(lcu_device_open(d));
    home = d->null_stream;
  }
  /* memory is allocated now, not at each launch */
  bool captured = home->capture != NULL;
  if (captured) home = d->null_stream;
  lcu_block *b = lcu_block_new(d, LCU_MEM_DEVICE, size);
  if (b == NULL) return LCU_E_NOMEM;
  set_home(b, home);
  lcu_status st = alloc_memory(b, captured);
  if (lcu_unlikely(st != LCU_OK)) {
    lcu_unref(b);
    return st;
  }
  if (d->host_memory) b->host = (void *)(uintptr_t)b->address;
  lcu_block_enlist(b);
  *out = b;
  return LCU_OK;
}


/* ---- addresses on other devices ---- */

static lcu_status unreachable (const lcu_block *b, const lcu_device *d) {
  if (b->device->host_memory)
    return lcu_fail(
      LCU_E_ARGUMENT,
      "%s memory that %s cannot reach; copy it with :to(device), or make it with cuda.pinned",
      lcu_memory_name(b->memory), d->label);
  return lcu_fail(LCU_E_ARGUMENT, "memory of %s, which %s cannot reach; copy it with :to(device)",
                  b->device->label, d->label);
}

/* With unified addressing, which every 64-bit system has, host memory registered with the driver
 * has one address everywhere. */
static lcu_status host_address (lcu_block *b, lcu_device *d, cu_deviceptr *out) {
  lcu_scope scope;
  if (b->memory == LCU_MEM_MANAGED || b->managed) return LCU_OK;
  if (b->memory == LCU_MEM_PINNED && d->limits.unified) return LCU_OK;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st =
    lcu_device_status(d, LCU_CALL(d->drv, cuMemHostGetDevicePointer, (out, b->host, 0)));
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_block_address (lcu_block *b, lcu_device *d, cu_deviceptr *out) {
  *out = b->address;
  if (lcu_likely(b->device == d) || b->size == 0) return LCU_OK;
  if (lcu_unlikely(b->ended)) return lcu_block_fail_ended(b);
  if (b->host != NULL && b->pinned_for != NULL && b->pinned_for->drv == d->drv)
    return host_address(b, d, out);
  if (b->host != NULL && (d->host_memory || d->limits.host_pointers)) return LCU_OK;
  if (b->device->drv == d->drv && lcu_device_reaches(d, b->device))
    return b->growth != NULL ? lcu_growth_share(b, d) : LCU_OK;
  return unreachable(b, d);
}
