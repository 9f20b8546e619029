/* lcu_stage.h: staging memory: pinned memory through which pageable host memory is copied to a
 * device. */
#ifndef LCU_STAGE_H
#define LCU_STAGE_H

#include "lcu_stream.h"

/* Queues a copy to the device; the host memory may be changed afterwards. The device is entered. */
lcu_status lcu_stage_copy (lcu_device *d, cu_deviceptr dst, const char *src, size_t n,
                           lcu_stream *s);
/* The owner of the stream is done with it: staging memory drops its reference, and a foreign stream
 * is retired (lcu_order_retire). Nothing happens for a null stream: its handles come and go. */
void lcu_stage_retire (lcu_stream *s);

#endif
