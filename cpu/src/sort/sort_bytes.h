/* sort_bytes.h: a row of elements of one byte, in one pass. */
#ifndef SORT_BYTES_H
#define SORT_BYTES_H

#include "sort_crew.h"

void sort_bytes (const sort_crew *c, const void *in, void *out);

#endif
