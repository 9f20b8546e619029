/* lcu_wait.h: waits and queries of the host program. Each gives back afterwards what only running
 * work still held. */
#ifndef LCU_WAIT_H
#define LCU_WAIT_H

#include "lcu_block.h"
#include "lcu_stream.h"

lcu_status lcu_stream_synchronize (lcu_stream *s);
/* done: has the work ended, well or not? A fault that the question meets waits for a call that
 * raises it. */
lcu_status lcu_stream_query (lcu_stream *s, bool *done);

lcu_status lcu_device_synchronize (lcu_device *d);
/* The same on behalf of nobody: what it finds waits to be raised. */
void lcu_device_synchronize_quiet (lcu_device *d);

/* Waits until the memory may be read (write = false) or written in place. */
lcu_status lcu_block_wait (lcu_block *b, bool write);

#endif
