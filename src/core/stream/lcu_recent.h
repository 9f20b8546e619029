/* lcu_recent.h: the latest launches on a device, which reports of later failures name. */
#ifndef LCU_RECENT_H
#define LCU_RECENT_H

#include "lcu_device.h"

/* Records a launch. id: the kernel's. The device's lock is held. */
lcu_recent *lcu_recent_add (lcu_device *d, const char *kernel, uint64_t id, lcu_stream *s);
static inline void lcu_recent_note (lcu_device *d, const char *kernel, uint64_t id, lcu_stream *s,
                                    uint64_t seq) {
  lcu_recent *r = &d->faults.recent[(d->faults.recent_next - 1) % LCU_RECENT];
  if (lcu_unlikely(r->stream != s || r->kernel != id)) r = lcu_recent_add(d, kernel, id, s);
  r->seq = seq;
}
/* The kernels not known to be complete, latest first: "b, a", or "". */
void lcu_recent_list (lcu_device *d, char *out, size_t size);
/* The device is idle: launches on streams that have ended are complete. */
void lcu_recent_forget (lcu_device *d);
/* The stream ends. Its kernels that may still run stay in the list. */
void lcu_recent_detach (lcu_stream *s);
/* The device's context ends. */
void lcu_recent_clear (lcu_device *d);

#endif
