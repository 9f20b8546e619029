/* cpu_pool.h: memory that the device took from the system: pools, their books, and blocks that were
 * freed. Everything here is called with the map's lock held, unless it says otherwise. */
#ifndef CPU_POOL_H
#define CPU_POOL_H

#include "cpu_map.h"

enum { CPU_POOL_MAGIC = 0x504f4f4c, CPU_CLASSES = 160 };
/* Every block starts on a multiple of this, and has at least so many bytes. */
enum { CPU_BLOCK_UNIT = 256 };

struct cu_mempool_ {
  uint32_t magic;
  int reuse[3];
  uint64_t threshold; /* bytes that may be held although nobody uses them */
  uint64_t used, used_high, reserved, reserved_high;
  cpu_block *cache[CPU_CLASSES];
  cpu_pool *next_all;
  bool destroyed; /* goes when its last block does */
};

/* Is it the handle of a pool? Needs no lock. */
static inline bool cpu_pool_is (cu_mempool p) { return p != NULL && p->magic == CPU_POOL_MAGIC; }

/* The pool of cuMemAlloc and of all that has no pool. Needs no lock. */
cpu_pool *cpu_pool_default (void);
void cpu_pool_adopt (cpu_pool *p); /* enters a new pool in the list of all */
void cpu_pool_trim (cpu_pool *p, uint64_t keep);
void cpu_pools_trim (void);         /* all of them, to nothing */
void cpu_pool_retire (cpu_pool *p); /* goes now, or with its last block */
void cpu_pools_free (void);         /* with all that they hold */

/* What a block for n bytes has room for; needs no lock. */
size_t cpu_pool_capacity (size_t n);
/* A block of that capacity out of the pool's cache, or NULL. */
cpu_block *cpu_pool_take (cpu_pool *p, size_t capacity);
/* Books bytes that are about to be taken from the system; false when the limit forbids it. */
bool cpu_pool_promise (cpu_pool *p, size_t capacity);
/* They could not be had. */
void cpu_pool_unpromise (cpu_pool *p, size_t capacity);
/* The block is in use from now on. */
void cpu_pool_use (cpu_block *b);
/* The block is not in use any more. Into quarantine; other memory that has been there long enough
 * is given back. */
void cpu_pool_give (cpu_block *b);

/* Frees a block that is in no book. Needs no lock. */
void cpu_block_discard (cpu_block *b);

/* Bytes in use, of everything the device allocated; *idle: bytes held beside them, in quarantine
 * and in pools. Takes the lock itself. */
uint64_t cpu_pools_use (uint64_t *idle);

#endif
