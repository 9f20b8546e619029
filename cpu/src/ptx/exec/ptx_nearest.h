/* ptx_nearest.h: the allocation that an access to device memory is about. */
#ifndef PTX_NEAREST_H
#define PTX_NEAREST_H

#include "ptx_cta.h"

/* Sets f->nearest for the access of x->w.at in that frame. */
void ptx_nearest_find (const ptx_xwarp *x, const ptx_frame *frame, ptx_fault *f);

#endif
