/* sort_rows.h: many short rows. */
#ifndef SORT_ROWS_H
#define SORT_ROWS_H

#include "sort_crew.h"

/* Are the job's rows sorted fastest this way? */
bool sort_rows_suit (const sort_job *job);
/* The rows from `first` to `last`. */
lcu_status sort_rows (const sort_job *job, int64_t first, int64_t last);

#endif
