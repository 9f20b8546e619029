/* cpu_memory.h: what cpu_memory.c shares with the entry points about memory and pools. */
#ifndef CPU_MEMORY_H
#define CPU_MEMORY_H

#include "cpu_device.h"

enum { CPU_POOL_MAGIC = 0x504f4f4c };

/* For pools' numbers. */
void cpu_memory_lock (void);
void cpu_memory_unlock (void);
/* With the lock held. */
void cpu_pool_adopt (cpu_pool *p); /* enters a new pool in the list of all */
void cpu_pool_trim_locked (cpu_pool *p, uint64_t keep);
void cpu_pool_retire_locked (cpu_pool *p); /* goes now, or with its last block */

/* Host memory of somebody else enters the map. */
cu_result cpu_block_register (uint64_t address, size_t n);
/* Bytes in use, of everything the device allocated; *idle: bytes held beside them, in quarantine
 * and in pools. */
uint64_t cpu_memory_use (uint64_t *idle);
/* What stands at an address: copies of the map's facts. False when no block contains it. */
bool cpu_block_facts (uint64_t address, uint64_t *base, size_t *size, cpu_kind *kind);

#endif
