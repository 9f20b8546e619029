/* lcu_capture_blocks.h: the memory that a capture uses, and the marks of the capture's streams on
 * it. */
#ifndef LCU_CAPTURE_BLOCKS_H
#define LCU_CAPTURE_BLOCKS_H

#include "lcu_kept.h"

typedef struct lcu_capture_blocks {
  lcu_block *records; /* number i stands for kept->uses[i]; only its marks and device are used */
  size_t num, room;
  uint32_t *table; /* a hash table: index + 1 of a record, 0: empty; of a power of two */
  size_t size;
  lcu_use *found; /* the last result */
  size_t found_room;
} lcu_capture_blocks;

/* Uses of the records, one for each use; new blocks become uses of `kept`. count: this is a new
 * piece of work. */
lcu_status lcu_capture_blocks_find (lcu_capture_blocks *b, lcu_kept *kept, const lcu_use *uses,
                                    size_t n, bool count, const lcu_use **out);
void lcu_capture_blocks_free (lcu_capture_blocks *b);

#endif
