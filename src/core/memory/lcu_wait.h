/* lcu_wait.h: waits and queries. Each releases afterwards the blocks whose last use has ended
 * (lcu_limbo.c). */
#ifndef LCU_WAIT_H
#define LCU_WAIT_H

#include "lcu_block.h"
#include "lcu_stream.h"

lcu_status lcu_stream_synchronize (lcu_stream *s);
/* *done: the work has ended, successfully or not. A fault found by a query stays pending. */
lcu_status lcu_stream_query (lcu_stream *s, bool *done);

lcu_status lcu_device_synchronize (lcu_device *d);
/* The same, reporting nothing: a failure stays pending. */
void lcu_device_synchronize_quiet (lcu_device *d);

/* Waits until the host may read (write = false) or write the memory in place. After a wait to
 * write, all of it counts as written.
 *
 * Waits for the work that was given the block. A kernel may also reach device memory by an address
 * that it found elsewhere. So for device memory it also waits for all work that a copy queued on
 * `s`, a stream of the block's device, would wait for. NULL: no kernel knows the address yet. For
 * host memory it does not, because a running kernel may exchange messages with the host there. */
lcu_status lcu_block_wait (lcu_block *b, lcu_stream *s, bool write);
/* Waits until it may be written in place. Only that part of it counts as written. */
lcu_status lcu_block_wait_part (lcu_block *b, lcu_stream *s, size_t offset, size_t size);
/* With all checks of the CPU device on: a byte for each byte of the block, 1 if that was written.
 * NULL: that is not kept. */
uint8_t *lcu_block_marks (const lcu_block *b);

/* For who found no memory: frees what garbage and, with `wait`, running work hold. A wait would
 * break a capture. */
lcu_status lcu_device_make_room (lcu_device *d, bool wait);

#endif
