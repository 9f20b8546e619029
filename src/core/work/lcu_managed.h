/* lcu_managed.h: where managed memory is, and who uses it. */
#ifndef LCU_MANAGED_H
#define LCU_MANAGED_H

#include "lcu_block.h"

/* The device or host that advice and prefetching name: a device of the driver that manages the
 * block, or the CPU device, which stands for the host. False for any other device. */
bool lcu_managed_place (const lcu_block *b, const lcu_device *d, cu_device *out);

/* advice: CU_ADVISE_. */
lcu_status lcu_managed_advise (lcu_block *b, size_t offset, size_t n, int advice, cu_device place);
/* Queues the move of the pages on a stream of the device that manages the block. */
lcu_status lcu_managed_prefetch (lcu_block *b, size_t offset, size_t n, cu_device place,
                                 lcu_stream *s);
/* Queues the attachment of the whole block on `s`, and waits for it where the host depends on it.
 * flags: CU_MEM_ATTACH_. */
lcu_status lcu_managed_attach (lcu_block *b, unsigned flags, lcu_stream *s);

#endif
