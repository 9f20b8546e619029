/* cpu_range.c: entry points for virtual memory. A range of addresses is reserved without memory;
 * parts of memory are mapped to it one after the other from its start, and unmapped from its end.
 * They may have any size, so that the map knows the exact bytes that kernels may use. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* mmap without a file, madvise */
#endif
#include <sys/mman.h>
#include <unistd.h>

#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_pool.h"
#include "cpu_words.h"
#include "lcu_room.h"

enum { PART_MAGIC = 0x50415254 };

/* Memory made by cuMemCreate: freed when it is released and not mapped. */
typedef struct cpu_part {
  unsigned magic;
  bool mapped, released;
  size_t size;
  struct cpu_part *below; /* the part before it in its range */
} cpu_part;

static cpu_part *part_of (cu_mem_handle h) {
  cpu_part *p = (cpu_part *)(uintptr_t)h;
  return p != NULL && p->magic == PART_MAGIC && !p->released ? p : NULL;
}

static uint64_t page_up (uint64_t address) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  return (address + page - 1) / page * page;
}

/* The next two need the lock of the map. */
static void give_locked (size_t n) {
  cpu_pool_uncount(cpu_pool_default(), n);
  cpu_pool_unreserve(cpu_pool_default(), n);
  lcu_room_give(n);
}

static void free_part (cpu_part *p) {
  if (p->mapped || !p->released) return;
  give_locked(p->size);
  p->magic = 0;
  lcu_free(p);
}


/* ---- memory ---- */

cu_result cpu_cuMemGetAllocationGranularity (size_t *n, const cu_mem_prop *prop, int option) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (n == NULL || prop == NULL || option < 0 || option > 1) return CU_ERR_INVALID_VALUE;
  *n = 1;
  return 0;
}

static bool take (size_t n) {
  cpu_map_lock();
  bool ok = cpu_pool_reserve(cpu_pool_default(), n);
  if (ok && !lcu_room_take(n)) {
    cpu_pool_unreserve(cpu_pool_default(), n);
    ok = false;
  }
  if (ok) cpu_pool_count(cpu_pool_default(), n);
  cpu_map_unlock();
  return ok;
}

static void give (size_t n) {
  cpu_map_lock();
  give_locked(n);
  cpu_map_unlock();
}

cu_result cpu_cuMemCreate (cu_mem_handle *h, size_t n, const cu_mem_prop *prop,
                           unsigned long long flags) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (h == NULL || n == 0 || prop == NULL || flags != 0 || prop->type != CU_MEM_PINNED ||
      prop->location.type != CU_LOCATION_DEVICE || prop->location.id != 0)
    return CU_ERR_INVALID_VALUE;
  if (!take(n))
    return cpu_fail("cuMemCreate", CU_ERR_OUT_OF_MEMORY, "not enough memory: %zu bytes requested",
                    n);
  cpu_part *p = lcu_calloc(1, sizeof *p);
  if (p == NULL) {
    give(n);
    return CU_ERR_OUT_OF_MEMORY;
  }
  p->magic = PART_MAGIC;
  p->size = n;
  *h = (cu_mem_handle)(uintptr_t)p;
  return 0;
}

cu_result cpu_cuMemRelease (cu_mem_handle h) {
  cu_result r = cpu_enter_driver();
  cpu_part *p = r == 0 ? part_of(h) : NULL;
  if (p == NULL) return r != 0 ? r : CU_ERR_INVALID_VALUE;
  cpu_map_lock();
  p->released = true;
  free_part(p);
  cpu_map_unlock();
  return 0;
}


/* ---- ranges ---- */

/* Returns the memory and the addresses of a range that is not in the map any more. */
static void range_end (cpu_block *b) {
  for (cpu_part *p = b->parts, *below; p != NULL; p = below) {
    below = p->below;
    p->mapped = false;
    p->released = true;
    free_part(p);
  }
  munmap((void *)(uintptr_t)b->base, page_up(b->capacity) + page_up(1));
}

cu_result cpu_cuMemAddressReserve (cu_deviceptr *p, size_t n, size_t align, cu_deviceptr wish,
                                   unsigned long long flags) {
  cu_result r = cpu_enter_driver();
  (void)wish;
  if (r != 0) return r;
  if (p == NULL || n == 0 || flags != 0 || align > (size_t)sysconf(_SC_PAGESIZE))
    return CU_ERR_INVALID_VALUE;
  cpu_block *b = lcu_calloc(1, sizeof *b);
  if (b == NULL) return CU_ERR_OUT_OF_MEMORY;
  /* a page more, which never has memory, separates the range from others */
  void *at = mmap(NULL, page_up(n) + page_up(1), PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    lcu_free(b);
    return CU_ERR_OUT_OF_MEMORY;
  }
  *b = (cpu_block){
    .base = (uintptr_t)at,
    .capacity = n,
    .kind = CPU_MEM_MAPPED,
    .pool = cpu_pool_default(),
    .end = range_end,
  };
  cpu_map_lock();
  cpu_map_insert(b);
  cpu_map_unlock();
  *p = b->base;
  return 0;
}

/* The range that contains [p, p + n), or NULL. Needs the lock. */
static cpu_block *range_of (cu_deviceptr p, size_t n) {
  cpu_block *b = cpu_map_floor(p);
  bool inside =
    b != NULL && b->kind == CPU_MEM_MAPPED && n <= b->capacity && p - b->base <= b->capacity - n;
  return inside ? b : NULL;
}

cu_result cpu_cuMemAddressFree (cu_deviceptr p, size_t n) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  cpu_map_lock();
  cpu_block *b = range_of(p, n);
  bool whole = b != NULL && b->base == p && b->capacity == n && b->size == 0;
  if (whole) {
    cpu_map_remove(b);
    cpu_block_discard(b);
  }
  cpu_map_unlock();
  return whole ? 0 : CU_ERR_INVALID_VALUE;
}


/* ---- memory of ranges ---- */

/* Makes the pages of [p, p + n) usable. */
static bool open_pages (cu_deviceptr p, size_t n) {
  uint64_t page = page_up(1), first = p / page * page;
  return mprotect((void *)(uintptr_t)first, page_up(p + n) - first, PROT_READ | PROT_WRITE) == 0;
}

/* Gives the pages above the first `size` bytes back. */
static void close_pages (const cpu_block *b, size_t n) {
  uint64_t first = page_up(b->base + b->size), end = page_up(b->base + b->size + n);
  if (end == first) return;
  (void)madvise((void *)(uintptr_t)first, end - first, MADV_DONTNEED);
  (void)mprotect((void *)(uintptr_t)first, end - first, PROT_NONE);
}

static cu_result map_part (cu_deviceptr p, size_t n, cpu_part *part) {
  cpu_block *b = range_of(p, n);
  if (b == NULL || part->mapped || part->size != n) return CU_ERR_INVALID_VALUE;
  if (p != b->base + b->size) return CU_ERR_NOT_SUPPORTED;
  if (!open_pages(p, n)) return CU_ERR_OUT_OF_MEMORY;
  part->mapped = true;
  part->below = b->parts;
  b->parts = part;
  b->size += n;
  return 0;
}

cu_result cpu_cuMemMap (cu_deviceptr p, size_t n, size_t offset, cu_mem_handle h,
                        unsigned long long flags) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  cpu_part *part = part_of(h);
  if (part == NULL || offset != 0 || flags != 0) return CU_ERR_INVALID_VALUE;
  cpu_map_lock();
  r = map_part(p, n, part);
  cpu_map_unlock();
  return r;
}

/* Whole parts at the end. */
static cu_result unmap_parts (cu_deviceptr p, size_t n) {
  cpu_block *b = range_of(p, n);
  if (b == NULL || n == 0) return CU_ERR_INVALID_VALUE;
  if (p + n != b->base + b->size) return CU_ERR_NOT_SUPPORTED;
  while (b->parts != NULL && b->base + b->size - b->parts->size >= p && n > 0) {
    cpu_part *part = b->parts;
    b->parts = part->below;
    b->size -= part->size;
    close_pages(b, part->size);
    n -= part->size;
    part->mapped = false;
    free_part(part);
  }
  return n == 0 ? 0 : CU_ERR_INVALID_VALUE;
}

cu_result cpu_cuMemUnmap (cu_deviceptr p, size_t n) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  cpu_map_lock();
  r = unmap_parts(p, n);
  cpu_map_unlock();
  return r;
}

cu_result cpu_cuMemSetAccess (cu_deviceptr p, size_t n, const cu_pool_access *map, size_t count) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (map == NULL && count > 0) return CU_ERR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    if (map[i].location.type != CU_LOCATION_DEVICE || map[i].location.id != 0)
      return CU_ERR_INVALID_VALUE;
  return cpu_check_range("cuMemSetAccess", p, n);
}
