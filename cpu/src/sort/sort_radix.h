/* sort_radix.h: the radix sort: one stable pass per digit, from the lowest. */
#ifndef SORT_RADIX_H
#define SORT_RADIX_H

#include "sort_crew.h"

/* The bits of a code from `low` up. */
typedef struct sort_window {
  int low, bits;
} sort_window;

/* The window with all bits of `differ`. */
sort_window sort_window_all (uint64_t differ);
/* The window by which to sort n codes of 64 bits that differ in the bits `differ`: at most 32, of
 * many the upper ones, which are enough to tell most codes apart. */
sort_window sort_window_of (int64_t n, uint64_t differ);
/* Sorts the n elements of `a`, of 2, 4 or 8 bytes, by a window; `b` is as large. Returns where they
 * are then: a or b. */
void *sort_radix (const sort_crew *c, int size, void *a, void *b, int64_t n, sort_window w);

#endif
