/* lcu_limbo.h: the end of blocks. Device memory goes back in the order of its home stream, made to
 * come after all who use it. Other memory that queued work still uses waits in its device's limbo,
 * and goes back at a wait that finds the work over. */
#ifndef LCU_LIMBO_H
#define LCU_LIMBO_H

#include "lcu_block.h"

/* Ends a block that has no references left. */
void lcu_block_destroy (lcu_object *o);
void lcu_limbo_poll (lcu_device *d);  /* ends the blocks whose uses are over */
void lcu_limbo_drain (lcu_device *d); /* all of them: the device is idle */

#endif
