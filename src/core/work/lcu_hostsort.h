/* lcu_hostsort.h: sorts by the CPU device itself, queued on streams like other work. */
#ifndef LCU_HOSTSORT_H
#define LCU_HOSTSORT_H

#include "lcu_work.h"

/* Does the device sort itself? */
static inline bool lcu_hostsort_has (const lcu_device *d) { return d->drv->cuxSort != NULL; }
/* The memory for the sort of a device that does, in bytes; UINT64_MAX: not this sort. */
lcu_status lcu_hostsort_scratch (lcu_device *d, const cux_sort *job, uint64_t *bytes);
/* Queues it; `uses`: in, out, scratch. */
lcu_status lcu_hostsort (lcu_stream *s, const cux_sort *job, const lcu_use uses[3]);

#endif
