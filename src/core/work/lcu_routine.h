/* lcu_routine.h: work that the CPU device does without a kernel, queued like a launch. */
#ifndef LCU_ROUTINE_H
#define LCU_ROUTINE_H

#include "lcu_blas.h"
#include "lcu_work.h"

typedef struct lcu_routine {
  const char *name; /* in profiles and faults */
  const lcu_use *uses;
  size_t num_uses;
  /* Calls the driver. */
  lcu_status (*queue)(lcu_stream *s, const void *job);
} lcu_routine;

lcu_status lcu_routine_queue (lcu_stream *s, const lcu_routine *r, const void *job);


/* ---- matrix products ---- */

/* Does the device multiply matrices itself? */
static inline bool lcu_hostgemm_has (const lcu_device *d) { return d->drv->cuxGemm != NULL; }
/* Queues the product, of any dtype and strides, on a stream of such a device; `tf32` changes
 * nothing. Uses a BLAS if one is found. */
lcu_status lcu_hostgemm (lcu_stream *s, const lcu_blas_job *job);


/* ---- sorts ---- */

/* Does the device sort itself? */
static inline bool lcu_hostsort_has (const lcu_device *d) { return d->drv->cuxSort != NULL; }
/* The memory for the sort of a device that does, in bytes; UINT64_MAX: not this sort. */
lcu_status lcu_hostsort_scratch (lcu_device *d, const cux_sort *job, uint64_t *bytes);
/* Queues it; `uses`: in, out, scratch. */
lcu_status lcu_hostsort (lcu_stream *s, const cux_sort *job, const lcu_use uses[3]);

#endif
