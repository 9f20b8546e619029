/* cpu_share.h: blocks of memory that several processes share. */
#ifndef CPU_SHARE_H
#define CPU_SHARE_H

#include "cpu_map.h"

/* The block, of kind CPU_MEM_SHARED, is freed: other processes cannot open it any more. Those that
 * have it open keep its memory. */
void cpu_share_close (cpu_block *b);
/* Unmaps a block of kind CPU_MEM_SHARED or CPU_MEM_OPENED that leaves the map. Needs the map's
 * lock. */
void cpu_share_end (cpu_block *b);

#endif
