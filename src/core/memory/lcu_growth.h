/* lcu_growth.h: blocks that grow and shrink in place: a range of addresses is reserved, and memory
 * is mapped to as much of it as is in use. */
#ifndef LCU_GROWTH_H
#define LCU_GROWTH_H

#include "lcu_block.h"

/* `size` bytes of device memory at the start of `reserve` bytes of addresses. */
lcu_status lcu_growth_alloc (lcu_device *d, size_t size, size_t reserve, lcu_block **out);
/* The bytes that a block may grow to; 0: it cannot grow. */
size_t lcu_growth_reserved (const lcu_block *b);
/* Gives the block `size` bytes, at most those reserved. The addresses and the contents stay; new
 * bytes are undefined. To shrink it, no work may use the block. */
lcu_status lcu_growth_resize (lcu_block *b, size_t size);
/* Lets a peer, whose access is enabled, use the block. */
lcu_status lcu_growth_share (lcu_block *b, lcu_device *peer);
/* Returns memory and addresses, if it has any; no work may use the block. */
void lcu_growth_free (lcu_block *b);

#endif
