/* cpu_memory.h: allocating and freeing blocks of memory. */
#ifndef CPU_MEMORY_H
#define CPU_MEMORY_H

#include "cpu_map.h"

/* Allocates n bytes at a multiple of CPU_BLOCK_UNIT or `align`, whichever is greater. NULL pool:
 * the default pool. Does not wait for queued frees. */
cu_result cpu_block_alloc (const char *call, size_t n, size_t align, cpu_kind kind, cpu_pool *pool,
                           cpu_block **out);
/* Frees a block that the caller has claimed (cpu_block_claim). */
void cpu_block_free (cpu_block *b);
/* The same for a block that no graph allocates again. Needs the map's lock. */
void cpu_block_give (cpu_block *b);
/* Adds a block to the map. Needs the map's lock. */
void cpu_block_enter (cpu_block *b);
/* Adds host memory that the program allocated to the map. */
cu_result cpu_block_register (uint64_t address, size_t n);
void cpu_memory_free_all (void);
/* Frees what is left of the memory of a context. */
void cpu_memory_end (cu_context ctx);

#endif
