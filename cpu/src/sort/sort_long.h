/* sort_long.h: one row of any length. */
#ifndef SORT_LONG_H
#define SORT_LONG_H

#include "sort_crew.h"

/* The memory for one row, in bytes; a multiple of 16. */
uint64_t sort_long_scratch (const sort_job *job);
void sort_long (const sort_crew *c, const void *in, void *out, void *scratch);

#endif
