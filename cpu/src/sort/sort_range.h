/* sort_range.h: ranges of codes of 64 bits, and of places by codes. A radix sort by the upper bits
 * leaves runs of codes that are equal in them. Most are short and are sorted by insertion,
 * long ones as ranges of their own. */
#ifndef SORT_RANGE_H
#define SORT_RANGE_H

#include "sort_code.h"
#include "sort_crew.h"

/* Codes of elements in words: the first one decides, then the second. */
typedef struct sort_words {
  int count;
  const uint64_t *word[2];
} sort_words;

/* Sorts n codes that differ in the bits `differ`; `spare` is as large. Returns where they are then:
 * codes or spare. */
uint64_t *sort_codes_range (const sort_crew *c, uint64_t *codes, uint64_t *spare, int64_t n,
                            uint64_t differ);
/* The same for records, whose lower 32 bits are places; equal codes keep their order. */
uint64_t *sort_records_range (const sort_crew *c, uint64_t *records, uint64_t *spare, int64_t n,
                              const sort_words *words);

#endif
