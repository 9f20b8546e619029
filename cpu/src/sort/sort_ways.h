/* sort_ways.h: the ways to sort: one row of any length, a row of bytes in one pass, and many short
 * rows. */
#ifndef SORT_WAYS_H
#define SORT_WAYS_H

#include "sort_crew.h"

/* The memory for one row, in bytes; a multiple of 16. */
uint64_t sort_long_scratch (const sort_job *job);
void sort_long (const sort_crew *c, const void *in, void *out, void *scratch);

void sort_bytes (const sort_crew *c, const void *in, void *out);

/* Are the job's rows sorted fastest this way? */
bool sort_rows_suit (const sort_job *job);
/* The rows from `first` to `last`. */
lcu_status sort_rows (const sort_job *job, int64_t first, int64_t last);

#endif
