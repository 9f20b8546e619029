/* cpu_memory.c: blocks of device memory. All addresses are host addresses. Around every block lies
 * a red zone that belongs to nobody; a freed block stays in the map for a while (quarantine), so
 * that late accesses are recognised and hit nothing that is in use; what leaves the quarantine may
 * be used again by its pool. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* madvise */
#endif
#include "cpu_memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { ALIGNMENT = 256, RED_ZONE = 256, QUARANTINE_COUNT = 4096 };
static const uint64_t QUARANTINE_BYTES = 64u << 20;
/* such a block gives its pages back while in quarantine */
static const size_t LARGE = 16u << 20;
static const uint64_t DEVICE_POOL_KEEP = 256u << 20;
static const size_t MOST = (size_t)1 << 46;

static struct {
  pthread_rwlock_t lock;
  cpu_block *root;
  uint64_t live, held;        /* bytes in use; bytes taken from the system */
  cpu_block *oldest, *newest; /* quarantine */
  uint64_t quarantine_bytes;
  unsigned quarantine_count;
  cpu_pool device_pool; /* of cuMemAlloc and of all that has no pool */
  cpu_pool *pools;
  unsigned doomed; /* destroyed pools in that list */
} mem = { .lock = PTHREAD_RWLOCK_INITIALIZER, .device_pool = { .threshold = DEVICE_POOL_KEEP } };

void cpu_memory_lock (void) { pthread_rwlock_wrlock(&mem.lock); }
void cpu_memory_unlock (void) { pthread_rwlock_unlock(&mem.lock); }

uint64_t cpu_memory_use (uint64_t *idle) {
  pthread_rwlock_rdlock(&mem.lock);
  uint64_t n = mem.live;
  *idle = mem.held > n ? mem.held - n : 0;
  pthread_rwlock_unlock(&mem.lock);
  return n;
}


/* ---- sizes ---- */

/* Four sizes per power of two, so that a block can serve another request; 0 is everything up to 256
 * bytes. */
static unsigned class_of (size_t n, size_t *capacity) {
  if (n <= ALIGNMENT) {
    *capacity = ALIGNMENT;
    return 0;
  }
  /* 2^p < n <= 2^(p+1) */
  unsigned p = 63 - (unsigned)__builtin_clzll((unsigned long long)n - 1);
  size_t step = (size_t)1 << (p - 2), low = (size_t)1 << p;
  *capacity = (n + step - 1) / step * step;
  return 1 + (p - 8) * 4 + (unsigned)((*capacity - low) / step) - 1;
}


/* ---- pools' books (lock held) ---- */

static void count_reserved (cpu_pool *p, uint64_t n) {
  mem.held += n;
  p->reserved += n;
  if (p->reserved > p->reserved_high) p->reserved_high = p->reserved;
}

static void count_used (cpu_block *b) {
  cpu_pool *p = b->pool;
  mem.live += b->capacity;
  p->used += b->capacity;
  if (p->used > p->used_high) p->used_high = p->used;
}

void cpu_pool_adopt (cpu_pool *p) {
  p->next_all = mem.pools;
  mem.pools = p;
}

/* Frees destroyed pools that hold nothing any more. */
static void sweep_pools (void) {
  cpu_pool **at = &mem.pools;
  while (mem.doomed > 0 && *at != NULL) {
    cpu_pool *p = *at;
    if (!p->destroyed || p->reserved != 0) at = &p->next_all;
    else {
      *at = p->next_all;
      mem.doomed--;
      lcu_free(p);
    }
  }
}

static void discard (cpu_block *b) {
  if (b->raw != NULL) lcu_room_give(b->capacity);
  free(b->raw);
  lcu_free(b->name);
  lcu_free(b);
}

/* Back to the system. */
static void release (cpu_block *b) {
  cpu_pool *p = b->pool;
  mem.held -= b->capacity;
  p->reserved -= b->capacity;
  discard(b);
}

static void retire (cpu_block *b) {
  cpu_pool *p = b->pool;
  size_t same;
  mem.root = cpu_map_remove(mem.root, b);
  if (b->kind != CPU_MEM_DEVICE || p->destroyed || p->reserved > p->threshold) release(b);
  else {
    unsigned c = class_of(b->capacity, &same);
    b->next = p->cache[c];
    p->cache[c] = b;
  }
}


/* ---- quarantine (lock held) ---- */

static void quarantine_retire_oldest (void) {
  cpu_block *b = mem.oldest;
  mem.oldest = b->next;
  if (mem.oldest == NULL) mem.newest = NULL;
  mem.quarantine_count--;
  if (b->capacity < LARGE) mem.quarantine_bytes -= b->capacity;
  retire(b);
}

/* Its contents are of no use to anybody. */
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
  if (mem.newest != NULL) mem.newest->next = b;
  else mem.oldest = b;
  mem.newest = b;
  mem.quarantine_count++;
  if (b->capacity < LARGE) mem.quarantine_bytes += b->capacity;
  else if (!off) drop_pages(b);
  while (mem.oldest != NULL && (off || mem.quarantine_bytes > QUARANTINE_BYTES ||
                                mem.quarantine_count > QUARANTINE_COUNT))
    quarantine_retire_oldest();
}

static void quarantine_flush (void) {
  while (mem.oldest != NULL) quarantine_retire_oldest();
}

void cpu_pool_trim_locked (cpu_pool *p, uint64_t keep) {
  if (p->reserved > keep) quarantine_flush();
  for (int c = CPU_CLASSES - 1; c >= 0; c--) {
    while (p->cache[c] != NULL && p->reserved > keep) {
      cpu_block *b = p->cache[c];
      p->cache[c] = b->next;
      release(b);
    }
  }
}

void cpu_pool_retire_locked (cpu_pool *p) {
  cpu_pool_trim_locked(p, 0);
  p->destroyed = true;
  p->magic = 0;
  mem.doomed++;
  sweep_pools();
}

static void trim_everything (void) {
  cpu_memory_lock();
  cpu_pool_trim_locked(&mem.device_pool, 0);
  for (cpu_pool *p = mem.pools; p != NULL; p = p->next_all) cpu_pool_trim_locked(p, 0);
  sweep_pools();
  cpu_memory_unlock();
}


/* ---- allocation ---- */

static void place (cpu_block *b, size_t n, size_t align) {
  uint64_t first = (uint64_t)(uintptr_t)b->raw + RED_ZONE;
  b->base = (first + align - 1) / align * align;
  b->size = n;
  b->life = CPU_LIVE;
}

static cpu_block *take_cached (cpu_pool *p, unsigned c) {
  cpu_block *b = p->cache[c];
  if (b != NULL) p->cache[c] = b->next;
  return b;
}

static cpu_block *from_system (size_t capacity, size_t align) {
  size_t slack = align > ALIGNMENT ? align : 0;
  if (!lcu_room_take(capacity)) return NULL;
  cpu_block *b = lcu_calloc(1, sizeof *b);
  if (b == NULL ||
      posix_memalign(&b->raw, ALIGNMENT, RED_ZONE + slack + capacity + RED_ZONE) != 0) {
    lcu_room_give(capacity);
    lcu_free(b);
    return NULL;
  }
  b->capacity = capacity;
  return b;
}

/* Host memory that was given back to the system without being unregistered may come to us again. */
static void evict_stale (const cpu_block *b) {
  for (;;) {
    cpu_block *old = cpu_map_floor(mem.root, b->base + b->capacity - 1);
    if (old == NULL || old->kind != CPU_MEM_REGISTERED || old->base + old->size <= b->base) return;
    mem.root = cpu_map_remove(mem.root, old);
    discard(old);
  }
}

static void enter (cpu_block *b) {
  evict_stale(b);
  mem.root = cpu_map_insert(mem.root, b);
  count_used(b);
}

/* A block of the pool's cache, or a promise of `capacity` bytes (*promised) that the limit
 * allows. */
static cpu_block *reserve (cpu_pool *p, unsigned c, size_t capacity, bool cached, bool *promised) {
  cpu_memory_lock();
  cpu_block *b = cached ? take_cached(p, c) : NULL;
  *promised = b == NULL && capacity <= cpu_configuration.memory &&
              mem.held <= cpu_configuration.memory - capacity;
  if (*promised) count_reserved(p, capacity);
  cpu_memory_unlock();
  return b;
}

static void unpromise (cpu_pool *p, size_t capacity) {
  cpu_memory_lock();
  mem.held -= capacity;
  p->reserved -= capacity;
  cpu_memory_unlock();
}

static cpu_block *try_alloc (size_t n, size_t align, cpu_kind kind, cpu_pool *p) {
  size_t capacity;
  bool promised;
  unsigned c = class_of(n, &capacity);
  cpu_block *b = reserve(p, c, capacity, kind == CPU_MEM_DEVICE && align == ALIGNMENT, &promised);
  if (b == NULL && promised && (b = from_system(capacity, align)) == NULL) unpromise(p, capacity);
  if (b == NULL) return NULL;
  b->kind = kind;
  b->pool = p;
  place(b, n, align);
  cpu_memory_lock();
  enter(b);
  cpu_memory_unlock();
  return b;
}

/* Memory of kernels is asked for while an operation runs: then nothing can be waited for. */
static bool may_wait (cpu_kind kind) { return kind != CPU_MEM_VARIABLE && kind != CPU_MEM_HEAP; }

static cu_result out_of_memory (const char *call, size_t n) {
  uint64_t idle, live = cpu_memory_use(&idle), left = lcu_room_left();
  if (live <= cpu_configuration.memory && n <= cpu_configuration.memory - live && left < n)
    return lcu_driver_detail(call, CU_ERR_OUT_OF_MEMORY,
                             "not enough memory: %zu bytes wanted, the system has %" PRIu64 " left",
                             n, left);
  return lcu_driver_detail(call, CU_ERR_OUT_OF_MEMORY,
                           "not enough memory: %zu bytes wanted, %" PRIu64 " of %zu in use", n,
                           live, cpu_configuration.memory);
}

cu_result cpu_block_alloc (const char *call, size_t n, size_t align, cpu_kind kind, cpu_pool *pool,
                           cpu_block **out) {
  cpu_pool *p = pool != NULL ? pool : &mem.device_pool;
  if (align < ALIGNMENT) align = ALIGNMENT;
  *out = n <= MOST ? try_alloc(n, align, kind, p) : NULL;
  if (*out == NULL && n <= MOST) {
    trim_everything();
    *out = try_alloc(n, align, kind, p);
  }
  if (*out == NULL && n <= cpu_configuration.memory && may_wait(kind)) {
    cpu_wait_all();
    trim_everything();
    *out = try_alloc(n, align, kind, p);
  }
  if (*out != NULL) return 0;
  return out_of_memory(call, n);
}

void cpu_block_free (cpu_block *b) {
  cpu_memory_lock();
  b->life = CPU_DEAD;
  if (b->kind == CPU_MEM_REGISTERED) {
    mem.root = cpu_map_remove(mem.root, b);
    discard(b);
  } else {
    mem.live -= b->capacity;
    b->pool->used -= b->capacity;
    quarantine_add(b);
    sweep_pools();
  }
  cpu_memory_unlock();
}

cu_result cpu_block_register (uint64_t address, size_t n) {
  cpu_block *b = lcu_calloc(1, sizeof *b);
  if (b == NULL) return CU_ERR_OUT_OF_MEMORY;
  *b = (cpu_block){
    .base = address, .size = n, .capacity = n, .kind = CPU_MEM_REGISTERED, .pool = &mem.device_pool
  };
  cpu_memory_lock();
  cpu_block *old = cpu_map_floor(mem.root, address + n - 1);
  bool taken = old != NULL && old->base + old->size > address;
  if (!taken) mem.root = cpu_map_insert(mem.root, b);
  cpu_memory_unlock();
  if (!taken) return 0;
  lcu_free(b);
  return CU_ERR_HOST_MEMORY_ALREADY_REGISTERED;
}

static void free_tree (cpu_block *b) {
  if (b == NULL) return;
  free_tree(b->left);
  free_tree(b->right);
  discard(b);
}

static void free_cache (cpu_pool *p) {
  for (int c = 0; c < CPU_CLASSES; c++) {
    for (cpu_block *b = p->cache[c], *next; b != NULL; b = next) {
      next = b->next;
      discard(b);
    }
  }
}

void cpu_memory_free_all (void) {
  cpu_memory_lock();
  free_tree(mem.root);
  free_cache(&mem.device_pool);
  for (cpu_pool *p = mem.pools, *next; p != NULL; p = next) {
    next = p->next_all;
    free_cache(p);
    lcu_free(p);
  }
  mem.root = mem.oldest = mem.newest = NULL;
  mem.pools = NULL;
  mem.live = mem.held = mem.quarantine_bytes = 0;
  mem.quarantine_count = mem.doomed = 0;
  mem.device_pool = (cpu_pool){ .threshold = DEVICE_POOL_KEEP };
  cpu_heap_reset();
  cpu_memory_unlock();
}


/* ---- look-up ---- */

static bool contains (const cpu_block *b, uint64_t address) {
  return b != NULL && address >= b->base && address - b->base < b->size;
}

/* The block around the address, else the nearest (lock held). */
static const cpu_block *nearest (uint64_t address) {
  const cpu_block *f = cpu_map_floor(mem.root, address);
  if (contains(f, address)) return f;
  const cpu_block *a = cpu_map_above(mem.root, address);
  if (f == NULL || a == NULL) return f != NULL ? f : a;
  return address - (f->base + f->size) < a->base - address ? f : a;
}

bool cpu_block_find (uint64_t address, ptx_range *out) {
  pthread_rwlock_rdlock(&mem.lock);
  const cpu_block *b = nearest(address);
  if (b != NULL)
    *out = (ptx_range){ .base = b->base, .size = b->size, .live = b->life != CPU_DEAD };
  pthread_rwlock_unlock(&mem.lock);
  return b != NULL;
}

void cpu_block_set_name (cpu_block *b, char *name) {
  cpu_memory_lock();
  b->name = name;
  cpu_memory_unlock();
}

void cpu_block_name (uint64_t address, char *out, size_t size) {
  out[0] = '\0';
  pthread_rwlock_rdlock(&mem.lock);
  const cpu_block *b = cpu_map_floor(mem.root, address);
  if (contains(b, address) && b->name != NULL) {
    size_t n = strlen(b->name);
    if (n >= size) n = size - 1;
    memcpy(out, b->name, n);
    out[n] = '\0';
  }
  pthread_rwlock_unlock(&mem.lock);
}

bool cpu_block_facts (uint64_t address, uint64_t *base, size_t *size, cpu_kind *kind) {
  pthread_rwlock_rdlock(&mem.lock);
  const cpu_block *b = cpu_map_floor(mem.root, address);
  bool ok = contains(b, address) && b->life == CPU_LIVE;
  if (ok) {
    *base = b->base;
    *size = b->size;
    *kind = b->kind;
  }
  pthread_rwlock_unlock(&mem.lock);
  return ok;
}

bool cpu_block_holds (uint64_t address, size_t n) {
  pthread_rwlock_rdlock(&mem.lock);
  const cpu_block *b = cpu_map_floor(mem.root, address);
  bool ok =
    contains(b, address) && b->life == CPU_LIVE && n <= b->size - (size_t)(address - b->base);
  pthread_rwlock_unlock(&mem.lock);
  return ok;
}

static cu_result explain_range (const char *call, uint64_t address, size_t n) {
  ptx_range r;
  if (!cpu_block_find(address, &r))
    return lcu_driver_detail(call, CU_ERR_INVALID_VALUE, "0x%" PRIx64 " is no device memory",
                             address);
  if (address - r.base >= r.size)
    return lcu_driver_detail(call, CU_ERR_INVALID_VALUE,
                             "0x%" PRIx64 " is in no allocation; the nearest has %" PRIu64
                             " bytes at 0x%" PRIx64,
                             address, r.size, r.base);
  if (n <= r.size - (address - r.base))
    return lcu_driver_detail(call, CU_ERR_INVALID_VALUE, "the memory at 0x%" PRIx64 " was freed",
                             address);
  return lcu_driver_detail(call, CU_ERR_INVALID_VALUE,
                           "%zu bytes at 0x%" PRIx64
                           " go beyond the end of the allocation (%" PRIu64 " bytes at 0x%" PRIx64
                           ")",
                           n, address, r.size, r.base);
}

cu_result cpu_check_range (const char *call, uint64_t address, size_t n) {
  if (n == 0 || cpu_block_holds(address, n)) return 0;
  return explain_range(call, address, n);
}

cu_result cpu_block_claim (const char *call, uint64_t address, unsigned kinds, cpu_block **out) {
  cpu_memory_lock();
  cpu_block *b = cpu_map_floor(mem.root, address);
  bool inside = contains(b, address), dead = inside && b->life != CPU_LIVE;
  bool ok = inside && !dead && b->base == address && (kinds >> b->kind & 1u) != 0;
  if (ok) b->life = CPU_FREEING;
  cpu_memory_unlock();
  *out = ok ? b : NULL;
  if (ok) return 0;
  return lcu_driver_detail(call, CU_ERR_INVALID_VALUE, "0x%" PRIx64 " %s", address,
                           dead     ? "was freed already"
                           : inside ? "is not the start of memory that this call frees"
                                    : "is in no allocation");
}
