/* lcu_cuda_array.h: CUDA arrays, and the textures and surfaces through which kernels reach them.
 *
 * Each is a block without an address, so that its marks order work on it and keep it until that
 * work is over (lcu_limbo.c). A texture or surface holds the block that it reads or writes; work
 * that uses it uses both blocks. */
#ifndef LCU_CUDA_ARRAY_H
#define LCU_CUDA_ARRAY_H

#include "lcu_block.h"

/* levels 0: no mipmaps. If out of memory: calls the reclaim hooks, trims the pool, synchronizes and
 * retries once. `bytes` is for the message. */
lcu_status lcu_cuda_array_create (lcu_device *d, const cu_array_desc *desc, unsigned levels,
                                  size_t bytes, lcu_block **out);
/* The handle of a CUDA array without mipmaps, or of one level (0: the largest). */
lcu_status lcu_cuda_array_level (lcu_block *b, unsigned level, cu_array *out);
/* Describes the whole CUDA array, mipmaps included, for a texture. */
void lcu_cuda_array_resource (const lcu_block *b, cu_resource_desc *out);

/* Both hold `source`. */
lcu_status lcu_texture_create (lcu_device *d, lcu_block *source, const cu_resource_desc *resource,
                               const cu_texture_desc *desc, lcu_block **out);
lcu_status lcu_surface_create (lcu_block *source, cu_array array, lcu_block **out);
/* The value that kernels take for a texture or surface, and the block behind it. */
uint64_t lcu_texture_handle (const lcu_block *b);
lcu_block *lcu_texture_source (const lcu_block *b);

#endif
