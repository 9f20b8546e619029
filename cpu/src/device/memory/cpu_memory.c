/* cpu_memory.c: allocating and freeing blocks of memory. A red zone of 256 bytes before and after
 * each block belongs to no other block, so that an access just past the end is detected. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* madvise */
#endif
#include "cpu_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "cpu_config.h"
#include "cpu_enter.h"
#include "cpu_plan.h"
#include "cpu_pool.h"
#include "cpu_words.h"
#include "lcu_room.h"

enum { RED_ZONE = 256 };
static const size_t MOST = (size_t)1 << 46;
static const size_t LARGE = (size_t)4 << 20; /* contains a large page, wherever it starts */

static void place (cpu_block *b, size_t n, size_t align) {
  uint64_t first = (uint64_t)(uintptr_t)b->raw + RED_ZONE;
  b->base = (first + align - 1) / align * align;
  b->size = n;
  b->life = CPU_LIVE;
}

/* Asks for large pages, which are cleared faster and looked up less often. */
static void want_large_pages (const void *raw, size_t bytes) {
#ifdef MADV_HUGEPAGE
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)raw,
            first = (from + page - 1) / page * page, end = (from + bytes) / page * page;
  if (bytes >= LARGE) (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
  (void)raw;
  (void)bytes;
#endif
}

static cpu_block *from_system (size_t capacity, size_t align) {
  size_t slack = align > CPU_BLOCK_UNIT ? align : 0;
  if (!lcu_room_take(capacity)) return NULL;
  cpu_block *b = lcu_calloc(1, sizeof *b);
  if (b == NULL ||
      posix_memalign(&b->raw, CPU_BLOCK_UNIT, RED_ZONE + slack + capacity + RED_ZONE) != 0) {
    lcu_room_give(capacity);
    lcu_free(b);
    return NULL;
  }
  b->capacity = capacity;
  want_large_pages(b->raw, capacity);
  return b;
}

/* The program may free host memory without unregistering it, and the system may then hand it to us:
 * removes such stale entries from the map. Needs the lock. */
static void evict_stale (const cpu_block *b) {
  cpu_block *old;
  while ((old = cpu_map_overlap(b->base, b->capacity)) != NULL && old->kind == CPU_MEM_REGISTERED) {
    cpu_map_remove(old);
    cpu_block_discard(old);
  }
}

void cpu_block_enter (cpu_block *b) {
  evict_stale(b);
  cpu_map_insert(b);
}

/* Takes a block from the pool's cache, or reserves `capacity` bytes within the limit
 * (*reserved). */
static cpu_block *reserve (cpu_pool *p, size_t capacity, bool cached, bool *reserved) {
  cpu_map_lock();
  cpu_block *b = cached ? cpu_pool_take(p, capacity) : NULL;
  *reserved = b == NULL && cpu_pool_reserve(p, capacity);
  cpu_map_unlock();
  return b;
}

static void unreserve (cpu_pool *p, size_t capacity) {
  cpu_map_lock();
  cpu_pool_unreserve(p, capacity);
  cpu_map_unlock();
}

/* With all checks on, device memory starts as not written. Out of memory: nothing is kept. */
static void watch_writes (cpu_block *b) {
  lcu_free(b->written);
  b->written = b->kind == CPU_MEM_DEVICE && cpu_configuration.check == PTX_CHECK_ALL
                 ? lcu_calloc(b->size, 1)
                 : NULL;
}

static cpu_block *try_alloc (size_t n, size_t align, cpu_kind kind, cpu_pool *p) {
  size_t capacity = cpu_pool_capacity(n);
  bool reserved;
  cpu_block *b = reserve(p, capacity, kind == CPU_MEM_DEVICE && align == CPU_BLOCK_UNIT, &reserved);
  if (b == NULL && reserved && (b = from_system(capacity, align)) == NULL) unreserve(p, capacity);
  if (b == NULL) return NULL;
  b->kind = kind;
  b->pool = p;
  b->context = NULL;
  place(b, n, align);
  watch_writes(b);
  cpu_map_lock();
  cpu_block_enter(b);
  cpu_pool_use(b);
  cpu_map_unlock();
  return b;
}

static cu_result out_of_memory (const char *call, size_t n) {
  uint64_t idle, live = cpu_pools_use(&idle), left = lcu_room_left();
  size_t memory = cpu_config_memory();
  if (live <= memory && n <= memory - live && left < n)
    return cpu_fail(call, CU_ERR_OUT_OF_MEMORY,
                    "not enough memory: %zu bytes requested, the system has %" PRIu64 " left", n,
                    left);
  return cpu_fail(call, CU_ERR_OUT_OF_MEMORY,
                  "not enough memory: %zu bytes requested, %" PRIu64 " of %zu in use", n, live,
                  memory);
}

cu_result cpu_block_alloc (const char *call, size_t n, size_t align, cpu_kind kind, cpu_pool *pool,
                           cpu_block **out) {
  cpu_pool *p = pool != NULL ? pool : cpu_pool_default();
  if (align < CPU_BLOCK_UNIT) align = CPU_BLOCK_UNIT;
  *out = n <= MOST ? try_alloc(n, align, kind, p) : NULL;
  if (*out == NULL && n <= MOST) {
    cpu_map_lock();
    cpu_pools_trim();
    cpu_map_unlock();
    *out = try_alloc(n, align, kind, p);
  }
  return *out != NULL ? 0 : out_of_memory(call, n);
}

void cpu_block_give (cpu_block *b) {
  b->life = CPU_DEAD;
  if (b->close != NULL) b->close(b);
  if (b->kind == CPU_MEM_REGISTERED || b->kind == CPU_MEM_OPENED) {
    cpu_map_remove(b);
    cpu_block_discard(b);
  } else {
    cpu_pool_give(b);
  }
}

void cpu_block_free (cpu_block *b) {
  if (b->plan != NULL) {
    cpu_plan_free(b);
    return;
  }
  cpu_map_lock();
  cpu_block_give(b);
  cpu_map_unlock();
}

cu_result cpu_block_register (uint64_t address, size_t n) {
  cpu_block *b = lcu_calloc(1, sizeof *b);
  if (b == NULL) return CU_ERR_OUT_OF_MEMORY;
  *b = (cpu_block){ .base = address,
                    .size = n,
                    .capacity = n,
                    .kind = CPU_MEM_REGISTERED,
                    .context = cpu_current(),
                    .pool = cpu_pool_default() };
  cpu_map_lock();
  bool taken = cpu_map_overlap(address, n) != NULL;
  if (!taken) cpu_map_insert(b);
  cpu_map_unlock();
  if (!taken) return 0;
  lcu_free(b);
  return CU_ERR_HOST_MEMORY_ALREADY_REGISTERED;
}

void cpu_memory_end (cu_context ctx) {
  for (cpu_block *b = cpu_blocks_claim(ctx), *next; b != NULL; b = next) {
    next = b->next;
    cpu_block_free(b);
  }
}

void cpu_memory_free_all (void) {
  cpu_map_lock();
  cpu_map_clear(cpu_block_discard);
  cpu_pools_free();
  cpu_map_unlock();
}

cu_result cpu_cuxShareRoom (struct lcu_room_account *account) {
  if (account == NULL) return CU_ERR_INVALID_VALUE;
  lcu_room_account_use(account);
  return 0;
}
