/* cpu_map.h: the allocation map: every block of memory by its address. */
#ifndef CPU_MAP_H
#define CPU_MAP_H

#include "cpu_driver.h"
#include "ptx.h"

typedef enum cpu_kind {
  CPU_MEM_DEVICE,
  CPU_MEM_PINNED,
  CPU_MEM_MANAGED,
  CPU_MEM_REGISTERED,
  CPU_MEM_VARIABLE,
  CPU_MEM_HEAP
} cpu_kind;
/* FREEING: the free is queued */
typedef enum cpu_life { CPU_LIVE, CPU_FREEING, CPU_DEAD } cpu_life;


typedef struct cpu_block {
  struct cpu_block *left, *right;
  uint32_t rank; /* the map: a treap by base */
  uint64_t base;
  size_t size, capacity; /* asked for; usable behind base */
  void *raw;             /* what to give back; NULL for registered memory */
  cpu_kind kind;
  cpu_life life;
  cpu_pool *pool;
  struct cpu_block *next; /* in quarantine, or in the pool's cache */
  char *name;             /* of a module variable */
} cpu_block;

/* The map's lock, for changes. It covers the pools' numbers and the quarantine as well
 * (cpu_pool.h). */
void cpu_map_lock (void);
void cpu_map_unlock (void);
/* With the lock held. */
void cpu_map_insert (cpu_block *b);
void cpu_map_remove (cpu_block *b);
/* A block with a byte in [address, address + n), or NULL. */
cpu_block *cpu_map_overlap (uint64_t address, size_t n);
/* Removes all blocks, and hands each to `discard`. */
void cpu_map_clear (void (*discard)(cpu_block *b));

/* True when a live block holds all of [address, address + n). */
bool cpu_block_holds (uint64_t address, size_t n);
/* Fails unless [address, address + n) lies in a live block: the message says what is there. */
cu_result cpu_check_range (const char *call, uint64_t address, size_t n);
bool cpu_block_find (uint64_t address, ptx_range *out);
/* Name of the module variable around an address, "" when it is none. */
void cpu_block_name (uint64_t address, char *out, size_t size);
void cpu_block_set_name (cpu_block *b, char *name); /* takes over `name` */
/* Marks the block that starts there as being freed. `kinds`: bit per cpu_kind that the caller may
 * free. */
cu_result cpu_block_claim (const char *call, uint64_t address, unsigned kinds, cpu_block **out);
/* What stands at an address: copies of the map's facts. False when no block contains it. */
bool cpu_block_facts (uint64_t address, uint64_t *base, size_t *size, cpu_kind *kind);

#endif
