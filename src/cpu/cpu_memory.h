/* cpu_memory.h: blocks of memory are made and ended here. */
#ifndef CPU_MEMORY_H
#define CPU_MEMORY_H

#include "cpu_map.h"

/* n bytes on a multiple of 256 (or `align`); NULL pool: the device's own. */
cu_result cpu_block_alloc (const char *call, size_t n, size_t align, cpu_kind kind, cpu_pool *pool,
                           cpu_block **out);
/* Frees a block that was claimed (cpu_block_claim). */
void cpu_block_free (cpu_block *b);
/* Host memory of somebody else enters the map. */
cu_result cpu_block_register (uint64_t address, size_t n);
void cpu_memory_free_all (void);

#endif
