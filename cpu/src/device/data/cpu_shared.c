/* cpu_shared.c: entry points for memory that several processes share, where they wait for work. */
#include "cpu_capture.h"
#include "cpu_enter.h"
#include "cpu_memory.h"
#include "cpu_pool.h"
#include "cpu_share.h"
#include "cpu_words.h"
#include "cpu_worker.h"
#include "lcu_room.h"

static bool take (size_t n) {
  cpu_map_lock();
  bool ok = cpu_pool_reserve(cpu_pool_default(), n);
  cpu_map_unlock();
  if (!ok || lcu_room_take(n)) return ok;
  cpu_map_lock();
  cpu_pool_unreserve(cpu_pool_default(), n);
  cpu_map_unlock();
  return false;
}

static void give (size_t n) {
  lcu_room_give(n);
  cpu_map_lock();
  cpu_pool_unreserve(cpu_pool_default(), n);
  cpu_map_unlock();
}

/* Queued frees, quarantine and caches may hold the memory. */
static bool take_or_trim (size_t n) {
  if (take(n)) return true;
  cpu_wait_all();
  cpu_map_lock();
  cpu_pools_trim();
  cpu_map_unlock();
  return take(n);
}

cu_result cpu_cuxMemAllocShared (cu_deviceptr *p, size_t n) {
  static const char call[] = "cuMemAlloc";
  cpu_block *b;
  cu_result r = cpu_enter();
  if (r == 0) r = cpu_capture_forbid_unsafe();
  if (r != 0) return r;
  if (p == NULL || n == 0) return CU_ERR_INVALID_VALUE;
  if (!take_or_trim(n))
    return cpu_fail(call, CU_ERR_OUT_OF_MEMORY, "not enough memory: %zu bytes requested", n);
  r = cpu_share_make(call, n, &b);
  if (r != 0) {
    give(n);
    return r;
  }
  cpu_map_lock();
  cpu_block_enter(b);
  cpu_pool_use(b);
  cpu_map_unlock();
  *p = b->base;
  return 0;
}

cu_result cpu_cuIpcCloseMemHandle (cu_deviceptr p) {
  cpu_block *b;
  bool last;
  cu_result r = cpu_enter();
  if (r == 0) r = cpu_share_close(p, &last);
  if (r != 0 || !last) return r;
  r = cpu_block_claim("cuIpcCloseMemHandle", p, 1u << CPU_MEM_OPENED, &b);
  if (r != 0) return r;
  cpu_wait_all();
  cpu_block_free(b);
  return 0;
}
