/* ptx_fault.h: reporting what went wrong in a kernel, and where. */
#ifndef PTX_FAULT_H
#define PTX_FAULT_H

#include "ptx_grid.h"

/* Sets x->w.fault, for what the executor itself finds. Always false. */
bool ptx_fault_set (ptx_xwarp *x, uint32_t lane, ptx_fault_kind kind, const char *fmt, ...)
  LCU_PRINTF(4, 5);
/* Reports x->w.fault of the instruction at x->w.at in `frame` and stops the grid. The detail of an
 * assertion is "file\nline\nfunction\nexpression". */
void ptx_fault_report (ptx_xwarp *x, const ptx_frame *frame);
/* Fills in a hang of the CTA, but for the message. */
void ptx_fault_start_hang (ptx_fault *f, const ptx_cta *c, ptx_fault_kind kind, const ptx_uop *at,
                           const ptx_frame *frame);
/* The file and line of a place, as messages name them; line 0: unknown. */
void ptx_fault_locate (const ptx_frame *frame, const ptx_uop *at, char *file, size_t size,
                       int *line);
/* "k.cu:12", or words for a place without a source line. */
void ptx_fault_place (const ptx_frame *frame, const ptx_uop *at, char *out, size_t size);

#endif
