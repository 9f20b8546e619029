/* cpu_range.h: ranges of addresses that get their memory piece by piece. */
#ifndef CPU_RANGE_H
#define CPU_RANGE_H

#include "cpu_map.h"

/* Returns the memory and the addresses of a range that is not in the map any more. */
void cpu_range_end (cpu_block *b);

#endif
