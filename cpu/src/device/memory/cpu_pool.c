/* cpu_pool.c: pools, and the quarantine of freed blocks. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* madvise */
#endif
#include "cpu_pool.h"

#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "cpu_config.h"
#include "lcu_room.h"

enum { QUARANTINE_COUNT = 4096 };
static const uint64_t QUARANTINE_BYTES = 64u << 20;
/* A block of this capacity or more gives its pages back when it enters the quarantine. */
static const size_t LARGE = 16u << 20;
static const uint64_t DEVICE_POOL_KEEP = 256u << 20;

static struct {
  uint64_t live, held;        /* bytes in use; bytes taken from the system */
  cpu_block *oldest, *newest; /* quarantine */
  uint64_t quarantine_bytes;
  unsigned quarantine_count;
  cpu_pool standard;                /* cpu_pool_default */
  cpu_pool devices[CPU_MOST_GPUS];  /* cpu_pool_of_device */
  cpu_pool *current[CPU_MOST_GPUS]; /* NULL: that one */
  cpu_pool graphs[CPU_MOST_GPUS];   /* cpu_pool_of_graphs */
  cpu_pool *first;                  /* the list of all others */
  unsigned doomed;                  /* destroyed pools in the list */
} pools = { .standard = { .threshold = DEVICE_POOL_KEEP, .standard = true } };


/* ---- sizes ---- */

/* p with 2^p < n <= 2^(p+1). */
static unsigned power_below (size_t n) {
  return 63 - (unsigned)__builtin_clzll((unsigned long long)n - 1);
}

/* Capacities are rounded up to four steps per power of two, so that blocks can be reused. */
size_t cpu_pool_capacity (size_t n) {
  if (n <= CPU_BLOCK_UNIT) return CPU_BLOCK_UNIT;
  size_t step = (size_t)1 << (power_below(n) - 2);
  return (n + step - 1) / step * step;
}

/* The index of a capacity in a pool's cache. */
static unsigned class_of (size_t capacity) {
  if (capacity == CPU_BLOCK_UNIT) return 0;
  unsigned p = power_below(capacity);
  size_t step = (size_t)1 << (p - 2), low = (size_t)1 << p;
  return (p - 8) * 4 + (unsigned)((capacity - low) / step);
}


/* ---- what pools hold ---- */

bool cpu_pool_reserve (cpu_pool *p, size_t capacity) {
  if (capacity > UINT64_MAX - pools.held || !cpu_config_has(pools.held + capacity)) return false;
  pools.held += capacity;
  p->reserved += capacity;
  if (p->reserved > p->reserved_high) p->reserved_high = p->reserved;
  return true;
}

void cpu_pool_unreserve (cpu_pool *p, size_t capacity) {
  pools.held -= capacity;
  p->reserved -= capacity;
}

void cpu_pool_count (cpu_pool *p, size_t capacity) {
  pools.live += capacity;
  p->used += capacity;
  if (p->used > p->used_high) p->used_high = p->used;
}

void cpu_pool_uncount (cpu_pool *p, size_t capacity) {
  pools.live -= capacity;
  p->used -= capacity;
}

void cpu_pool_use (cpu_block *b) { cpu_pool_count(b->pool, b->capacity); }

void cpu_pool_begin (cpu_pool *p, cu_device dev) {
  *p = (cpu_pool){ .magic = CPU_POOL_MAGIC, .reuse = { 1, 1, 1 }, .device = dev };
}

void cpu_pool_add (cpu_pool *p) {
  p->next_all = pools.first;
  pools.first = p;
}

/* Frees the destroyed pools that hold no memory. */
static void sweep_pools (void) {
  cpu_pool **at = &pools.first;
  while (pools.doomed > 0 && *at != NULL) {
    cpu_pool *p = *at;
    if (!p->destroyed || p->reserved != 0) at = &p->next_all;
    else {
      *at = p->next_all;
      pools.doomed--;
      lcu_free(p);
    }
  }
}

void cpu_block_discard (cpu_block *b) {
  if (b->end != NULL) b->end(b);
  if (b->raw != NULL) lcu_room_give(b->capacity);
  free(b->raw);
  lcu_free(b->name);
  lcu_free(b->written);
  lcu_free(b);
}

/* Returns a block to the system. */
static void release (cpu_block *b) {
  cpu_pool_unreserve(b->pool, b->capacity);
  cpu_block_discard(b);
}

cpu_block *cpu_pool_take (cpu_pool *p, size_t capacity) {
  unsigned c = class_of(capacity);
  cpu_block *b = p->cache[c];
  if (b != NULL) p->cache[c] = b->next;
  return b;
}

/* A block leaves the quarantine: to the cache of its pool, or to the system. */
static void retire (cpu_block *b) {
  cpu_pool *p = b->pool;
  cpu_map_remove(b);
  if (b->kind != CPU_MEM_DEVICE || p->destroyed || p->reserved > p->threshold) release(b);
  else {
    unsigned c = class_of(b->capacity);
    b->next = p->cache[c];
    p->cache[c] = b;
  }
}


/* ---- quarantine ---- */

static void quarantine_retire_oldest (void) {
  cpu_block *b = pools.oldest;
  pools.oldest = b->next;
  if (pools.oldest == NULL) pools.newest = NULL;
  pools.quarantine_count--;
  if (b->capacity < LARGE) pools.quarantine_bytes -= b->capacity;
  retire(b);
}

/* Gives the pages of a freed block back; its contents are lost. */
static void drop_pages (cpu_block *b) {
#ifdef __linux__
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = ((uintptr_t)b->base + page - 1) / page * page,
            end = ((uintptr_t)b->base + b->capacity) / page * page;
  if (end > first) (void)madvise((void *)first, end - first, MADV_DONTNEED);
#else
  (void)b;
#endif
}

static void quarantine_add (cpu_block *b) {
  bool off = cpu_configuration.check == PTX_CHECK_OFF;
  b->next = NULL;
  if (pools.newest != NULL) pools.newest->next = b;
  else pools.oldest = b;
  pools.newest = b;
  pools.quarantine_count++;
  if (b->capacity < LARGE) pools.quarantine_bytes += b->capacity;
  else if (!off) drop_pages(b);
  while (pools.oldest != NULL && (off || pools.quarantine_bytes > QUARANTINE_BYTES ||
                                  pools.quarantine_count > QUARANTINE_COUNT))
    quarantine_retire_oldest();
}

void cpu_pool_give (cpu_block *b) {
  cpu_pool_uncount(b->pool, b->capacity);
  quarantine_add(b);
  sweep_pools();
}

static void quarantine_flush (void) {
  while (pools.oldest != NULL) quarantine_retire_oldest();
}

void cpu_pool_trim (cpu_pool *p, uint64_t keep) {
  if (p->reserved > keep) quarantine_flush();
  for (int c = CPU_CLASSES - 1; c >= 0; c--) {
    while (p->cache[c] != NULL && p->reserved > keep) {
      cpu_block *b = p->cache[c];
      p->cache[c] = b->next;
      release(b);
    }
  }
}

bool cpu_pool_destroy (cpu_pool *p) {
  if (p >= pools.devices && p < pools.devices + CPU_MOST_GPUS) return false;
  for (int i = 0; i < CPU_MOST_GPUS; i++)
    if (pools.current[i] == p) pools.current[i] = NULL;
  cpu_pool_trim(p, 0);
  p->destroyed = true;
  p->magic = 0;
  pools.doomed++;
  sweep_pools();
  return true;
}

void cpu_pools_trim (void) {
  cpu_pool_trim(&pools.standard, 0);
  for (int i = 0; i < CPU_MOST_GPUS; i++) {
    cpu_pool_trim(&pools.devices[i], 0);
    cpu_pool_trim(&pools.graphs[i], 0);
  }
  for (cpu_pool *p = pools.first; p != NULL; p = p->next_all) cpu_pool_trim(p, 0);
  sweep_pools();
}


/* ---- all pools ---- */

cpu_pool *cpu_pool_default (void) { return &pools.standard; }

cpu_pool *cpu_pool_of_device (cu_device dev) {
  cpu_pool *p = &pools.devices[dev];
  if (p->magic == 0) cpu_pool_begin(p, dev);
  return p;
}

cpu_pool *cpu_pool_of_graphs (cu_device dev) {
  cpu_pool *p = &pools.graphs[dev];
  p->threshold = UINT64_MAX;
  p->device = dev;
  return p;
}

cpu_pool *cpu_pool_current (cu_device dev) {
  return pools.current[dev] != NULL ? pools.current[dev] : cpu_pool_of_device(dev);
}

void cpu_pool_set_current (cu_device dev, cpu_pool *p) { pools.current[dev] = p; }

uint64_t cpu_pools_use (uint64_t *idle) {
  cpu_map_lock();
  uint64_t n = pools.live;
  *idle = pools.held > n ? pools.held - n : 0;
  cpu_map_unlock();
  return n;
}

static void free_cache (cpu_pool *p) {
  for (int c = 0; c < CPU_CLASSES; c++) {
    for (cpu_block *b = p->cache[c], *next; b != NULL; b = next) {
      next = b->next;
      cpu_block_discard(b);
    }
  }
}

void cpu_pools_free (void) {
  free_cache(&pools.standard);
  for (cpu_pool *p = pools.first, *next; p != NULL; p = next) {
    next = p->next_all;
    free_cache(p);
    lcu_free(p);
  }
  for (int i = 0; i < CPU_MOST_GPUS; i++) {
    free_cache(&pools.devices[i]);
    free_cache(&pools.graphs[i]);
    pools.graphs[i] = (cpu_pool){ 0 };
    if (pools.devices[i].magic != 0) cpu_pool_begin(&pools.devices[i], i);
    pools.current[i] = NULL;
  }
  pools.first = NULL;
  pools.oldest = pools.newest = NULL;
  pools.live = pools.held = pools.quarantine_bytes = 0;
  pools.quarantine_count = pools.doomed = 0;
  pools.standard = (cpu_pool){ .threshold = DEVICE_POOL_KEEP, .standard = true };
}
