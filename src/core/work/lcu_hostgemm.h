/* lcu_hostgemm.h: matrix products by the CPU device itself, queued on streams like other work. */
#ifndef LCU_HOSTGEMM_H
#define LCU_HOSTGEMM_H

#include "lcu_blas.h"

/* Does the device multiply matrices itself? */
static inline bool lcu_hostgemm_has (const lcu_device *d) { return d->drv->cuxGemm != NULL; }
/* Queues the product, of any dtype and strides, on a stream of such a device; `tf32` changes
 * nothing. Uses a BLAS if one is found. */
lcu_status lcu_hostgemm (lcu_stream *s, const lcu_blas_job *job);

#endif
