/* lcu_limbo.h: the end of blocks.
 *
 * The contract: memory is released only after every use that a mark covers (lcu_work.c). Ordered
 * device memory is freed on its home stream, which is first made to wait for all other users, so
 * the free can be queued immediately. Memory without such an order has to wait for its users: while
 * queued work still uses it, the block is in its device's limbo, a list of blocks without
 * references. Waits and queries that complete some work poll the limbo; closing or resetting a
 * device drains it. On a dead device no work uses memory any more, and in a forked child only the
 * records are freed. */
#ifndef LCU_LIMBO_H
#define LCU_LIMBO_H

#include "lcu_block.h"

/* Ends a block that has no references left. */
void lcu_block_destroy (lcu_object *o);
void lcu_limbo_poll (lcu_device *d);  /* ends the blocks whose uses are over */
void lcu_limbo_drain (lcu_device *d); /* all of them: the device is idle */

#endif
