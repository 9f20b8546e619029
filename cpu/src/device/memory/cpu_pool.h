/* cpu_pool.h: pools: the memory that the device holds, and what happens to freed blocks.
 *
 * Every block belongs to a pool. A freed block takes this way:
 * - Quarantine: it stays in the map, marked as freed, until later frees push it out. The quarantine
 *   holds 4096 blocks and 64 MiB; blocks of 16 MiB or more are not counted, as their pages go back
 *   to the system immediately. Device memory is not reused while it is here, so a late access hits
 *   nothing that is in use. With LUACUDA_CPU_CHECK=off the quarantine is always empty.
 * - Cache: then device memory goes to its pool's cache, by size, for the next allocation of that
 *   size. It is no longer in the map.
 * - System: blocks of other kinds, and device memory beyond the pool's release threshold, are given
 *   back to the system.
 * When memory is short, quarantine and caches are emptied first.
 *
 * The functions need the map's lock, unless their comment says otherwise. */
#ifndef CPU_POOL_H
#define CPU_POOL_H

#include "cpu_map.h"

enum { CPU_POOL_MAGIC = 0x504f4f4c, CPU_CLASSES = 160 };
/* Every block starts at a multiple of this and has at least this many bytes. */
enum { CPU_BLOCK_UNIT = 256 };

struct cu_mempool_ {
  uint32_t magic;
  int reuse[3];
  uint64_t threshold; /* bytes that may stay reserved while unused */
  uint64_t used, used_high, reserved, reserved_high;
  cpu_block *cache[CPU_CLASSES];
  cpu_pool *next_all;
  bool standard;    /* it is cpu_pool_default() */
  bool destroyed;   /* to be freed with its last block */
  cu_device device; /* the GPU that it is on (gpus/gpus.h) */
};

/* Is `p` the handle of a pool? Needs no lock. */
static inline bool cpu_pool_is (cu_mempool p) { return p != NULL && p->magic == CPU_POOL_MAGIC; }

/* The pool of cuMemAlloc and of every allocation that names no pool. Needs no lock. */
cpu_pool *cpu_pool_default (void);
/* The pool of what graphs on the device allocate. It keeps freed memory until it is trimmed. It is
 * no handle. */
cpu_pool *cpu_pool_of_graphs (cu_device dev);
void cpu_pool_set_current (cu_device dev, cpu_pool *p);
void cpu_pool_begin (cpu_pool *p, cu_device dev); /* of an empty pool */
void cpu_pool_add (cpu_pool *p);                  /* adds a new pool to the list of pools */
/* Returns unused memory to the system until at most `keep` bytes are reserved. */
void cpu_pool_trim (cpu_pool *p, uint64_t keep);
void cpu_pools_trim (void); /* returns all unused memory */
/* Frees the pool now, or with its last block; false: it is a device's own. */
bool cpu_pool_destroy (cpu_pool *p);
void cpu_pools_free (void); /* frees all pools and what they hold */

/* The capacity of a block for n bytes. Needs no lock. */
size_t cpu_pool_capacity (size_t n);
/* Takes a block of that capacity from the pool's cache, or returns NULL. */
cpu_block *cpu_pool_take (cpu_pool *p, size_t capacity);
/* Counts bytes that the caller is about to take from the system; false if that would exceed the
 * limit. */
bool cpu_pool_reserve (cpu_pool *p, size_t capacity);
/* Undoes that. */
void cpu_pool_unreserve (cpu_pool *p, size_t capacity);
/* Counts bytes as used, and as unused. */
void cpu_pool_count (cpu_pool *p, size_t capacity);
void cpu_pool_uncount (cpu_pool *p, size_t capacity);
/* Counts the block as used. */
void cpu_pool_use (cpu_block *b);
/* Counts the block as unused and puts it into quarantine. */
void cpu_pool_give (cpu_block *b);

/* Frees a block that is neither in the map nor counted. Needs no lock. */
void cpu_block_discard (cpu_block *b);

/* Bytes in use, of all allocations; *idle: bytes in quarantine and caches. Takes the lock. */
uint64_t cpu_pools_use (uint64_t *idle);

#endif
