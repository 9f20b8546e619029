/* lcu_stage.h: staging memory, through which host memory of others goes to a device with memory of
 * its own. */
#ifndef LCU_STAGE_H
#define LCU_STAGE_H

#include "lcu_stream.h"

/* Copies to the device; the host memory may be changed afterwards. The device is entered. */
lcu_status lcu_stage_copy (lcu_device *d, cu_deviceptr dst, const char *src, size_t n,
                           lcu_stream *s);
/* Whoever made the stream is done with it: nothing of ours keeps it longer than its work needs. */
void lcu_stage_retire (lcu_stream *s);

#endif
